/**
 * The key that makes a record a person's own: made at the first submission, kept in this
 * browser, and needed to replace or withdraw the answer later.
 *
 * @typedef {object} OwnerKey
 * @property {Uint8Array} publicKey raw P-256 point, 65 bytes
 * @property {(message: Uint8Array) => Promise<Uint8Array>} sign raw r || s over SHA-256
 *
 * @typedef {object} KeptSubmission
 * @property {string} submissionId hex
 * @property {number} sequence
 * @property {string} commonDigest hex; both receipts must name it
 */

import { keepFirstKey, keepKey, OWNERS, readKey } from "./keystore.js";

const ECDSA = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING = { name: "ECDSA", hash: "SHA-256" };

/**
 * Return the record's key in this browser; make and keep one if there is none.
 * @param {string} studyId hex @param {string} recordId hex
 * @returns {Promise<OwnerKey>}
 */
export async function ownerKeyFor(studyId, recordId) {
  const name = `${studyId}.${recordId}`;
  let kept = await readKey(OWNERS, name);
  if (kept === undefined) {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(ECDSA, false, ["sign"]);
    const fresh = { privateKey, publicKey: await rawPublicKey(publicKey), submissions: [] };
    kept = await keepFirstKey(OWNERS, name, fresh);
  }
  return ownerKey(kept.privateKey, kept.publicKey);
}

/**
 * Remember a submission beside the record's key.
 * @param {string} studyId hex @param {string} recordId hex @param {KeptSubmission} submission
 */
export async function rememberSubmission(studyId, recordId, submission) {
  const name = `${studyId}.${recordId}`;
  const kept = await readKey(OWNERS, name);
  await keepKey(OWNERS, name, { ...kept, submissions: [...kept.submissions, submission] });
}

/**
 * The record's submissions from this browser, oldest first; empty if it has no key for it.
 * @param {string} studyId hex @param {string} recordId hex
 * @returns {Promise<KeptSubmission[]>}
 */
export async function rememberedSubmissions(studyId, recordId) {
  return (await readKey(OWNERS, `${studyId}.${recordId}`))?.submissions ?? [];
}

/** @param {CryptoKey} privateKey @param {Uint8Array} publicKey raw @returns {OwnerKey} */
export function ownerKey(privateKey, publicKey) {
  return {
    publicKey,
    sign: async (message) =>
      new Uint8Array(await crypto.subtle.sign(SIGNING, privateKey, message)),
  };
}

/** @param {CryptoKey} publicKey */
async function rawPublicKey(publicKey) {
  return new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
}
