/**
 * The person's side: share the answers, deal the keys, seal a share per party, sign the pair.
 *
 * @typedef {import("./layout.js").EnvelopeLayout} EnvelopeLayout
 * @typedef {import("./layout.js").Role} Role
 * @typedef {import("./owner.js").OwnerKey} OwnerKey
 * @typedef {object} PreparedSubmission
 * @property {Uint8Array} recordId
 * @property {Uint8Array} submissionId
 * @property {number} sequence
 * @property {Record<Role, Uint8Array>} envelopes
 * @property {Uint8Array} ownerPublicKey
 * @property {Uint8Array} signature raw r || s
 * @property {Uint8Array} commonDigest what both receipts must name
 */

import { concat, toBase64, toHex, utf8 } from "./bytes.js";
import { sha256 } from "./digests.js";
import { composePlaintexts } from "./envelope.js";
import { ID_BYTES, ROLES } from "./layout.js";
import { systemRandomness } from "./random.js";
import { seal } from "./sealed.js";

/**
 * Turn a person's answers into the two sealed, signed shares of a submission.
 *
 * @param {EnvelopeLayout} layout
 * @param {object} submission
 * @param {readonly number[]} submission.answers index of the chosen category per attribute
 * @param {readonly number[] | null} submission.features encoded x, null if data come by file
 * @param {0 | 1 | null} submission.label null for unknown
 * @param {Uint8Array} submission.recordId
 * @param {Uint8Array} submission.invitationCode
 * @param {number} submission.sequence
 * @param {OwnerKey} submission.ownerKey
 * @param {Record<Role, { keyId: Uint8Array, publicKey: Uint8Array }>} submission.partyKeys
 * @param {import("./random.js").Randomness} [random]
 * @returns {Promise<PreparedSubmission>}
 */
export async function prepareSubmission(layout, submission, random = systemRandomness) {
  const { recordId, sequence, ownerKey, partyKeys } = submission;
  const submissionId = random(ID_BYTES);
  const { common, plaintexts } = await composePlaintexts(
    layout,
    { ...submission, submissionId, ownerPublicKey: ownerKey.publicKey },
    random,
  );
  /** @type {Record<string, Uint8Array>} */
  const envelopes = {};
  for (const role of ROLES) {
    const { keyId, publicKey } = partyKeys[role];
    const { studyId, configDigest } = layout;
    const purpose = "submission";
    envelopes[role] = await seal(
      { purpose, role, studyId, configDigest, keyId, recordId, submissionId, sequence },
      publicKey,
      plaintexts[role],
    );
  }
  const commonDigest = await sha256(common);
  const message = submissionMessage(
    commonDigest,
    await sha256(envelopes.modeler),
    await sha256(envelopes.regulator),
  );
  return {
    recordId,
    submissionId,
    sequence,
    envelopes: /** @type {Record<Role, Uint8Array>} */ (envelopes),
    ownerPublicKey: ownerKey.publicKey,
    signature: await ownerKey.sign(message),
    commonDigest,
  };
}

/**
 * What the owner signs.
 * @param {Uint8Array} commonDigest @param {Uint8Array} digestM @param {Uint8Array} digestR
 */
export function submissionMessage(commonDigest, digestM, digestR) {
  return concat(utf8("bj1 submission"), commonDigest, digestM, digestR);
}

/** The body of the API call that hands a submission in. @param {PreparedSubmission} prepared */
export function submissionBody(prepared) {
  return {
    record_id: toHex(prepared.recordId),
    submission_id: toHex(prepared.submissionId),
    sequence: prepared.sequence,
    owner_key: toHex(prepared.ownerPublicKey),
    signature: toBase64(prepared.signature),
    envelope_modeler: toBase64(prepared.envelopes.modeler),
    envelope_regulator: toBase64(prepared.envelopes.regulator),
  };
}
