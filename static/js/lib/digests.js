/**
 * SHA-256 over concatenated parts, and the identifiers derived from it.
 */

import { concat } from "./bytes.js";

/** @param {...Uint8Array} parts @returns {Promise<Uint8Array>} 32 bytes */
export async function sha256(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", concat(...parts)));
}

/** First 16 bytes of SHA-256 of a raw public key. @param {Uint8Array} publicKey */
export async function keyId(publicKey) {
  return (await sha256(publicKey)).slice(0, 16);
}
