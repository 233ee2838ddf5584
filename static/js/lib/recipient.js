/**
 * The key that a study's trained models are sealed to: made when a training is asked for, kept in
 * this browser, where its X25519 half can be used and not read.
 *
 * @typedef {{ publicKey: string, keys: import("./x_wing.js").XWingKeys }} Recipient `publicKey` hex
 */

import { toHex } from "./bytes.js";
import { keepFirstKey, readKey, RECIPIENTS } from "./keystore.js";
import { generateKeys } from "./x_wing.js";

/**
 * Return the study's key in this browser; make and keep one if there is none.
 * @param {string} studyId hex @returns {Promise<Recipient>}
 */
export async function recipientFor(studyId) {
  const kept = await keptRecipient(studyId);
  if (kept !== null) return kept;
  const { publicKey, keys } = await generateKeys();
  return keepFirstKey(RECIPIENTS, studyId, { publicKey: toHex(publicKey), keys });
}

/**
 * The study's key in this browser, or null.
 * @param {string} studyId hex @returns {Promise<Recipient | null>}
 */
export async function keptRecipient(studyId) {
  return (await readKey(RECIPIENTS, studyId)) ?? null;
}
