/**
 * Read, then sign: a proposal's text is fetched afresh, checked to be what the page says it is,
 * shown, and only then signed with the approval key of this browser.
 */

import { fill } from "../lib/addresses.js";
import { signApproval } from "../lib/approval.js";
import { approverFor } from "../lib/approver.js";
import { fromHex, toHex, utf8 } from "../lib/bytes.js";
import { parseCanonical } from "../lib/canonical.js";
import { configurationDigest } from "../lib/configuration.js";
import { keyId, sha256 } from "../lib/digests.js";
import { problem } from "../lib/problem.js";
import { keptRecipient } from "../lib/recipient.js";
import { getJson, postJson } from "../net/api.js";
import { element, make } from "./page.js";
import { hasText, text } from "./texts.js";

/**
 * @param {any} data of the study's page
 * @param {string} proposalId
 * @returns {Promise<boolean>} whether it was signed
 */
export async function readAndSign(data, proposalId) {
  const approver = await approverFor(data.role, data.approvers);
  const proposal = await getJson(fill(data.urls.proposal, { proposal_id: proposalId }));
  const body = await checked(proposal, data);
  if (!(await agreed(proposal, body))) return false;
  const { key_id, signature } = await signApproval(approver, proposal.kind, proposal.text);
  await postJson(fill(data.urls.approve, { proposal_id: proposalId }), { key_id, signature });
  return true;
}

/**
 * Read several certifications in one dialog, then sign each text by itself.
 * @param {any} data of the study's page
 * @param {string[]} proposalIds
 * @returns {Promise<boolean>} whether they were signed
 */
export async function readAndSignAll(data, proposalIds) {
  const approver = await approverFor(data.role, data.approvers);
  const proposals = [];
  for (const proposal_id of proposalIds) {
    const proposal = await getJson(fill(data.urls.proposal, { proposal_id }));
    if (proposal.kind !== "certification") throw problem("proposal_differs");
    proposals.push({ ...proposal, body: await checked(proposal, data) });
  }
  const { record_set } = proposals[0].body;
  if (proposals.some(({ body }) => body.record_set !== record_set)) throw problem("proposal_differs");
  proposals.sort(byModel);
  element("sign-title").textContent = text("sign_all_title", { count: proposals.length });
  element("sign-sentence").textContent = text("sign_certifications");
  show(batchFacts(proposals), proposals.map(({ text: signed }) => signed).join("\n\n"));
  if (!(await answered(element("sign-dialog"), "sign"))) return false;
  for (const { id, kind, text: signed } of proposals) {
    const { key_id, signature } = await signApproval(approver, kind, signed);
    await postJson(fill(data.urls.approve, { proposal_id: id }), { key_id, signature });
  }
  return true;
}

/** The same order for whoever signs: by name, then by id. @param {any} one @param {any} other */
function byModel(one, other) {
  const byName = one.model_name.localeCompare(other.model_name, "en", { numeric: true });
  return byName || (one.body.model_id < other.body.model_id ? -1 : 1);
}

/** What is said of each certification, and once what is said of all. @param {any[]} proposals @returns {string[][]} */
function batchFacts(proposals) {
  const isShared = ({ label, text: said }) =>
    proposals.every(({ says }) => says.some((row) => row.label === label && row.text === said));
  const [{ says, body }] = proposals;
  return [
    ...proposals.flatMap((each) => asRows(each.says.filter((row) => !isShared(row)))),
    ...asRows(says.filter(isShared)),
    ...proposals.map((each) => [text("fact_id_of", { name: each.model_name }), each.body.model_id, "hash"]),
    [text("fact_record_set"), body.record_set, "hash"],
  ];
}

/** @param {{ label: string, text: string }[]} says @returns {string[][]} */
function asRows(says) {
  return says.map(({ label, text: said }) => [label, said]);
}

/** Fill the dialog's facts and text. @param {string[][]} rows @param {string} signed */
function show(rows, signed) {
  element("sign-facts").replaceChildren(
    ...rows.flatMap(([label, value, className = ""]) => [
      make("dt", {}, label),
      make("dd", { className }, value),
    ]),
  );
  element("sign-text").textContent = signed;
  element("sign-fold").open = false;
}

