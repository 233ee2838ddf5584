/**
 * The receipt as a file that its owner keeps; it holds no answer and no private key.
 */

/**
 * One version of an answer: what was sent, and what the parties signed for it.
 * @param {import("./participations.js").Participation} participation
 */
export function versionOf({ body, commonDigest, sentAt, receipts }) {
  return {
    submission_id: body.submission_id,
    sequence: body.sequence,
    common_digest: commonDigest,
    sent_at: sentAt,
    receipts,
  };
}

/**
 * @param {import("./participations.js").Participation} participation
 * @returns {[string, string]} name and content
 */
export function receiptFile(participation) {
  const { studyId, configuration, recordId, body, earlier } = participation;
  const receipt = {
    format: "bj1 receipt",
    study_id: studyId,
    configuration,
    record_id: recordId,
    owner_key: body.owner_key,
    ...versionOf(participation),
    earlier,
  };
  return [`receipt-${recordId}.json`, `${JSON.stringify(receipt, null, 2)}\n`];
}
