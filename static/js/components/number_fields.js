/**
 * Fields for a study's features: read them exactly, say what is wrong beside each.
 */

import { encodeFeature } from "../lib/encoding.js";
import { featureTexts } from "../lib/feature_texts.js";
import { text } from "./texts.js";

/**
 * Show or clear the sentence beside a field.
 * @param {HTMLElement} field input or fieldset that `aria-describedby` ties to its sentence
 * @param {string} sentence "" clears
 */
export function sayBeside(field, sentence) {
  const place = document.getElementById(field.getAttribute("aria-describedby").split(" ").at(-1));
  if (sentence) place.textContent = sentence;
  place.hidden = !sentence;
  if (sentence) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

/** Show the sentence that the template has ready beside a choice. @param {HTMLElement} fieldset @param {boolean} missing */
export function markChoice(fieldset, missing) {
  const id = fieldset.getAttribute("aria-describedby");
  sayBeside(fieldset, missing ? document.getElementById(id).textContent : "");
}

/**
 * Encode what a form says of every feature, in schema order: `[data-feature]` inputs, and one
 * `[data-column]` fieldset for all features of a one-hot column.
 * @param {HTMLFormElement} form
 * @param {any} configuration
 * @returns {{ values: number[], wrong: HTMLElement[] }}
 */
export function readFeatures(form, configuration) {
  const { features, x_frac_bits: fracBits } = configuration;
  const field = (kind, name) => form.querySelector(`[data-${kind}="${CSS.escape(name)}"]`);
  const texts = featureTexts(
    features,
    (name) => withPoint(field("feature", name).value),
    (column) => field("column", column).querySelector("input:checked")?.value ?? null,
  );
  const values = [];
  const wrong = new Set();
  for (const [number, feature] of features.entries()) {
    const column = feature.category?.column;
    const input = column === undefined ? field("feature", feature.name) : field("column", column);
    const fault = faultOf(() => values.push(encodeFeature(texts[number], feature, fracBits)), feature);
    if (column === undefined) sayBeside(input, fault);
    else markChoice(input, fault !== "");
    if (fault) wrong.add(input);
  }
  return { values, wrong: [...wrong] };
}

/** @param {() => void} encode @param {any} feature @returns {string} what is wrong, or "" */
function faultOf(encode, { minimum, maximum }) {
  try {
    encode();
    return "";
  } catch (error) {
    const far = error.code === "VALUE_OUT_OF_RANGE";
    return far ? text("out_of_range", { minimum, maximum }) : text("not_a_number");
  }
}

/** A lone decimal comma is read as a point. @param {string} typed */
function withPoint(typed) {
  return /^[^.,]*,[^.,]*$/.test(typed) ? typed.replace(",", ".") : typed;
}

/** @param {HTMLElement} fieldset of radio buttons @returns {number} the value chosen, or -1 */
export function chosen(fieldset) {
  const input = fieldset.querySelector("input:checked");
  return input === null ? -1 : Number(input.value);
}
