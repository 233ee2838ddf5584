/**
 * Seal a challenge to the regulator's party and hand it in.
 */

import { fromHex, toBase64, toHex } from "../lib/bytes.js";
import { systemRandomness } from "../lib/random.js";
import { sealMessage } from "../lib/sealed.js";
import { postJson } from "../net/api.js";

/**
 * @param {string} address of the API
 * @param {{ certificate: any, layout: import("../lib/layout.js").EnvelopeLayout }} terms
 * @param {{ x: number[], decision: number, record: { body: string, signature: string } | {} }} claim
 * @returns {Promise<string>} the challenge's id, hex
 */
export async function sendChallenge(address, { certificate, layout }, { x, decision, record }) {
  const id = systemRandomness(16);
  const challengeId = toHex(id);
  const context = {
    purpose: "challenge",
    role: "regulator",
    studyId: layout.studyId,
    configDigest: layout.configDigest,
    keyId: fromHex(certificate.regulator_key_id),
    recordId: id,
  };
  const envelope = await sealMessage(context, fromHex(certificate.regulator_hpke_key), {
    format: "bj1 challenge",
    challenge_id: challengeId,
    certificate_id: certificate.id,
    x,
    decision,
    record,
  });
  await postJson(address, {
    challenge_id: challengeId,
    certificate_id: certificate.id,
    envelope: toBase64(envelope),
    source: "body" in record ? "record" : "typed",
  });
  return challengeId;
}
