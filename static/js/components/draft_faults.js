/**
 * What is wrong with a study's draft, each sentence beside the field that it is about.
 *
 * @typedef {{ field: string, sentence: string }} FieldFault the path of a field in the draft, and a
 *   sentence of the server that begins with it
 */

import { doublet, textFault } from "../lib/names.js";
import { element, make } from "./page.js";
import { text } from "./texts.js";

const ROW = /^(attributes|features)\[(\d+)\](?:\.(\w+))?(?:\[(\d+)\])?/;
const LEADING_PATH = /^configuration\S*\s+/;
/** How many sentences were said; each has an id of its own. */
let said = 0;

/** Take away every sentence beside a field. @param {HTMLElement} form or a part of it */
export function clearFaults(form) {
  for (const sentence of form.querySelectorAll("[data-draft-fault]")) {
    undescribe(document.querySelector(`[aria-describedby~="${sentence.id}"]`), sentence.id);
    sentence.remove();
  }
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

/** Say each fault at its field; return those that have none here. @param {FieldFault[]} faults */
export function showFaults(faults) {
  return faults.filter((fault) => {
    const place = placeOf(fault.field);
    if (place) say(place, words(fault));
    return !place;
  });
}

/** Judge what was just typed by the rule for names. @param {HTMLElement} field */
export function judgeName(field) {
  clearFaults(field.closest(".field") ?? field);
  if (!["text", "textarea"].includes(field.type) || field.value === "") return;
  const lines = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const fault = lines.map(textFault).find(Boolean);
  if (fault) say(field, text(`name_${fault}`));
  else if (field.dataset.field === "categories") {
    const titles = lines.map((line) => line.replace(/^[a-z][a-z0-9_]*\s*:\s*/, ""));
    const twice = doublet([text("prefer_not_to_say"), ...titles]);
    if (twice) say(field, text("name_twice", { name: twice }));
  }
}

/** @param {FieldFault} fault */
function words({ field, sentence }) {
  const what = sentence.replace(LEADING_PATH, "");
  if (what === sentence) return sentence;
  const answer = /categories\[(\d+)\]/.exec(field);
  return answer ? text("fault_answer", { number: Number(answer[1]) + 1, what }) : text("fault_it", { what });
}

/** @param {string} path @returns {HTMLElement | null} */
function placeOf(path) {
  const [, list, position, name] = ROW.exec(path) ?? [];
  if (!list) return fieldAt(path.replaceAll(".", "-")) ?? fieldAt(path.split(".")[0]) ?? listAt(path);
  const row = element(list).children[Number(position)];
  const cell = row?.querySelector(`[data-field="${name ?? "title"}"]`);
  return cell && !cell.closest("[hidden]") ? cell : (row?.querySelector("input") ?? null);
}

/** @param {string} name */
const fieldAt = (name) => document.getElementById(`draft-${name}`);

/** The part of the form that has a whole list. @param {string} path */
function listAt(path) {
  return ["attributes", "features"].includes(path) ? element(path).parentElement : null;
}

/** @param {HTMLElement} field @param {string} sentence */
function say(field, sentence) {
  if ("value" in field) field.setAttribute("aria-invalid", "true");
  const place = field.closest(".field") ?? field;
  const id = `fault-${++said}`;
  field.setAttribute("aria-describedby", [...describers(field), id].join(" "));
  place.append(make("p", { id, className: "field__error", dataset: { draftFault: "", error: "" } }, sentence));
}

/** @param {HTMLElement} field @returns {string[]} ids of what describes it */
function describers(field) {
  return field.getAttribute("aria-describedby")?.split(/\s+/).filter(Boolean) ?? [];
}

/** @param {HTMLElement | null} field @param {string} id of a sentence that no longer describes it */
function undescribe(field, id) {
  const others = field ? describers(field).filter((each) => each !== id) : [];
  if (others.length > 0) field.setAttribute("aria-describedby", others.join(" "));
  else field?.removeAttribute("aria-describedby");
}
