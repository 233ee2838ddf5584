/**
 * Seal a checked table to the data-holder's own party, and hand it in part by part.
 */

import { fill } from "../lib/addresses.js";
import { approverFor } from "../lib/approver.js";
import { toHex } from "../lib/bytes.js";
import { forgetUpload, keepUpload } from "../lib/kept_upload.js";
import { systemRandomness } from "../lib/random.js";
import { sealBytes } from "../lib/sealed.js";
import { announcedKey } from "../lib/study_key.js";
import { sendInParts } from "./upload.js";

/**
 * Sign and seal the table that `worker` checked; keep it in this browser until it has arrived.
 * @param {any} data of the study's page
 * @param {import("../lib/configuration.js").Study} study
 * @param {import("../lib/table_worker.js").TableWorker} worker
 * @returns {Promise<import("../lib/kept_upload.js").KeptUpload>}
 */
export async function sealTable(data, { configuration, layout }, worker) {
  const approver = await approverFor(data.role, data.approvers);
  const key = await announcedKey(configuration, data.data_holder, data.keys[data.data_holder]);
  const signing = { approver, studyId: data.study_id, digest: data.configuration_digest };
  const { message, nRows } = await worker.ask({ kind: "sign", ...signing });
  const uploadId = systemRandomness(16);
  const context = {
    purpose: /** @type {const} */ ("data"),
    role: data.data_holder,
    studyId: layout.studyId,
    configDigest: layout.configDigest,
    keyId: key.keyId,
    recordId: uploadId,
  };
  const envelope = await sealBytes(context, key.publicKey, message);
  const upload = { uploadId: toHex(uploadId), nRows, envelope };
  await keepUpload(data.urls.data, upload);
  return upload;
}

/**
 * Send a sealed table, or what has not arrived of it.
 * @param {any} data of the study's page
 * @param {import("../lib/kept_upload.js").KeptUpload} upload
 * @param {{ progress: (done: number, total: number) => void, waiting: (isLost: boolean) => void }} tell
 */
export async function sendTable(data, upload, tell) {
  const part = (number) =>
    fill(data.urls.data_part, { upload_id: upload.uploadId, number: String(number) });
  await sendInParts({ data: data.urls.data, part }, upload, tell);
  await forgetUpload(data.urls.data);
}
