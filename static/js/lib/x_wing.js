/**
 * X-Wing, the KEM of ML-KEM-768 and X25519 together: what it seals stays closed while either holds.
 * ML-KEM is the vendored library's; X25519 is the browser's, so that its secret can be used and not
 * read. Source: Barbosa et al., "X-Wing", CiC 1(1), 2024; draft-connolly-cfrg-xwing-kem, section 5.
 *
 * @typedef {object} XWingKeys a recipient's keys
 * @property {Uint8Array} latticeSeed of ML-KEM-768, 64 bytes; secret
 * @property {CryptoKeyPair} curve X25519
 */

import { createMlKem768 } from "../../vendor/mlkem/2.7.0/src/mlKem768Impl.js";
import { sha3_256 as sha3 } from "../../vendor/mlkem/2.7.0/src/sha3/sha3.js";
import { concat, utf8 } from "./bytes.js";
import { systemRandomness } from "./random.js";

const X25519 = { name: "X25519" };
const LATTICE_SEED_BYTES = 64;
const LATTICE_PUBLIC_BYTES = 1184;
const LATTICE_CIPHERTEXT_BYTES = 1088;
const LABEL = utf8("\\.//^\\");

export const PUBLIC_KEY_BYTES = 1216;
export const ENC_BYTES = 1120;

/** Draw a recipient's keys. @returns {Promise<{ publicKey: Uint8Array, keys: XWingKeys }>} */
export async function generateKeys() {
  const latticeSeed = systemRandomness(LATTICE_SEED_BYTES);
  const curve = await ephemeralKeys();
  const [latticePublic] = (await createMlKem768()).deriveKeyPair(latticeSeed);
  const publicKey = concat(latticePublic, await rawPoint(curve.publicKey));
  return { publicKey, keys: { latticeSeed, curve } };
}

/** The KEM as `CipherSuiteNative` calls it. */
export class XWing {
  id = 0x647a;

  /** @param {{ recipientPublicKey: Uint8Array }} to 1,216 bytes */
  async encap({ recipientPublicKey }) {
    const lattice = recipientPublicKey.slice(0, LATTICE_PUBLIC_BYTES);
    const recipientPoint = recipientPublicKey.slice(LATTICE_PUBLIC_BYTES);
    const ephemeral = await ephemeralKeys();
    const point = await rawPoint(ephemeral.publicKey);
    const shared = await exchange(ephemeral.privateKey, recipientPoint);
    const [ciphertext, secret] = (await createMlKem768()).encap(lattice);
    return {
      sharedSecret: combined(secret, shared, point, recipientPoint),
      enc: concat(ciphertext, point).buffer,
    };
  }

  /** @param {{ recipientKey: XWingKeys, enc: Uint8Array }} from 1,120 bytes */
  async decap({ recipientKey: { latticeSeed, curve }, enc }) {
    const point = enc.slice(LATTICE_CIPHERTEXT_BYTES);
    const shared = await exchange(curve.privateKey, point);
    const lattice = await createMlKem768();
    const [, latticeKey] = lattice.deriveKeyPair(latticeSeed);
    const secret = lattice.decap(enc.slice(0, LATTICE_CIPHERTEXT_BYTES), latticeKey);
    return combined(secret, shared, point, await rawPoint(curve.publicKey));
  }
}

/** @returns {Promise<CryptoKeyPair>} whose secret no script reads */
async function ephemeralKeys() {
  return /** @type {CryptoKeyPair} */ (
    await crypto.subtle.generateKey(X25519, false, ["deriveBits"])
  );
}

/** @param {CryptoKey} publicKey */
async function rawPoint(publicKey) {
  return new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
}

/** Fails for points of low order. @param {CryptoKey} secret @param {Uint8Array} point */
async function exchange(secret, point) {
  const theirs = await crypto.subtle.importKey("raw", point, X25519, true, []);
  return new Uint8Array(await crypto.subtle.deriveBits({ ...X25519, public: theirs }, secret, 256));
}

/** What both secrets, and the exchange's two points, make. @param {Uint8Array[]} parts */
function combined(...parts) {
  return sha3(concat(...parts, LABEL)).buffer;
}
