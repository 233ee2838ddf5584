/**
 * Fields for a study's features: read them exactly, say what is wrong beside each.
 */

import { encodeFeature, parseDecimal } from "../lib/encoding.js";
import { featureTexts } from "../lib/feature_texts.js";
import { typedNumber } from "../lib/typed_number.js";
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
 * Say beside each number, while it is typed, how it is read, or that it can be read in two ways.
 * Other faults wait for the form to be sent: nothing may move under a pointer that leaves a field.
 * @param {HTMLFormElement} form
 * @param {any} configuration
 */
export function showReadings(form, { features }) {
  form.addEventListener("input", ({ target }) => {
    const feature = features.find(({ name }) => name === target.dataset.feature);
    if (!feature || !target.matches("input")) return;
    const { reading, fault } = readingOf(target.value, feature);
    sayBeside(target, fault);
    const place = /** @type {HTMLOutputElement} */ (document.getElementById(`read-${target.id}`));
    place.value = reading && text("read_as", { value: reading });
  });
}

/** @param {string} typed @param {any} feature @returns {{ reading: string, fault: string }} */
function readingOf(typed, feature) {
  try {
    const reading = typedNumber(typed, feature);
    parseDecimal(reading);
    return { reading, fault: "" };
  } catch (error) {
    return { reading: "", fault: error.code === "NUMBER_AMBIGUOUS" ? text("two_ways", error.params) : "" };
  }
}

/** @param {string} typed @param {any} feature @param {number} fracBits */
function read(typed, feature, fracBits) {
  return encodeFeature(typedNumber(typed, feature), feature, fracBits);
}

/**
 * Encode what a form says of every feature, in schema order: `[data-feature]` inputs or fieldsets
 * of yes and no, and one `[data-column]` fieldset for all features of a one-hot column.
 * @param {HTMLFormElement} form
 * @param {any} configuration
 * @returns {{ values: number[], wrong: HTMLElement[] }}
 */
export function readFeatures(form, configuration) {
  const { features, x_frac_bits: fracBits } = configuration;
  const field = (kind, name) => form.querySelector(`[data-${kind}="${CSS.escape(name)}"]`);
  const texts = featureTexts(
    features,
    (name) => typedIn(field("feature", name)),
    (column) => field("column", column).querySelector("input:checked")?.value ?? null,
  );
  const values = [];
  const wrong = new Set();
  for (const [number, feature] of features.entries()) {
    const column = feature.category?.column;
    const input = column === undefined ? field("feature", feature.name) : field("column", column);
    const fault = faultOf(() => values.push(read(texts[number], feature, fracBits)), feature);
    if (input.matches("input")) sayBeside(input, fault);
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
    if (error.code === "NUMBER_AMBIGUOUS") return text("two_ways", error.params);
    const far = error.code === "VALUE_OUT_OF_RANGE";
    return far ? text("out_of_range", { minimum, maximum }) : text("not_a_number");
  }
}

/** @param {HTMLElement} field an input, or a fieldset of yes and no @returns {string} */
function typedIn(field) {
  if (field.matches("input")) return field.value;
  return field.querySelector("input:checked")?.value ?? "";
}

/** @param {HTMLElement} fieldset of radio buttons @returns {number} the value chosen, or -1 */
export function chosen(fieldset) {
  const input = fieldset.querySelector("input:checked");
  return input === null ? -1 : Number(input.value);
}
