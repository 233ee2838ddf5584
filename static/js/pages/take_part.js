/**
 * The page a person answers on. Her choices exist in the form and in `prepareSubmission`; what
 * leaves or is stored is sealed.
 */

import { readAnswers } from "../components/answer_form.js";
import { whileBusy } from "../components/busy.js";
import { browserIsAble } from "../components/capability.js";
import { saveFile } from "../components/files.js";
import { showReadings } from "../components/number_fields.js";
import { element } from "../components/page.js";
import { showProblem } from "../components/problem.js";
import { showReceipts, showUnsent } from "../components/receipt_panel.js";
import { showSplit } from "../components/split_table.js";
import { fill } from "../lib/addresses.js";
import { toHex } from "../lib/bytes.js";
import { parseInvitation } from "../lib/invitation.js";
import { ownerKeyFor, rememberedSubmissions, rememberSubmission } from "../lib/owner.js";
import { forgetParticipation, keepParticipation, participationsIn } from "../lib/participations.js";
import { problem } from "../lib/problem.js";
import { receiptFile, versionOf } from "../lib/receipt_file.js";
import { judge } from "../lib/receipts.js";
import { nextSequence } from "../lib/sequence.js";
import { readTerms } from "../lib/terms.js";
import { getJson, postJson } from "../net/api.js";
import { pageData } from "../net/page_data.js";

const POLL_MS = 1500;
const LONGEST_POLL_MS = 20_000;
const data = pageData();
const form = document.getElementById("answer-form");
/** What splits and seals; it is fetched when she begins to answer. */
const sealing = () => import("../lib/sharing.js");

/** @type {import("../lib/configuration.js").Study} */
let study;
/** @type {import("../lib/invitation.js").Invitation} */
let invitation;
/** @type {import("../components/participations.js").Participation | null} */
let participation = null;
let polling = 0;

async function begin() {
  if (!(await browserIsAble())) return;
  if (form === null) return offerKeptReceipt();
  try {
    study = await readTerms(data.configuration_text, data.configuration_digest);
  } catch (error) {
    form.replaceChildren(element("send-problem"));
    form.hidden = false;
    return showProblem(element("send-problem"), error);
  }
  wire();
  await openInvitation();
}

/** The part of the address behind "#" unless it only leads to the list of questions. */
function invitationHash() {
  return location.hash === "#region-questions" ? "" : location.hash;
}

/** Take the invitation from the address, or ask for the whole link. */
async function openInvitation() {
  const kept = await participationsIn(data.study_id);
  const fragment = invitationHash() || (kept.length === 1 ? kept[0].fragment : "");
  try {
    invitation = parseInvitation(fragment);
  } catch {
    element("need-invitation").hidden = false;
    return;
  }
  element("need-invitation").hidden = true;
  const recordId = toHex(invitation.recordId);
  participation = kept.find((one) => one.recordId === recordId) ?? null;
  if (participation !== null) return resume();
  if ((await submissionsOf(recordId)).some(stands)) showAnsweredElsewhere();
  else showForm(false);
}

/** What the site has for a record; empty if it can't be reached. @param {string} recordId @returns {Promise<any[]>} */
async function submissionsOf(recordId) {
  const address = fill(data.record_url, { record_id: recordId });
  const { submissions } = await getJson(address).catch(() => ({ submissions: [] }));
  return submissions;
}

/** Whether an answer counts or still may: only its own browser can replace it. @param {any} submission */
function stands({ receipts, refusals }) {
  return receipts.length > 0 || refusals.length === 0;
}

/** The answer of another browser came first: nothing that this one sealed can count. */
function showAnsweredElsewhere() {
  clearTimeout(polling);
  for (const id of ["answer-form", "receipt", "need-invitation"]) element(id).hidden = true;
  element("answered-elsewhere").hidden = false;
  element("answered-elsewhere").scrollIntoView({ block: "nearest" });
}

/** Show how an answer given earlier in this browser stands. */
async function resume() {
  await follow();
  if (!participation.sent && element("receipt").dataset.standing === "waiting") offerToSendAgain();
}

function offerToSendAgain() {
  clearTimeout(polling);
  showUnsent(participation);
  element("send-again").hidden = false;
  element("replace-answer").hidden = false;
}

/** @param {boolean} replacing */
function showForm(replacing) {
  form.hidden = false;
  element("cancel-replace").hidden = !replacing;
}

async function sealAndSend() {
  const asksData = !study.layout.dataByFile;
  const answers = readAnswers(form, study.configuration, asksData);
  if (answers === null) return;
  participation = await seal(answers);
  form.reset();
  await send();
}

/** @template T @param {() => Promise<T>} fetchIt @returns {Promise<T>} */
async function loaded(fetchIt) {
  try {
    return await fetchIt();
  } catch {
    throw problem("no_network");
  }
}

