/**
 * Draft a study in a form or from a file; the server checks it and names every field at fault.
 */

import { whileBusy } from "../components/busy.js";
import { clearFaults, judgeName, showFaults } from "../components/draft_faults.js";
import { addAttribute, addFeature, fillDraft, readDraft } from "../components/draft_form.js";
import { chosenText, saveFile } from "../components/files.js";
import { element, make } from "../components/page.js";
import { connectPolicyEditor, firstFault } from "../components/policy_editor.js";
import { inWords } from "../components/problem.js";
import { connectSchema } from "../components/schema_form.js";
import { fill } from "../lib/addresses.js";
import { forget, keep, kept } from "../lib/kept_form.js";
import { openedBits } from "../lib/opened_bits.js";
import { Problem, problem } from "../lib/problem.js";
import { postJson } from "../net/api.js";
import { pageData } from "../net/page_data.js";

const data = pageData();
const form = element("draft-form");
/** What is typed is kept for this account alone. */
const KEY = `bj-draft-${data.account}`;
/** Fields of the policy, which has sentences of its own beside them. */
const POLICY = /^(policy\b|question_bits_limit$)/;
/** The draft that was saved already, if submitting it failed. */
let saved = "";

/** @param {string} then "submit" or "keep" */
async function save(then) {
  clearFaults(form);
  if (!saved) saved = await sent();
  if (then === "submit") await postJson(fill(data.submit_url, { study_id: saved }), {});
  forget(KEY);
  location.assign(fill(data.detail_url, { study_id: saved }));
}

/** Send the form; whatever is wrong stands at its field. @returns {Promise<string>} the study's id */
async function sent() {
  const { terms, faulty } = await editor.settle();
  try {
    return (await postJson(data.studies_url, withPolicy(readDraft(form), terms))).study_id;
  } catch (error) {
    if (!error.faults?.length) throw error;
    const others = showFaults(error.faults).filter(({ field }) => !(faulty && POLICY.test(field)));
    firstFault(form)?.focus();
    if (others.length === 0) throw problem("draft_faulty");
    const what = others.map(({ sentence }) => sentence).join(" ");
    const { kept, next } = inWords(problem("draft_faulty"));
    throw new Problem(error.code, { said: { what, kept, next, about: error.said.about } });
  }
}

/** Keep what is typed for a reload or the way back. */
function keepTyped() {
  const typed = [...new FormData(form)].filter(([, value]) => typeof value === "string");
  keep(KEY, { draft: readDraft(form), typed });
}

/** Put back what was typed; a form that nobody touched stays as it is. */
async function restore() {
  const found = kept(KEY);
  if (!found) return;
  fillDraft(form, found.draft);
  bitsTyped = true;
  element("draft-restored").hidden = false;
  await editor.restore(found.typed);
}

/** @param {any} draft @param {any} terms */
function withPolicy(draft, { policy, question_bits_limit }) {
  return { ...draft, policy, question_bits_limit };
}

/** What people are asked and what is decided. */
function about() {
  const { attributes, label } = readDraft(form);
  return { attributes, label };
}

async function load() {
  const content = await chosenText(element("draft-file"));
  if (content === null) return;
  let draft;
  try {
    draft = parse(content);
    fillDraft(form, draft);
    bitsTyped = "question_bits_limit" in draft;
    if (bitsTyped) bits().value = String(draft.question_bits_limit);
    saved = "";
  } catch {
    throw problem("draft_not_json");
  }
  await (draft.policy ? editor.load(draft.policy) : editor.refresh());
  keepTyped();
}

/** @param {string} content */
function parse(content) {
  const draft = JSON.parse(content.replace(/^\uFEFF/, ""));
  if (!Array.isArray(draft.features) && !Array.isArray(draft.attributes)) throw new Error("no draft");
  return draft;
}

element("draft-regulator").append(
  ...data.regulators.map(({ name }) => make("option", { value: name }, name)),
);
fillDraft(form, data.defaults);
addAttribute();
addFeature();

/** How many trained models the form allows for, unless it is told otherwise. */
const MODELS = 3;
const bits = () => element("policy-question_bits_limit");
const usual = Number(bits().value);
let bitsTyped = false;

const editor = connectPolicyEditor(form, {
  url: data.editor_url,
  about,
  started({ terms, regulator }) {
    saved = "";
    bitsTyped ||= Number(bits().value) !== usual;
    if (regulator) {
      const { attributes, label } = terms;
      fillDraft(form, { attributes, label, regulator: { name: regulator } });
    }
    keepTyped();
  },
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = event.submitter;
  if (!["submit", "keep"].includes(button?.value)) return;
  whileBusy(button, element("draft-problem"), () => save(button.value));
});

/** A study that trains opens whole models: allow for some. */
function suggestBits() {
  const trains = form.elements.data_holder.value === "modeler";
  const features = element("features").children.length;
  const opened = openedBits(features, { preset: "recommended", output_frac_bits: 16 });
  if (!bitsTyped) bits().value = String(trains ? Math.max(usual, MODELS * opened) : usual);
}

form.addEventListener("input", ({ target }) => {
  saved = "";
  if (target === bits()) bitsTyped = true;
  suggestBits();
  keepTyped();
});
form.addEventListener("change", ({ target }) => {
  judgeName(target);
  keepTyped();
});
form.addEventListener("click", ({ target }) => {
  if (target.closest("[data-remove]")) keepTyped();
});
element("draft-discard").addEventListener("click", () => {
  forget(KEY);
  location.reload();
});
connectSchema(
  () => readDraft(form),
  (draft) => {
    fillDraft(form, draft);
    saved = "";
    editor.refresh().then(keepTyped);
  },
);
element("add-attribute").addEventListener("click", () => addAttribute());
element("add-feature").addEventListener("click", () => {
  addFeature();
  suggestBits();
});
element("draft-file").addEventListener("change", () =>
  whileBusy(element("download-draft"), element("file-problem"), load),
);
element("download-draft").addEventListener("click", ({ target }) =>
  whileBusy(target, element("file-problem"), async () => {
    const draft = withPolicy(readDraft(form), (await editor.settle()).terms);
    saveFile("study-draft.json", `${JSON.stringify(draft, null, 2)}\n`);
  }),
);
whileBusy(element("submit-draft"), element("draft-problem"), restore);
