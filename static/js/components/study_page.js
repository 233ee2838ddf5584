/**
 * A study's page, the same for modeler and regulator: what a button may do is the server's word,
 * what is signed is signed here.
 */

import { drawAll } from "../charts/figure.js";
import { fill } from "../lib/addresses.js";
import { signApproval } from "../lib/approval.js";
import { approverFor } from "../lib/approver.js";
import { canonicalJson } from "../lib/canonical.js";
import { problem } from "../lib/problem.js";
import { recipientFor } from "../lib/recipient.js";
import { postJson } from "../net/api.js";
import { invite } from "../net/invitations.js";
import { keepLive } from "./live.js";
import { pageData } from "../net/page_data.js";
import { siteTime } from "../net/site_clock.js";
import { takeOver } from "../net/takeover.js";
import { noticeMissingKey } from "./approver.js";
import { whileBusy } from "./busy.js";
import { followContents } from "./contents.js";
import { connectDataPanel, showDataPanel } from "./data_panel.js";
import { saveFile } from "./files.js";
import { offerLinks, registerKeptLinks, showKeptLinks } from "./invitation_links.js";
import { element } from "./page.js";
import { agreedTo, answered, readAndSign, readAndSignAll } from "./sign_dialog.js";
import { text } from "./texts.js";
import { saveTrainedModel } from "./trained_model.js";

/** What each button of the live part does. @type {Record<string, (button: HTMLElement) => Promise<any>>} */
const ACTS = {
  submit: () => postJson(pageData().urls.submit, {}),
  sign: ({ dataset }) => readAndSign(pageData(), dataset.proposal),
  decline: ({ dataset }) => decline(dataset.proposal),
  close: () => proposeAndSign(pageData().urls.closing, {}),
  certify: ({ dataset }) =>
    proposeAndSign(pageData().urls.certifications, { model_id: dataset.model }),
  certifyAll: ({ dataset }) => certifyAll(dataset.models.split(" ")),
  signAll: ({ dataset }) => readAndSignAll(pageData(), dataset.proposals.split(" ")),
  takeOver: () => takeOver(pageData(), chosenToTakeOver()),
  useLadder: async () => useLadder(),
  train: async () => proposeAndSign(pageData().urls.trainings, await readTraining()),
  open: ({ dataset }) => saveTrainedModel(pageData(), dataset.model, dataset.file),
  deploy: ({ dataset }) => deploy(dataset),
  revoke: ({ dataset }) => revoke(dataset.certificate),
  invite: () => makeLinks(),
  terms: async () => saveFile("configuration.json", pageData().configuration_text),
};

/** Put a proposal up, and sign it at once if its proposer wants to. @param {string} address @param {any} body */
async function proposeAndSign(address, body) {
  const { id } = await postJson(address, body);
  await readAndSign(pageData(), id);
}

/** Put each model up, then sign all at once. @param {string[]} models */
async function certifyAll(models) {
  const proposals = [];
  for (const model of models) {
    const { id } = await postJson(pageData().urls.certifications, { model_id: model });
    proposals.push(id);
  }
  await readAndSignAll(pageData(), proposals);
}

/** Make links and offer them; whatever happens meanwhile, the page shows what is kept. */
async function makeLinks() {
  try {
    offerLinks(await invite(pageData(), element("invitation-count").value));
  } catch (error) {
    await showKeptLinks();
    throw error;
  }
}

/** @returns {string[]} ids of the trained models that are ticked */
function chosenToTakeOver() {
  return [...document.querySelectorAll("[data-take-over]:checked")].map(({ value }) => value);
}

/** Put the values of the chosen ladder into every field of c. */
function useLadder() {
  const { values } = element("training-target").selectedOptions[0].dataset;
  for (const field of document.querySelectorAll("#region-training [data-bound]")) field.value = values;
}

/**
 * The settings of a training, as the form has them: the k-th value of each field is point k. And
 * this browser's key for the models.
 */
async function readTraining() {
  const fields = [...document.querySelectorAll("#region-training [data-bound]")];
  const values = fields.map(({ value }) => value.trim().split(/[\s;]+/));
  const length = Math.max(...values.map((each) => each.length));
  if (values.some((each) => each.length !== 1 && each.length !== length)) {
    throw problem("sweep_lengths");
  }
  const points = Array.from({ length }, (_, point) => values.map((each) => each[point] ?? each[0]));
  const { publicKey } = await recipientFor(pageData().study_id);
  return {
    preset: element("training-preset").value,
    constraint: element("training-constraint").value,
    steps: Number(element("training-steps").value),
    batch_size: Number(element("training-batch").value),
    points,
    output_frac_bits: Number(element("training-output").value),
    recipient: publicKey,
  };
}

/** @param {string} proposalId */
async function decline(proposalId) {
  element("decline-reason").value = "";
  if (!(await answered(element("decline-dialog"), "decline"))) return;
  const reason = element("decline-reason").value.trim();
  await postJson(fill(pageData().urls.decline, { proposal_id: proposalId }), { reason });
}

/** Read, then sign: the model's name and how it was judged are on its button. @param {DOMStringMap} button */
async function deploy({ model: modelId, name, judged }) {
  const data = pageData();
  const approver = await approverFor(data.role, data.approvers);
  const deployment = canonicalJson({
    format: "bj1 deployment",
    study_id: data.study_id,
    model_id: modelId,
    deployed_at: await siteTime(data.urls.clock),
  });
  const rows = [
    [text("fact_model"), name],
    [text("fact_judged"), judged],
    [text("fact_model_id"), modelId, "hash"],
  ];
  if (!(await agreedTo("deployment", rows, deployment))) return;
  const { key_id, signature } = await signApproval(approver, "deployment", deployment);
  const address = fill(data.urls.deploy, { model_id: modelId });
  await postJson(address, { text: deployment, key_id, signature });
}

/** Ask why, then sign and send. @param {string} certificateId */
async function revoke(certificateId) {
  const data = pageData();
  const approver = await approverFor(data.role, data.approvers);
  element("revoke-reason").value = "";
  if (!(await answered(element("revoke-dialog"), "revoke"))) return;
  const revocation = canonicalJson({
    format: "bj1 revocation",
    certificate_id: certificateId,
    reason: element("revoke-reason").value.trim().replace(/\s+/g, " "),
    revoked_at: await siteTime(data.urls.clock),
  });
  const { key_id, signature } = await signApproval(approver, "revocation", revocation);
  const address = fill(data.urls.revoke, { certificate_id: certificateId });
  await postJson(address, { text: revocation, key_id, signature });
}

/** Bring the page to life. */
export async function runStudyPage() {
  const live = element("live");
  live.addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-act]");
    if (button === null) return;
    whileBusy(button, element("study-problem"), async () => {
      await ACTS[button.dataset.act](button);
      await refresh();
    });
  });
  const showContents = followContents(element("contents"));
  const refresh = keepLive(live, () => {
    showDataPanel();
    drawAll();
    showContents();
  });
  element("register-links").addEventListener("click", ({ currentTarget }) =>
    whileBusy(currentTarget, element("study-problem"), registerKeptLinks),
  );
  connectDataPanel(refresh);
  drawAll();
  const { role, approvers } = pageData();
  await noticeMissingKey(role, approvers);
  await showKeptLinks();
}