/** @param {import("../components/answer_form.js").Answers} answers */
async function seal(answers) {
  const recordId = toHex(invitation.recordId);
  const ownerKey = await ownerKeyFor(data.study_id, recordId);
  const earlier = await rememberedSubmissions(data.study_id, recordId);
  const { prepareSubmission, submissionBody } = await loaded(sealing);
  const prepared = await prepareSubmission(study.layout, {
    ...answers,
    recordId: invitation.recordId,
    invitationCode: invitation.code,
    sequence: nextSequence(earlier),
    ownerKey,
    partyKeys: study.partyKeys,
  });
  const body = submissionBody(prepared);
  const commonDigest = toHex(prepared.commonDigest);
  const { submission_id: submissionId, sequence } = body;
  await rememberSubmission(data.study_id, recordId, { submissionId, sequence, commonDigest });
  const sealed = {
    studyId: data.study_id,
    configuration: data.configuration_digest,
    recordId,
    title: study.configuration.title,
    fragment: invitationHash() || participation?.fragment,
    sentAt: new Date().toISOString(),
    body,
    commonDigest,
    sent: false,
    receipts: [],
    earlier: participation === null ? [] : [versionOf(participation), ...participation.earlier],
  };
  await keepParticipation(sealed);
  return sealed;
}

/** Hand the sealed submission in; if that fails it stays in this browser and can be sent again. */
async function send() {
  try {
    await postJson(data.submit_url, participation.body);
  } catch (error) {
    return unsent(error);
  }
  participation.sent = true;
  await keepParticipation(participation);
  form.hidden = true;
  showProblem(element("receipt-problem"), null);
  await follow();
  element("receipt").scrollIntoView({ block: "start" });
}

/** What she can do depends on why it was not taken. @param {any} error */
async function unsent(error) {
  if (error.code === "OWNER_KEY_CHANGED") {
    await forgetParticipation(participation);
    participation = null;
    return showAnsweredElsewhere();
  }
  if (error.code === "SEQUENCE_TAKEN" || error.code === "SUBMISSION_DOUBLED") {
    element("receipt").hidden = true;
    showForm(false);
    return showProblem(element("send-problem"), error);
  }
  form.hidden = true;
  offerToSendAgain();
  showProblem(element("receipt-problem"), error);
}

/** Ask for receipts until both parties have spoken, ever less often. */
async function follow(pause = POLL_MS) {
  clearTimeout(polling);
  const { recordId, body } = participation;
  const submissions = await submissionsOf(recordId);
  const submission = submissions.find((one) => one.submission_id === body.submission_id);
  const judgements = {};
  for (const role of ["modeler", "regulator"]) {
    const { signing_key: signingKey } = study.configuration[role];
    judgements[role] = await judge(role, submission, participation, signingKey);
  }
  const standing = showReceipts(participation, judgements);
  element("show-receipt").href = fill(data.receipt_url, { record_id: recordId });
  element("show-receipt").hidden = !submission;
  element("replace-answer").hidden = false;
  element("send-again").hidden = true;
  if (submission) participation.sent = true;
  participation.receipts = Object.values(judgements).flatMap(({ receipt }) => receipt ?? []);
  await keepParticipation(participation);
  if (standing === "waiting") {
    polling = setTimeout(follow, pause, Math.min(1.3 * pause, LONGEST_POLL_MS));
  }
}

function wire() {
  const fetchEarly = () => sealing().catch(() => null); // sending tries again, and says what failed
  form.addEventListener("focusin", fetchEarly, { once: true });
  form.addEventListener("change", fetchEarly, { once: true }); // some browsers focus no choice
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    whileBusy(element("send-answer"), element("send-problem"), sealAndSend);
  });
  showReadings(form, study.configuration);
  form.addEventListener("change", () => element("split-fold").open && redrawSplit());
  element("split-fold").addEventListener("toggle", redrawSplit);
  element("split-again").addEventListener("click", redrawSplit);
  element("send-again").addEventListener("click", () =>
    whileBusy(element("send-again"), element("receipt-problem"), send),
  );
  element("replace-answer").addEventListener("click", () => {
    clearTimeout(polling);
    showForm(true);
    element("answer-title").scrollIntoView({ block: "start" });
    form.querySelector("input").focus({ preventScroll: true });
  });
  element("cancel-replace").addEventListener("click", () => {
    form.reset();
    form.hidden = true;
    follow();
  });
  element("invitation-open").addEventListener("click", pasteInvitation);
  element("save-receipt").addEventListener("click", () =>
    saveFile(...receiptFile(participation)),
  );
  element("save-terms").hidden = false;
  element("save-terms").addEventListener("click", () =>
    saveFile(`terms-${data.study_id}.json`, data.configuration_text),
  );
  addEventListener("hashchange", () => location.reload());
}

function redrawSplit() {
  showSplit(form, element("split-table"));
}

function pasteInvitation() {
  const { value } = element("invitation-link");
  const fragment = value.slice(value.indexOf("#")).trim();
  try {
    parseInvitation(fragment);
  } catch {
    element("invitation-error").hidden = false;
    element("invitation-link").setAttribute("aria-invalid", "true");
    return;
  }
  location.hash = fragment;
}

/** The study is closed: only what this browser already holds can be saved. */
async function offerKeptReceipt() {
  const [kept] = await participationsIn(data.study_id);
  if (!kept) return;
  element("receipt").hidden = false;
  element("show-receipt").href = fill(data.receipt_url, { record_id: kept.recordId });
  element("save-receipt").addEventListener("click", () => saveFile(...receiptFile(kept)));
}

await begin();
