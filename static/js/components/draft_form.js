/**
 * The form of a study's draft, as the JSON that the API takes, and back.
 */

import { shortName } from "../lib/names.js";
import { element } from "./page.js";

const TEXTS = ["title", "purpose"];
const NUMBERS = [
  "retention_days",
  "certificate_days",
  "x_frac_bits",
  "theta_bits",
  "theta_frac_bits",
  "typed_challenge_limit",
];
const LABEL = ["name", "title", "favourable", "unfavourable"];
const FEATURE = ["name", "title", "unit", "minimum", "maximum"];

/** Read the form but for its policy; the server judges it. @param {HTMLFormElement} form */
export function readDraft(form) {
  const draft = { format: "bj2 configuration" };
  for (const name of TEXTS) draft[name] = typed(`draft-${name}`);
  for (const name of NUMBERS) draft[name] = number(`draft-${name}`);
  const regulator = typed("draft-regulator");
  if (regulator) draft.regulator = { name: regulator };
  draft.label = Object.fromEntries(LABEL.map((name) => [name, typed(`draft-label-${name}`)]));
  draft.attributes = rows("attributes").map((row) => ({
    name: nameOf(row),
    title: cell(row, "title").value.trim(),
    question: cell(row, "question").value.trim() || cell(row, "title").value.trim(),
    categories: readCategories(cell(row, "categories").value),
  }));
  draft.features = rows("features").map((row) => ({
    ...Object.fromEntries(FEATURE.map((name) => [name, cell(row, name).value.trim()])),
    name: nameOf(row),
    ...categoryOf(row),
  }));
  draft.data_holder = form.elements.data_holder.value;
  draft.data_source = form.elements.data_source.value;
  const commitment = typed("draft-data_commitment");
  if (commitment) {
    const [root, count] = commitment.split(":");
    draft.data_commitment = { root, rows: Number(count) };
  }
  draft.inviter = form.elements.inviter.value;
  return draft;
}

/** Put a draft but for its policy into the form; what it lacks stays as it is. @param {HTMLFormElement} form @param {any} draft */
export function fillDraft(form, draft) {
  for (const name of [...TEXTS, ...NUMBERS]) put(`draft-${name}`, draft[name]);
  put("draft-regulator", draft.regulator?.name);
  for (const name of LABEL) put(`draft-label-${name}`, draft.label?.[name]);
  const committed = draft.data_commitment;
  put("draft-data_commitment", committed && `${committed.root}:${committed.rows}`);
  for (const name of ["data_holder", "data_source", "inviter"]) {
    if (draft[name]) form.elements[name].value = draft[name];
  }
  if (draft.attributes) {
    element("attributes").replaceChildren();
    draft.attributes.forEach(addAttribute);
  }
  if (draft.features) {
    element("features").replaceChildren();
    draft.features.forEach(addFeature);
  }
}

/** Add an attribute to the form, empty or filled. @param {any} [attribute] */
export function addAttribute(attribute = {}) {
  const row = addRow("attributes", "attribute-row");
  cell(row, "title").value = attribute.title ?? "";
  cell(row, "question").value = attribute.question ?? "";
  cell(row, "name").value = attribute.name ?? "";
  cell(row, "categories").value = (attribute.categories ?? [])
    .map(({ name, title }) => (name === shortName(title) ? title : `${name}: ${title}`))
    .join("\n");
}

/** Add a feature to the form, empty or filled. @param {any} [feature] */
export function addFeature(feature = {}) {
  const row = addRow("features", "feature-row");
  for (const name of FEATURE) if (name in feature) cell(row, name).value = feature[name];
  if (feature.category) showCategory(row, feature.category);
}

/** A feature that stands for a category is 0 or 1: its range is not asked. @param {HTMLElement} row @param {{ column: string, value: string }} category */
function showCategory(row, { column, value }) {
  Object.assign(row.dataset, { column, value });
  row.querySelector("[data-range]").hidden = true;
  row.querySelector("[data-category]").hidden = false;
  row.querySelector("[data-category-value]").textContent = value;
  row.querySelector("[data-category-column]").textContent = column;
}

/** @param {HTMLElement} row @returns {{ category?: { column: string, value: string } }} */
function categoryOf({ dataset: { column, value } }) {
  return column === undefined ? {} : { category: { column, value } };
}

/** @param {string} listId @param {string} templateId @returns {HTMLElement} */
function addRow(listId, templateId) {
  const row = element(templateId).content.firstElementChild.cloneNode(true);
  row.querySelector("[data-remove]").addEventListener("click", () => row.remove());
  const [title, name] = [cell(row, "title"), cell(row, "name")];
  title.addEventListener("input", () => {
    name.placeholder = shortName(title.value);
  });
  element(listId).append(row);
  return row;
}

/** @param {string} lines @returns {{ name: string, title: string }[]} */
function readCategories(lines) {
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const match = /^([a-z][a-z0-9_]*)\s*:\s*(.+)$/.exec(line);
      return match ? { name: match[1], title: match[2] } : { name: shortName(line), title: line };
    });
}

/** @param {HTMLElement} row */
function nameOf(row) {
  return cell(row, "name").value.trim() || shortName(cell(row, "title").value);
}

/** @param {string} listId @returns {HTMLElement[]} */
const rows = (listId) => [...element(listId).children];
/** @param {HTMLElement} row @param {string} name */
const cell = (row, name) => row.querySelector(`[data-field="${name}"]`);
/** @param {string} id */
const typed = (id) => element(id).value.trim();
/** A whole number, or the text as typed, which the server then names. @param {string} id */
const number = (id) => (/^-?\d{1,9}$/.test(typed(id)) ? Number(typed(id)) : typed(id));

/** @param {string} id @param {any} value */
function put(id, value) {
  if (value !== undefined && value !== null) element(id).value = String(value);
}