/** @param {any} proposal @param {any} data @returns {Promise<any>} the parsed text */
async function checked({ kind, text: signed, digest }, data) {
  const body = parseCanonical(signed);
  const isConfiguration = kind === "configuration";
  const own = isConfiguration ? await configurationDigest(signed) : await sha256(utf8(signed));
  const fits = isConfiguration
    ? body.format === "bj2 configuration"
    : body.format === "bj1 job" &&
      body.kind === kind &&
      body.configuration === data.configuration_digest;
  if (!fits || toHex(own) !== digest || body.study_id !== data.study_id) {
    throw problem("proposal_differs");
  }
  if (kind === "training" && data.role === "modeler") await requireRecipient(body, data);
  return body;
}

/** A model goes to a key that this browser holds: the site could name one of its own. */
async function requireRecipient({ recipient }, { study_id: study }) {
  if ((await keptRecipient(study))?.publicKey !== recipient) throw problem("recipient_not_here");
}

/** @param {any} proposal @param {any} body @returns {Promise<boolean>} */
async function agreed({ kind, text: signed, digest, says }, body) {
  const { recipient } = body;
  const shown = recipient ? { ...body, recipient: toHex(await keyId(fromHex(recipient))) } : body;
  return agreedTo(kind, [...asRows(says), ...facts(kind, shown, digest)], signed);
}

/**
 * Show what signing a text means and wait for the answer.
 * @param {string} kind whose title and sentence the page has @param {string[][]} rows @param {string} signed
 * @returns {Promise<boolean>}
 */
export function agreedTo(kind, rows, signed) {
  element("sign-title").textContent = text(`sign_${kind}_title`);
  element("sign-sentence").textContent = text(`sign_${kind}`);
  show(rows, signed);
  return answered(element("sign-dialog"), "sign");
}

/** Of which kind a study is that certifies, and of how many models. @param {any} body @returns {string[][]} */
function kindFacts({ data_holder, policy }) {
  if (data_holder === "modeler") return [];
  return [
    [text("fact_kind"), text(`word_${policy.kind}`)],
    [text("fact_questions"), String(policy.questions)],
  ];
}

/** What the text to be signed says by itself. @param {string} kind @param {any} body @param {string} digest @returns {string[][]} */
function facts(kind, body, digest) {
  const rows = [[text("fact_digest"), digest, "hash"]];
  if (kind === "configuration") {
    const { policy, attributes, features, label } = body;
    const decisions = { yes: label.favourable, no: label.unfavourable };
    rows.unshift(
      [text("fact_attributes"), attributes.map(({ title }) => title).join(", ")],
      [text("fact_features"), String(features.length)],
      ...kindFacts(body),
      ...policy.criteria.map(({ criterion, thresholds, certify_at }) => [
        text(`word_${criterion}`),
        text("fact_limits", {
          asked: text(`asks_${criterion}`, { limit: certify_at, ...decisions }),
          thresholds: thresholds.join(", "),
        }),
      ]),
      [text("fact_comparison"), text(`word_${policy.comparison}`)],
      [text("fact_minima"), `${policy.minimum_group}, ${policy.minimum_answers}`],
      ...groupFacts(policy, attributes),
      [text("fact_question_bits"), String(body.question_bits_limit)],
    );
  } else {
    if (kind === "training") rows.unshift(...trainingFacts(body.training));
    for (const name of ["model_id", "recipient", "record_set", "created_at"]) {
      if (body[name] && hasText(`fact_${name}`)) {
        rows.unshift([text(`fact_${name}`), String(body[name]), "hash"]);
      }
    }
  }
  return rows;
}

/** Which groups a policy compares, and under which floors, from the text to be signed. @param {any} policy @param {any[]} attributes @returns {string[][]} */
function groupFacts(policy, attributes) {
  const titles = new Map(attributes.map(({ name, title }) => [name, title]));
  const crossed = (names) => names.map((name) => titles.get(name) ?? name).join(" × ");
  return [
    [text("fact_groups"), policy.groups.map(crossed).join(", ")],
    [text("fact_minimum_decided"), String(policy.minimum_decided)],
    [text("fact_minimum_percent"), policy.minimum_percent],
    [text("fact_small_groups"), text(`word_${policy.small_groups}`)],
    [text("fact_missing_answers"), text(`word_${policy.missing_answers}`)],
  ];
}

/** The settings of a training. @param {any} training @returns {string[][]} */
function trainingFacts({ points, steps }) {
  return [
    [text("fact_points"), points.map((bounds) => [...new Set(bounds)].join(", ")).join("; ")],
    [text("fact_steps"), String(steps)],
  ];
}

/**
 * Show a dialog and wait for how it is closed.
 * @param {HTMLDialogElement} dialog @param {string} yes the value that means agreement
 * @returns {Promise<boolean>}
 */
export function answered(dialog, yes) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === yes), { once: true });
  });
}
