/**
 * Hand in a model: checked, signed and sealed in this browser for the modeler's own party.
 */

import { noticeMissingKey } from "../components/approver.js";
import { whileBusy } from "../components/busy.js";
import { browserIsAble } from "../components/capability.js";
import { chosenText, saveFile } from "../components/files.js";
import { sayBeside } from "../components/number_fields.js";
import { element } from "../components/page.js";
import { showProblem } from "../components/problem.js";
import { text } from "../components/texts.js";
import { signApproval } from "../lib/approval.js";
import { approverFor } from "../lib/approver.js";
import { toBase64, toHex } from "../lib/bytes.js";
import { checkModel } from "../lib/model_file.js";
import { problem } from "../lib/problem.js";
import { systemRandomness } from "../lib/random.js";
import { sealMessage } from "../lib/sealed.js";
import { announcedKey } from "../lib/study_key.js";
import { readTerms } from "../lib/terms.js";
import { postJson } from "../net/api.js";
import { pageData } from "../net/page_data.js";

const data = pageData();
const terms = () => readTerms(data.configuration_text, data.configuration_digest);

/** Return the chosen file's text if it is a complete model of this study. */
async function chosenModel() {
  const content = await chosenText(element("model-file"));
  if (content === null) throw problem("model_no_file");
  const { configuration } = await terms();
  checkModel(content, configuration, data.configuration_digest);
  return content;
}

async function check() {
  element("model-summary").textContent = "";
  showProblem(element("model-problem"), null);
  try {
    await chosenModel();
    const { configuration } = await terms();
    const count = configuration.features.length;
    element("model-summary").textContent = text("model_ready", { count });
  } catch (error) {
    showProblem(element("model-problem"), error);
  }
}

async function send() {
  const name = element("model-name").value.trim();
  sayBeside(element("model-name"), name ? "" : element("error-model-name").textContent);
  if (!name) return element("model-name").focus();
  const body = await chosenModel();
  const approver = await approverFor("modeler", data.approvers);
  const approval = await signApproval(approver, "model", body);
  const { configuration, layout } = await terms();
  const key = await announcedKey(configuration, "modeler", data.modeler_key);
  const modelId = systemRandomness(16);
  const context = {
    purpose: "model",
    role: "modeler",
    studyId: layout.studyId,
    configDigest: layout.configDigest,
    keyId: key.keyId,
    recordId: modelId,
  };
  const envelope = await sealMessage(context, key.publicKey, { body, approval });
  const sealed = { model_id: toHex(modelId), name, envelope: toBase64(envelope) };
  await postJson(data.models_url, sealed);
  location.assign(data.detail_url);
}

/** A file to start from: every coefficient 0. */
async function showExample() {
  const { configuration } = await terms();
  const coefficients = Object.fromEntries(configuration.features.map(({ name }) => [name, "0.0"]));
  const example = {
    format: "bj1 model",
    configuration: data.configuration_digest,
    intercept: "0.0",
    coefficients,
  };
  element("model-example").textContent = JSON.stringify(example, null, 2);
}

element("save-configuration").addEventListener("click", () =>
  saveFile("configuration.json", data.configuration_text),
);
if (await browserIsAble()) {
  element("model-form").hidden = false;
  element("model-file").addEventListener("change", check);
  element("model-form").addEventListener("submit", (event) => {
    event.preventDefault();
    whileBusy(element("send-model"), element("model-problem"), send);
  });
  await noticeMissingKey("modeler", data.approvers);
  await showExample();
}
