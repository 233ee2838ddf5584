/**
 * Invitations: a secret code per invited person, and one credential of it per party.
 *
 * @typedef {import("./layout.js").Role} Role
 * @typedef {{ recordId: Uint8Array, code: Uint8Array }} Invitation
 */

import { fixed, fromBase64url, fromHex, toBase64url, toHex, utf8 } from "./bytes.js";
import { canonicalJson } from "./canonical.js";
import { sha256 } from "./digests.js";
import { UsageError } from "./errors.js";
import { ID_BYTES } from "./layout.js";
import { systemRandomness } from "./random.js";

const CODE_BYTES = 16;

/**
 * Draw `count` invitations.
 * @param {number} count
 * @param {import("./random.js").Randomness} [random]
 * @returns {Invitation[]}
 */
export function makeInvitations(count, random = systemRandomness) {
  return Array.from({ length: count }, () => ({
    recordId: random(ID_BYTES),
    code: random(CODE_BYTES),
  }));
}

/**
 * What a party checks in place of the code.
 * @param {Uint8Array} code @param {Role} role @returns {Promise<Uint8Array>} 32 bytes
 */
export function credential(code, role) {
  return sha256(utf8("bj1 cred"), fixed(code, CODE_BYTES, "invitation code"), utf8(role));
}

/**
 * The canonical list of credentials that one party is handed and the inviter signs.
 * @param {Role} role
 * @param {string} studyId hex
 * @param {string} configuration digest, hex
 * @param {readonly Invitation[]} invitations
 * @returns {Promise<string>}
 */
export async function invitationList(role, studyId, configuration, invitations) {
  const credentials = await Promise.all(
    invitations.map(async ({ recordId, code }) => ({
      record_id: toHex(recordId),
      credential: toHex(await credential(code, role)),
    })),
  );
  credentials.sort((a, b) => (a.record_id < b.record_id ? -1 : 1));
  const format = "bj1 invitations";
  return canonicalJson({ format, study_id: studyId, configuration, role, credentials });
}

/**
 * The site path of an invitation; the part behind `#` never leaves the browser.
 * @param {string} studyId hex @param {Invitation} invitation
 */
export function invitationPath(studyId, { recordId, code }) {
  return `/take-part/${studyId}/#${toHex(recordId)}.${toBase64url(code)}`;
}

/** Read the part behind `#`. @param {string} fragment @returns {Invitation} */
export function parseInvitation(fragment) {
  const match = /^#?([0-9a-f]{32})\.([\w-]{22})$/.exec(fragment);
  if (match === null) throw new UsageError("INVITATION_INCOMPLETE");
  try {
    return { recordId: fromHex(match[1]), code: fromBase64url(match[2]) };
  } catch {
    throw new UsageError("INVITATION_INCOMPLETE");
  }
}
