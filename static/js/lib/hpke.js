/**
 * Hybrid public-key encryption (RFC 9180), base mode, one pinned suite: X25519, HKDF-SHA256,
 * AES-128-GCM, empty associated data. Base mode authenticates nobody.
 */

import { HkdfSha256Native } from "../../vendor/hpke/1.9.0/common/src/kdfs/hkdf.js";
import { Aes128Gcm } from "../../vendor/hpke/1.9.0/core/src/aeads/aesGcm.js";
import { CipherSuiteNative } from "../../vendor/hpke/1.9.0/core/src/cipherSuiteNative.js";
import { DhkemX25519HkdfSha256 } from "../../vendor/hpke/1.9.0/core/src/kems/dhkemX25519.js";
import { concat, fixed } from "./bytes.js";
import { UsageError } from "./errors.js";

export const PUBLIC_KEY_BYTES = 32;
export const OVERHEAD_BYTES = 48; // enc 32, tag 16

/** The pinned suite, all of it by the browser's own cryptography. */
export const suite = new CipherSuiteNative({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256Native(),
  aead: new Aes128Gcm(),
});

/**
 * Seal to a raw X25519 key.
 * @param {Uint8Array} publicKey 32 bytes
 * @param {Uint8Array} info
 * @param {Uint8Array} plaintext
 * @returns {Promise<Uint8Array>} enc 32 | ciphertext | tag 16
 */
export async function hpkeSeal(publicKey, info, plaintext) {
  fixed(publicKey, PUBLIC_KEY_BYTES, "public key");
  try {
    const recipientPublicKey = await suite.kem.deserializePublicKey(publicKey);
    const { enc, ct } = await suite.seal({ recipientPublicKey, info }, plaintext);
    return concat(new Uint8Array(enc), new Uint8Array(ct));
  } catch {
    throw new UsageError("PUBLIC_KEY_UNUSABLE");
  }
}

/**
 * Open what was sealed to a key of this browser.
 * @param {CryptoKeyPair} recipientKey X25519; its secret may be unreadable
 * @param {Uint8Array} info
 * @param {Uint8Array} sealed enc 32 | ciphertext | tag 16
 * @returns {Promise<Uint8Array>}
 */
export async function hpkeOpen(recipientKey, info, sealed) {
  const [enc, ciphertext] = [sealed.slice(0, PUBLIC_KEY_BYTES), sealed.slice(PUBLIC_KEY_BYTES)];
  try {
    return new Uint8Array(await suite.open({ recipientKey, enc, info }, ciphertext));
  } catch {
    throw new UsageError("SEAL_NOT_OPENED");
  }
}
