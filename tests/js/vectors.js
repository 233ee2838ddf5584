/**
 * What the test files share to follow the vectors; nothing of it is part of the library.
 */

import { concat, fromHex, toBase64url } from "/static/js/lib/bytes.js";
import { hpkeOpen } from "/static/js/lib/hpke.js";
import { ownerKey } from "/static/js/lib/owner.js";

const HEADER_BYTES = 18;
const LATTICE_SEED_BYTES = 64;
const LATTICE_PUBLIC_BYTES = 1184;
const PKCS8_OF_X25519 = fromHex("302e020100300506032b656e04220420");
const X25519 = { name: "X25519" };
const ECDSA = { name: "ECDSA", namedCurve: "P-256" };

/** Randomness that gives out exactly the listed bytes. @param {string} hex */
export function listed(hex) {
  let rest = fromHex(hex);
  const random = (n) => {
    if (n > rest.length) throw new Error("more randomness is drawn than the vector lists");
    const taken = rest.slice(0, n);
    rest = rest.slice(n);
    return taken;
  };
  random.left = () => rest.length;
  return random;
}

/** The layout of a study as vectors state it. */
export function layoutOf(study) {
  return {
    studyId: fromHex(study.study_id),
    configDigest: fromHex(study.config_digest),
    categoryCounts: study.category_counts,
    dataHolder: study.data_holder,
    dataByFile: study.data_by_file,
    featureRanges: study.feature_ranges,
  };
}

/** A recipient's keys, as a browser that drew them would hold them. */
export async function keysOf({ private_key: secret, public_key: open }) {
  const [seed, point] = [fromHex(secret), fromHex(open).slice(LATTICE_PUBLIC_BYTES)];
  const pkcs8 = concat(PKCS8_OF_X25519, seed.slice(LATTICE_SEED_BYTES));
  const { subtle } = crypto;
  return {
    latticeSeed: seed.slice(0, LATTICE_SEED_BYTES),
    curve: {
      privateKey: await subtle.importKey("pkcs8", pkcs8, X25519, false, ["deriveBits"]),
      publicKey: await subtle.importKey("raw", point, X25519, true, []),
    },
  };
}

/** Open an HPKE ciphertext as its recipient would. */
export async function openSeal(key, info, sealed) {
  return hpkeOpen(await keysOf(key), info, sealed);
}

/** Open an envelope, its header left aside. */
export function openEnvelope(key, info, envelope) {
  return openSeal(key, info, envelope.slice(HEADER_BYTES));
}

/** An owner's key of the vectors, and how to check what it signs. */
export async function ownerOf(secretHex, publicHex) {
  const point = fromHex(publicHex);
  const [x, y, d] = [point.slice(1, 33), point.slice(33), fromHex(secretHex)].map(toBase64url);
  const jwk = { kty: "EC", crv: "P-256", x, y, d };
  const privateKey = await crypto.subtle.importKey("jwk", jwk, ECDSA, false, ["sign"]);
  const publicKey = await crypto.subtle.importKey("raw", point, ECDSA, false, ["verify"]);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  return {
    ownerKey: ownerKey(privateKey, point),
    verify: (signature, message) =>
      crypto.subtle.verify(algorithm, publicKey, signature, message),
  };
}
