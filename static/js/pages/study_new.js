/**
 * Draft a study in a form or from a file; the server checks it and names the first fault.
 */

import { whileBusy } from "../components/busy.js";
import { addAttribute, addFeature, fillDraft, readDraft } from "../components/draft_form.js";
import { chosenText, saveFile } from "../components/files.js";
import { element, fill, make, pageData } from "../components/page.js";
import { connectPolicy } from "../components/policy_form.js";
import { problem, showProblem } from "../components/problem.js";
import { connectSchema } from "../components/schema_form.js";
import { openedBits } from "../lib/opened_bits.js";
import { postJson } from "../net/api.js";

const data = pageData();
const form = element("draft-form");
/** The draft that was saved already, if submitting it failed. */
let saved = "";

/** @param {string} then "submit" or "keep" */
async function save(then) {
  if (!saved) saved = (await postJson(data.studies_url, readDraft(form))).study_id;
  if (then === "submit") await postJson(fill(data.submit_url, { study_id: saved }), {});
  location.assign(fill(data.detail_url, { study_id: saved }));
}

async function load() {
  const place = element("file-problem");
  showProblem(place, null);
  const content = await chosenText(element("draft-file"));
  if (content === null) return;
  try {
    const draft = parse(content);
    fillDraft(form, draft);
    bitsTyped = "question_bits_limit" in draft;
    saved = "";
  } catch {
    showProblem(place, problem("draft_not_json"));
  }
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
connectPolicy(data.presets);
fillDraft(form, data.defaults);
addAttribute();
addFeature();

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = event.submitter ?? element("save-draft");
  whileBusy(button, element("draft-problem"), () => save(button.value));
});
/** How many trained models the form allows for, unless it is told otherwise. */
const MODELS = 3;
const bits = element("draft-question_bits_limit");
let bitsTyped = false;

/** A study that trains opens whole models: allow for some. */
function suggestBits() {
  const trains = form.elements.data_holder.value === "modeler";
  const features = element("features").children.length;
  const opened = openedBits(features, { preset: "recommended", output_frac_bits: 16 });
  const usual = data.defaults.question_bits_limit;
  if (!bitsTyped) bits.value = String(trains ? Math.max(usual, MODELS * opened) : usual);
}

form.addEventListener("input", ({ target }) => {
  saved = "";
  if (target === bits) bitsTyped = true;
  suggestBits();
});
connectSchema(
  () => readDraft(form),
  (draft) => {
    fillDraft(form, draft);
    saved = "";
  },
);
element("add-attribute").addEventListener("click", () => addAttribute());
element("add-feature").addEventListener("click", () => {
  addFeature();
  suggestBits();
});
element("draft-file").addEventListener("change", load);
element("download-draft").addEventListener("click", () =>
  saveFile("study-draft.json", `${JSON.stringify(readDraft(form), null, 2)}\n`),
);
