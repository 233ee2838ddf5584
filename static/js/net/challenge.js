/**
 * Seal a challenge to the regulator's party and hand it in.
 *
 * The same record always makes the same case, so that handing it in again shows the first one. Its
 * id comes from the record's signature, which nobody can guess from what the record says.
 */

import { toBase64, toHex } from "../lib/bytes.js";
import { caseId } from "../lib/case_id.js";
import { problem } from "../lib/problem.js";
import { systemRandomness } from "../lib/random.js";
import { announcedKey } from "../lib/study_key.js";
import { postJson } from "./api.js";

/**
 * @param {string} address of the API
 * @param {{ certificate: any, configuration: any, layout: import("../lib/layout.js").EnvelopeLayout }} terms
 * @param {{ x: number[], decision: number, record: { body: string, signature: string } | {} }} claim
 * @returns {Promise<string>} the challenge's id, hex
 */
export async function sendChallenge(address, terms, claim) {
  const { record } = claim;
  const id = "body" in record ? await caseId(record.signature) : systemRandomness(16);
  const { state } = await handIn(address, terms, claim, id);
  if (state !== "REFUSED" || !("body" in record)) return toHex(id);
  const fresh = systemRandomness(16); // the first case could not be read
  await handIn(address, terms, claim, fresh);
  return toHex(fresh);
}

/** @param {string} address @param {any} terms @param {any} claim @param {Uint8Array} id */
async function handIn(address, terms, { x, decision, record }, id) {
  const { certificate, configuration, layout } = terms;
  const key = await announcedKey(configuration, "regulator", certificate.regulator_key);
  const challengeId = toHex(id);
  const context = {
    purpose: "challenge",
    role: "regulator",
    studyId: layout.studyId,
    configDigest: layout.configDigest,
    keyId: key.keyId,
    recordId: id,
  };
  const { sealMessage } = await import("../lib/sealed.js").catch(() => {
    throw problem("no_network");
  });
  const envelope = await sealMessage(context, key.publicKey, {
    format: "bj1 challenge",
    challenge_id: challengeId,
    certificate_id: certificate.id,
    x,
    decision,
    record,
  });
  return postJson(address, {
    challenge_id: challengeId,
    certificate_id: certificate.id,
    envelope: toBase64(envelope),
    source: "body" in record ? "record" : "typed",
  });
}
