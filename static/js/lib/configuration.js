/**
 * What the pages need of a study's frozen configuration text.
 *
 * @typedef {import("./layout.js").EnvelopeLayout} EnvelopeLayout
 * @typedef {import("./layout.js").Role} Role
 * @typedef {object} Study
 * @property {any} configuration the parsed text
 * @property {EnvelopeLayout} layout its `configDigest` is the text's own
 * @property {Record<Role, { keyId: Uint8Array, publicKey: Uint8Array }>} partyKeys
 */

import { fromHex, utf8 } from "./bytes.js";
import { parseCanonical } from "./canonical.js";
import { sha256 } from "./digests.js";
import { encodeValue } from "./encoding.js";
import { UsageError } from "./errors.js";

/** @param {string} text canonical @returns {Promise<Uint8Array>} 32 bytes */
export function configurationDigest(text) {
  return sha256(utf8("blindjustice/v1/configuration\0"), utf8(text));
}

/**
 * Read a configuration text.
 * @param {string} text canonical
 * @returns {Promise<Study>}
 */
export async function readStudy(text) {
  const configuration = parseCanonical(text);
  if (configuration.format !== "bj2 configuration") throw new UsageError("NOT_A_CONFIGURATION");
  const { features, attributes, x_frac_bits: fracBits } = configuration;
  return {
    configuration,
    layout: {
      studyId: fromHex(configuration.study_id),
      configDigest: await configurationDigest(text),
      categoryCounts: attributes.map((attribute) => attribute.categories.length + 1),
      dataHolder: configuration.data_holder,
      dataByFile: configuration.data_source === "file",
      featureRanges: features.map(({ name, unit, minimum, maximum }) => [
        Number(encodeValue(minimum, unit, fracBits, name)),
        Number(encodeValue(maximum, unit, fracBits, name)),
      ]),
    },
    partyKeys: {
      modeler: partyKey(configuration.modeler),
      regulator: partyKey(configuration.regulator),
    },
  };
}

/** @param {{ key_id: string, hpke_key: string }} party */
function partyKey(party) {
  return { keyId: fromHex(party.key_id), publicKey: fromHex(party.hpke_key) };
}
