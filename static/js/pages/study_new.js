/**
 * Draft a study in a form or from a file; the server checks it and names the first fault.
 */

import { whileBusy } from "../components/busy.js";
import { addAttribute, addFeature, fillDraft, readDraft } from "../components/draft_form.js";
import { chosenText, saveFile } from "../components/files.js";
import { element, fill, make, pageData } from "../components/page.js";
import { connectPolicyEditor, firstFault } from "../components/policy_editor.js";
import { problem } from "../components/problem.js";
import { connectSchema } from "../components/schema_form.js";
import { openedBits } from "../lib/opened_bits.js";
import { postJson } from "../net/api.js";

const data = pageData();
const form = element("draft-form");
/** The draft that was saved already, if submitting it failed. */
let saved = "";

/** @param {string} then "submit" or "keep" */
async function save(then) {
  if (!saved) saved = (await postJson(data.studies_url, await wholeDraft())).study_id;
  if (then === "submit") await postJson(fill(data.submit_url, { study_id: saved }), {});
  location.assign(fill(data.detail_url, { study_id: saved }));
}

/** The form as a draft; a policy whose fields are at fault is shown there, not sent. */
async function wholeDraft() {
  const { terms, faulty } = await editor.settle();
  if (faulty) {
    firstFault(form)?.focus();
    throw problem("policy_faulty");
  }
  return withPolicy(readDraft(form), terms);
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
    if (!regulator) return;
    fillDraft(form, { attributes: terms.attributes, label: terms.label, regulator: { name: regulator } });
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
});
connectSchema(
  () => readDraft(form),
  (draft) => {
    fillDraft(form, draft);
    saved = "";
    editor.refresh();
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
