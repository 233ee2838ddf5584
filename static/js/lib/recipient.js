/**
 * The key that a study's trained models are sealed to: made when a training is asked for, kept in
 * this browser, where its secret can be used and not read.
 *
 * @typedef {{ publicKey: string, keys: CryptoKeyPair }} Recipient `publicKey` raw X25519, hex
 */

import { toHex } from "./bytes.js";
import { keepFirstKey, readKey, RECIPIENTS } from "./keystore.js";

/**
 * Return the study's key in this browser; make and keep one if there is none.
 * @param {string} studyId hex @returns {Promise<Recipient>}
 */
export async function recipientFor(studyId) {
  const kept = await keptRecipient(studyId);
  if (kept !== null) return kept;
  const keys = /** @type {CryptoKeyPair} */ (
    await crypto.subtle.generateKey({ name: "X25519" }, false, ["deriveBits"])
  );
  const raw = await crypto.subtle.exportKey("raw", keys.publicKey);
  return keepFirstKey(RECIPIENTS, studyId, { publicKey: toHex(new Uint8Array(raw)), keys });
}

/**
 * The study's key in this browser, or null.
 * @param {string} studyId hex @returns {Promise<Recipient | null>}
 */
export async function keptRecipient(studyId) {
  return (await readKey(RECIPIENTS, studyId)) ?? null;
}
