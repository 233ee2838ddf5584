/**
 * Seal a challenge to the regulator's party and hand it in.
 */

import { toBase64, toHex } from "../lib/bytes.js";
import { systemRandomness } from "../lib/random.js";
import { sealMessage } from "../lib/sealed.js";
import { postJson } from "../net/api.js";
import { announcedKey } from "./study_key.js";

/**
 * @param {string} address of the API
 * @param {{ certificate: any, configuration: any, layout: import("../lib/layout.js").EnvelopeLayout }} terms
 * @param {{ x: number[], decision: number, record: { body: string, signature: string } | {} }} claim
 * @returns {Promise<string>} the challenge's id, hex
 */
export async function sendChallenge(address, terms, { x, decision, record }) {
  const { certificate, configuration, layout } = terms;
  const key = await announcedKey(configuration, "regulator", certificate.regulator_key);
  const id = systemRandomness(16);
  const challengeId = toHex(id);
  const context = {
    purpose: "challenge",
    role: "regulator",
    studyId: layout.studyId,
    configDigest: layout.configDigest,
    keyId: key.keyId,
    recordId: id,
  };
  const envelope = await sealMessage(context, key.publicKey, {
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
