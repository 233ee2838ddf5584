/**
 * Judge what the parties say about a submission: does each receipt name exactly what this browser
 * sent, under a signature of the party that the study's terms name?
 *
 * @typedef {"modeler" | "regulator"} Role
 * @typedef {"waiting" | "held" | "refused" | "differs"} Standing
 * @typedef {{ standing: Standing, checked: boolean, sentence: string, receipt: any }} Judgement
 */

import { parseCanonical } from "./canonical.js";
import { signedBy } from "./signatures.js";

/**
 * @param {Role} role
 * @param {any} submission as the API lists it: `{submission_id, sequence, receipts, refusals}`
 * @param {{ studyId: string, recordId: string, commonDigest: string }} sent
 * @param {string} signingKey hex, of the party
 * @returns {Promise<Judgement>}
 */
export async function judge(role, submission, sent, signingKey) {
  const receipt = submission?.receipts.find((one) => one.role === role) ?? null;
  const refusal = submission?.refusals.find((one) => one.role === role) ?? null;
  if (receipt !== null) {
    const genuine = await signedBy(signingKey, "message", receipt);
    const held = genuine !== false && names(receipt.body, role, submission, sent);
    return { standing: held ? "held" : "differs", checked: genuine === true, sentence: "", receipt };
  }
  if (refusal !== null) {
    return { standing: "refused", checked: false, sentence: refusal.sentence, receipt: null };
  }
  return { standing: "waiting", checked: false, sentence: "", receipt: null };
}

/** @param {string} text @param {Role} role @param {any} submission @param {any} sent */
function names(text, role, submission, sent) {
  const body = parseCanonical(text);
  return (
    body.kind === "receipt" &&
    body.role === role &&
    body.study_id === sent.studyId &&
    body.record_id === sent.recordId &&
    body.submission_id === submission.submission_id &&
    body.sequence === submission.sequence &&
    body.common_digest === sent.commonDigest
  );
}
