/**
 * The two plaintexts of a submission: the common block, then each party's share.
 *
 * @typedef {import("./layout.js").EnvelopeLayout} EnvelopeLayout
 * @typedef {import("./layout.js").Role} Role
 * @typedef {import("./random.js").Randomness} Randomness
 */

import { concat, fixed, i32, u16, u32, u64, u8, utf8 } from "./bytes.js";
import { sha256 } from "./digests.js";
import { credential } from "./invitation.js";
import { BLIND_BYTES, checkedData, entryCount, ENVELOPE_VERSION, ID_BYTES, KEY_BYTES, oneHot, ROLES } from "./layout.js";
import { lowBit, split } from "./ring.js";

const KEYS_PER_ENTRY = 4; // k0, k1 (the regulator sends), k'0, k'1 (the modeler sends)

/**
 * Return both plaintexts. Draws, in this order: r per entry, four keys per entry, the blind.
 *
 * @param {EnvelopeLayout} layout
 * @param {object} submission
 * @param {readonly number[]} submission.answers index of the chosen category per attribute
 * @param {readonly number[] | null} submission.features encoded x, null if data come by file
 * @param {0 | 1 | null} submission.label null for unknown
 * @param {Uint8Array} submission.recordId
 * @param {Uint8Array} submission.submissionId
 * @param {Uint8Array} submission.invitationCode
 * @param {number} submission.sequence
 * @param {Uint8Array} submission.ownerPublicKey raw P-256 point
 * @param {Randomness} random
 * @returns {Promise<{ common: Uint8Array, plaintexts: Record<Role, Uint8Array> }>}
 */
export async function composePlaintexts(layout, submission, random) {
  const { recordId, submissionId, invitationCode, sequence, ownerPublicKey } = submission;
  const data = checkedData(layout, submission.features, submission.label);
  const shares = split(oneHot(layout, submission.answers), random);
  const keys = drawKeys(entryCount(layout), random);
  const blind = random(BLIND_BYTES);
  const dataBytes = data === null ? new Uint8Array() : encodeData(data.features, data.label);

  const common = concat(
    u16(ENVELOPE_VERSION),
    layout.configDigest,
    fixed(recordId, ID_BYTES, "record id"),
    fixed(submissionId, ID_BYTES, "submission id"),
    u32(sequence),
    u16(keys.length),
    await sha256(ownerPublicKey),
    await sha256(utf8("bj1 data"), blind, dataBytes),
    ...(await keyHashes(concat(layout.configDigest, recordId, submissionId), keys)),
  );

  /** @type {Record<string, Uint8Array>} */
  const plaintexts = {};
  for (const role of ROLES) {
    const entries = keys.map((entryKeys, entry) =>
      entryShare(role, shares.modeler[entry], shares.regulator[entry], entryKeys),
    );
    const tail = role === layout.dataHolder ? [blind, dataBytes] : [];
    plaintexts[role] = concat(common, await credential(invitationCode, role), ...entries, ...tail);
  }
  return { common, plaintexts: /** @type {Record<Role, Uint8Array>} */ (plaintexts) };
}

/**
 * x as int32 per feature in schema order, then y as one byte.
 * @param {readonly number[]} features @param {number} label
 */
export function encodeData(features, label) {
  return concat(...features.map(i32), u8(label));
}

/** @param {number} count @param {Randomness} random @returns {Uint8Array[][]} */
function drawKeys(count, random) {
  const drawn = random(KEYS_PER_ENTRY * KEY_BYTES * count);
  return Array.from({ length: count }, (_, entry) =>
    Array.from({ length: KEYS_PER_ENTRY }, (__, slot) => {
      const start = KEY_BYTES * (KEYS_PER_ENTRY * entry + slot);
      return drawn.slice(start, start + KEY_BYTES);
    }),
  );
}

/** @param {Uint8Array} binding @param {Uint8Array[][]} keys */
function keyHashes(binding, keys) {
  return Promise.all(
    keys.flatMap((entryKeys, entry) =>
      entryKeys.map((key, slot) =>
        sha256(utf8("bj1 key"), binding, u16(entry), u8(slot >> 1), u8(slot & 1), key),
      ),
    ),
  );
}

/**
 * One entry of what a party gets: its share, then k_a, k'0, k'1 (modeler) or k0, k1, k'_b.
 * @param {Role} role @param {bigint} shareM @param {bigint} shareR @param {Uint8Array[]} keys
 */
function entryShare(role, shareM, shareR, [k0, k1, kPrime0, kPrime1]) {
  if (role === "modeler") return concat(u64(shareM), lowBit(shareM) ? k1 : k0, kPrime0, kPrime1);
  return concat(u64(shareR), k0, k1, lowBit(shareR) ? kPrime1 : kPrime0);
}
