/**
 * Seal a data-holder's table to its own party, signed, and hand it in.
 */

import { signApproval } from "../lib/approval.js";
import { toBase64, toHex } from "../lib/bytes.js";
import { canonicalJson } from "../lib/canonical.js";
import { decodeText } from "../lib/csv.js";
import { systemRandomness } from "../lib/random.js";
import { sealMessage } from "../lib/sealed.js";
import { postJson } from "../net/api.js";
import { approverFor } from "./approver.js";
import { readDataTable } from "./data_table.js";
import { problem } from "./problem.js";
import { announcedKey } from "./study_key.js";
import { readTerms } from "./terms.js";

/**
 * @param {any} data of the study's page
 * @param {File | undefined} file
 * @returns {Promise<import("./data_table.js").TableError[]>} what is wrong; empty if it was sent
 */
export async function uploadData(data, file) {
  if (!file) throw problem("no_file");
  const { configuration, layout } = await readTerms(data.configuration_text, data.configuration_digest);
  const { rows, errors } = readDataTable(decodeText(await file.arrayBuffer()), configuration);
  if (errors.length > 0) return errors;
  const approver = await approverFor(data.role, data.approvers);
  const body = canonicalJson({
    format: "bj1 data",
    study_id: data.study_id,
    configuration: data.configuration_digest,
    rows,
  });
  const approval = await signApproval(approver, "data", body);
  const key = await announcedKey(configuration, data.data_holder, data.keys[data.data_holder]);
  const uploadId = systemRandomness(16);
  const context = {
    purpose: "data",
    role: data.data_holder,
    studyId: layout.studyId,
    configDigest: layout.configDigest,
    keyId: key.keyId,
    recordId: uploadId,
  };
  const envelope = await sealMessage(context, key.publicKey, { body, approval });
  await postJson(data.urls.data, { upload_id: toHex(uploadId), envelope: toBase64(envelope) });
  return [];
}
