/**
 * Approvals: texts signed with an approver's key, which both parties check themselves.
 *
 * @typedef {import("./layout.js").Role} Role
 * @typedef {"configuration" | "closing" | "certification" | "training" | "deployment" | "revocation" | "takeover"
 *   | "invitations" | "model" | "data"} ApprovalKind
 * @typedef {{ role: Role, keyId: string, privateKey: CryptoKey }} Approver
 * @typedef {{ role: Role, key_id: string, signature: string }} Approval
 */

import { concat, fromBase64url, toBase64, toHex, utf8 } from "./bytes.js";
import { keyId, sha256 } from "./digests.js";
import { UsageError } from "./errors.js";
import { APPROVERS, forgetKey, keepKey, readKey } from "./keystore.js";
import { ROLES } from "./layout.js";

const ECDSA = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING = { name: "ECDSA", hash: "SHA-256" };

/**
 * Take an approver's key file into this browser, where its secret can be used and not read.
 * APPROVER_FILE_BROKEN if the file isn't one; APPROVER_OF_OTHER_PARTY if it is for the other.
 * @param {string} text the file's JSON
 * @param {Role} expectedRole
 * @returns {Promise<Approver>}
 */
export async function importApprover(text, expectedRole) {
  const { role, key_id: statedKeyId, private_key: jwk } = parseApproverFile(text);
  if (role !== expectedRole) throw new UsageError("APPROVER_OF_OTHER_PARTY", { role });
  const privateKey = await importSigningKey(jwk);
  const coordinates = [jwk.x, jwk.y].map((text) => fromBase64url(text ?? ""));
  const publicKey = concat(Uint8Array.of(4), ...coordinates);
  if (toHex(await keyId(publicKey)) !== statedKeyId) throw new UsageError("APPROVER_FILE_BROKEN");
  const approver = { role, keyId: statedKeyId, privateKey };
  await keepKey(APPROVERS, role, approver);
  return approver;
}

/**
 * The approver kept in this browser, or null.
 * @param {Role} role @returns {Promise<Approver | null>}
 */
export async function keptApprover(role) {
  return (await readKey(APPROVERS, role)) ?? null;
}

/** Remove the approver's key from this browser. @param {Role} role */
export function forgetApprover(role) {
  return forgetKey(APPROVERS, role);
}

/** What an approver signs. @param {ApprovalKind} kind @param {string} text canonical */
export async function approvalMessage(kind, text) {
  return concat(utf8(`blindjustice/v1/approval\0${kind}\0`), await sha256(utf8(text)));
}

/**
 * Sign a text of one kind.
 * @param {Approver} approver @param {ApprovalKind} kind @param {string} text canonical
 * @returns {Promise<Approval>}
 */
export async function signApproval(approver, kind, text) {
  const message = await approvalMessage(kind, text);
  const signature = await crypto.subtle.sign(SIGNING, approver.privateKey, message);
  return {
    role: approver.role,
    key_id: approver.keyId,
    signature: toBase64(new Uint8Array(signature)),
  };
}

/** @param {string} text @returns {{ role: Role, key_id: string, private_key: JsonWebKey }} */
function parseApproverFile(text) {
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    throw new UsageError("APPROVER_FILE_BROKEN");
  }
  if (file?.format !== "bj1 approver" || !ROLES.includes(file.role)) {
    throw new UsageError("APPROVER_FILE_BROKEN");
  }
  return file;
}

/** @param {JsonWebKey} jwk */
async function importSigningKey(jwk) {
  try {
    return await crypto.subtle.importKey("jwk", jwk, ECDSA, false, ["sign"]);
  } catch {
    throw new UsageError("APPROVER_FILE_BROKEN");
  }
}
