/**
 * Fields for a study's features: read them exactly, say what is wrong beside each.
 */

import { encodeFeature } from "../lib/encoding.js";
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

/**
 * Encode every `[data-feature]` input of a form in schema order.
 * @param {HTMLFormElement} form
 * @param {any} configuration
 * @returns {{ values: number[], wrong: HTMLElement[] }}
 */
export function readFeatures(form, configuration) {
  const values = [];
  const wrong = [];
  for (const feature of configuration.features) {
    const input = form.querySelector(`[data-feature="${CSS.escape(feature.name)}"]`);
    try {
      values.push(encodeFeature(withPoint(input.value), feature, configuration.x_frac_bits));
      sayBeside(input, "");
    } catch (error) {
      const { minimum, maximum } = feature;
      const far = error.code === "VALUE_OUT_OF_RANGE";
      sayBeside(input, far ? text("out_of_range", { minimum, maximum }) : text("not_a_number"));
      wrong.push(input);
    }
  }
  return { values, wrong };
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
