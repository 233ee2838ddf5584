/**
 * The form a person answers in: every question needs a choice, and "prefer not to say" is one.
 */

import { chosen, markChoice, readFeatures } from "./number_fields.js";

/**
 * @typedef {{ answers: number[], features: number[] | null, label: 0 | 1 | null }} Answers
 */

/** @param {HTMLFormElement} form @returns {HTMLElement[]} one fieldset per attribute, in order */
export function questions(form) {
  return [...form.querySelectorAll("[data-attribute]")];
}

/**
 * Read the form; what is missing is said beside the question, and the first is focused.
 * @param {HTMLFormElement} form
 * @param {any} configuration
 * @param {boolean} asksData whether x and y are asked here too
 * @returns {Answers | null}
 */
export function readAnswers(form, configuration, asksData) {
  const wrong = [];
  const answers = questions(form).map((fieldset) => {
    const answer = chosen(fieldset);
    markChoice(fieldset, answer < 0);
    if (answer < 0) wrong.push(fieldset);
    return answer;
  });
  const data = asksData ? readFeatures(form, configuration) : { values: null, wrong: [] };
  wrong.push(...data.wrong);
  const label = readLabel(form, wrong);
  if (wrong.length > 0) {
    focusOn(wrong[0]);
    return null;
  }
  return { answers, features: data.values, label };
}

/** @param {HTMLFormElement} form @param {HTMLElement[]} wrong @returns {0 | 1 | null} */
function readLabel(form, wrong) {
  const fieldset = form.querySelector("#label-choices");
  if (fieldset === null) return null;
  const value = chosen(fieldset);
  markChoice(fieldset, value < 0);
  if (value < 0) wrong.push(fieldset);
  return value === 0 || value === 1 ? value : null;
}

/** @param {HTMLElement} field */
export function focusOn(field) {
  const target = field.matches("input") ? field : field.querySelector("input");
  target.focus();
  field.scrollIntoView({ block: "center" });
}
