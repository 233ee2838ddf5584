/**
 * Hybrid public-key encryption (RFC 9180), base mode, one pinned suite: X-Wing (KEM id
 * 0x647a), HKDF-SHA256, AES-128-GCM, empty associated data. Base mode authenticates nobody.
 */

import { HkdfSha256Native } from "../../vendor/hpke/1.9.0/common/src/kdfs/hkdf.js";
import { Aes128Gcm } from "../../vendor/hpke/1.9.0/core/src/aeads/aesGcm.js";
import { CipherSuiteNative } from "../../vendor/hpke/1.9.0/core/src/cipherSuiteNative.js";
import { concat, fixed } from "./bytes.js";
import { UsageError } from "./errors.js";
import { ENC_BYTES, PUBLIC_KEY_BYTES, XWing } from "./x_wing.js";

/** The pinned suite; all of it but ML-KEM by the browser's own cryptography. */
const suite = new CipherSuiteNative({
  kem: new XWing(),
  kdf: new HkdfSha256Native(),
  aead: new Aes128Gcm(),
});

/**
 * Seal to a raw X-Wing key.
 * @param {Uint8Array} publicKey 1,216 bytes
 * @param {Uint8Array} info
 * @param {Uint8Array} plaintext
 * @returns {Promise<Uint8Array>} enc 1120 | ciphertext | tag 16
 */
export async function hpkeSeal(publicKey, info, plaintext) {
  try {
    fixed(publicKey, PUBLIC_KEY_BYTES, "public key");
    const { enc, ct } = await suite.seal({ recipientPublicKey: publicKey, info }, plaintext);
    return concat(new Uint8Array(enc), new Uint8Array(ct));
  } catch {
    throw new UsageError("PUBLIC_KEY_UNUSABLE");
  }
}

/**
 * Open what was sealed to a key of this browser.
 * @param {import("./x_wing.js").XWingKeys} recipientKey
 * @param {Uint8Array} info
 * @param {Uint8Array} sealed enc 1120 | ciphertext | tag 16
 * @returns {Promise<Uint8Array>}
 */
export async function hpkeOpen(recipientKey, info, sealed) {
  const [enc, ciphertext] = [sealed.slice(0, ENC_BYTES), sealed.slice(ENC_BYTES)];
  try {
    return new Uint8Array(await suite.open({ recipientKey, enc, info }, ciphertext));
  } catch {
    throw new UsageError("SEAL_NOT_OPENED");
  }
}
