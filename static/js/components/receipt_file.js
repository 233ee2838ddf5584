/**
 * The receipt as a file that its owner keeps; it holds no answer and no private key.
 */

/**
 * @param {import("./participations.js").Participation} participation
 * @returns {[string, string]} name and content
 */
export function receiptFile({ studyId, configuration, recordId, body, commonDigest, sentAt, receipts }) {
  const receipt = {
    format: "bj1 receipt",
    study_id: studyId,
    configuration,
    record_id: recordId,
    submission_id: body.submission_id,
    sequence: body.sequence,
    common_digest: commonDigest,
    owner_key: body.owner_key,
    sent_at: sentAt,
    receipts,
  };
  return [`receipt-${recordId}.json`, `${JSON.stringify(receipt, null, 2)}\n`];
}
