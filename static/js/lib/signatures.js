/**
 * Check a party's Ed25519 signature, where this browser can.
 */

import { concat, fromHex, utf8 } from "./bytes.js";

/**
 * @param {string} signingKey hex
 * @param {"message" | "decision" | "certificate"} purpose
 * @param {{ body: string, signature: string }} signed the signature in hex
 * @returns {Promise<boolean | null>} null where the browser has no Ed25519
 */
export async function signedBy(signingKey, purpose, { body, signature }) {
  const algorithm = { name: "Ed25519" };
  let key;
  try {
    key = await crypto.subtle.importKey("raw", fromHex(signingKey), algorithm, false, ["verify"]);
  } catch {
    return null;
  }
  const message = concat(utf8(`blindjustice/v1/${purpose}\0`), utf8(body));
  return crypto.subtle.verify(algorithm, key, fromHex(signature), message).catch(() => false);
}
