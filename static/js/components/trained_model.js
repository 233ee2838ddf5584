/**
 * Open a trained model in the browser that asked for it: the party's signature, the seal, the
 * digest and the ids inside are checked before a file is offered.
 */

import { fill } from "../lib/addresses.js";
import { concat, fromBase64, fromHex, toHex, utf8 } from "../lib/bytes.js";
import { parseCanonical } from "../lib/canonical.js";
import { keyId, sha256 } from "../lib/digests.js";
import { problem } from "../lib/problem.js";
import { keptRecipient } from "../lib/recipient.js";
import { openMessage } from "../lib/sealed.js";
import { signedBy } from "../lib/signatures.js";
import { readTerms } from "../lib/terms.js";
import { getJson } from "../net/api.js";
import { saveFile } from "./files.js";
import { element } from "./page.js";
import { text } from "./texts.js";

/**
 * Open a model, save one of its files, and say how far it is from floating point.
 * @param {any} data of the study's page @param {string} modelId @param {"model" | "estimator"} which
 */
export async function saveTrainedModel(data, modelId, which) {
  const opened = await openTrainedModel(data, modelId);
  saveFile(`${which}-${modelId.slice(0, 8)}.json`, opened[which]);
  const { n_people: count, n_decided_differently: differ, largest_difference: largest } =
    opened.float_check;
  element("model-opened").textContent = text("model_opened", { count, differ, largest });
}

/** @param {any} data of the study's page @param {string} modelId @returns {Promise<any>} */
async function openTrainedModel(data, modelId) {
  const statement = await getJson(fill(data.urls.sealed_model, { model_id: modelId }));
  const { configuration, layout } = await readTerms(data.configuration_text, data.configuration_digest);
  const genuine = await signedBy(configuration.modeler.signing_key, "message", statement);
  if (genuine !== true) throw problem("sealed_model_not_genuine");
  const sealed = parseCanonical(statement.body);
  const recipient = await keptRecipient(data.study_id);
  if (recipient === null || recipient.publicKey !== sealed.recipient) {
    throw problem("recipient_elsewhere");
  }
  const named = [sealed.kind, sealed.role, sealed.study_id, sealed.model_id].join();
  if (named !== ["model_sealed", "modeler", data.study_id, modelId].join()) {
    throw problem("sealed_model_not_genuine");
  }
  const context = {
    purpose: "trained-model",
    role: "modeler",
    studyId: layout.studyId,
    configDigest: layout.configDigest,
    keyId: await keyId(fromHex(sealed.recipient)),
    recordId: fromHex(modelId),
    submissionId: fromHex(sealed.job_id),
  };
  const plaintext = await openMessage(context, recipient.keys, fromBase64(sealed.envelope));
  const digest = await sha256(concat(utf8("blindjustice/v1/trained model\0"), plaintext));
  const opened = parseCanonical(new TextDecoder("utf-8", { fatal: true }).decode(plaintext));
  const fits = ["job_id", "study_id", "model_id"].every((name) => opened[name] === sealed[name]);
  if (toHex(digest) !== sealed.digest || opened.format !== "bj1 trained model" || !fits) {
    throw problem("sealed_model_not_genuine");
  }
  return opened;
}
