/**
 * What the test files share to follow the vectors; nothing of it is part of the library.
 */

import { fromHex, toBase64url } from "/static/js/lib/bytes.js";
import { suite } from "/static/js/lib/hpke.js";
import { ownerKey } from "/static/js/lib/owner.js";

const HEADER_BYTES = 18;
const ENC_BYTES = 32;
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

/** Open an HPKE ciphertext as its recipient would. */
export async function openSeal(privateKeyHex, info, sealed) {
  const recipientKey = await suite.kem.importKey("raw", fromHex(privateKeyHex), false);
  const enc = sealed.slice(0, ENC_BYTES);
  return new Uint8Array(await suite.open({ recipientKey, enc, info }, sealed.slice(ENC_BYTES)));
}

/** Open an envelope, its header left aside. */
export function openEnvelope(privateKeyHex, info, envelope) {
  return openSeal(privateKeyHex, info, envelope.slice(HEADER_BYTES));
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
