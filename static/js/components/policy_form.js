/**
 * The policy in the form of a study's draft: criteria with their limits, presets, minima.
 */

import { element } from "./page.js";

const CRITERIA = ["p_rule", "covariance"];
const PRESET_LIMITS = "50 60 70 80 90 95";
const NAMED_HINTS = ["nyc_ll144", "equal_opportunity"];
const MINIMA = ["minimum_group", "minimum_answers"];

/** Policies of form 2 to start from, by name. @type {Record<string, {crosses: boolean, question_bits: number, policy: any}>} */
let presets = {};
/** A policy of form 2 from a file, kept as it is. @type {any} */
let fromFile = null;

/**
 * @param {HTMLFormElement} form @param {(id: string) => number | string} number reads a whole number
 * @param {string[]} attributes their names
 */
export function readPolicy(form, number, attributes) {
  const minima = Object.fromEntries(MINIMA.map((name) => [name, number(`draft-${name}`)]));
  if (fromFile) return { ...fromFile, ...minima };
  const preset = presets[element("policy-preset").value];
  if (preset) {
    return { ...preset.policy, groups: groupsOf(preset, attributes), ...minima };
  }
  const asked = CRITERIA.filter((name) => name === "p_rule" || element("draft-covariance").checked);
  return {
    criteria: asked.map((criterion) => ({
      criterion,
      thresholds: limits(criterion).value.split(/[\s,;]+/).filter(Boolean),
      certify_at: certifyAt(criterion).value.trim(),
    })),
    comparison: form.elements.comparison.value,
    ...minima,
  };
}

/** Every attribute, and every two of them crossed where the preset says so. @param {{crosses: boolean}} preset @param {string[]} names */
function groupsOf({ crosses }, names) {
  const pairs = names.flatMap((name, i) => names.slice(i + 1).map((other) => [name, other]));
  return [...names.map((name) => [name]), ...(crosses ? pairs : [])];
}

/** Put a policy into the form; what it lacks stays as it is. @param {HTMLFormElement} form @param {any} policy */
export function fillPolicy(form, policy) {
  fromFile = policy.form ? policy : null;
  if (Array.isArray(policy.criteria)) {
    element("draft-covariance").checked = policy.criteria.some(
      ({ criterion }) => criterion === "covariance",
    );
    for (const { criterion, thresholds, certify_at } of policy.criteria) {
      if (!CRITERIA.includes(criterion)) continue;
      limits(criterion).value = thresholds.join(" ");
      certifyAt(criterion).value = certify_at;
    }
  }
  if (policy.comparison) form.elements.comparison.value = policy.comparison;
  for (const name of MINIMA) {
    if (policy[name] !== undefined) element(`draft-${name}`).value = String(policy[name]);
  }
  showPreset();
  showCovariance();
}

/**
 * Let the preset set the limits, and limits typed in choose the preset.
 * @param {{name: string, crosses: boolean, question_bits: number, policy: any}[]} offered
 */
export function connectPolicy(offered) {
  presets = Object.fromEntries(offered.map((preset) => [preset.name, preset]));
  element("policy-preset").addEventListener("change", ({ target }) => {
    fromFile = null;
    showNamed();
    const named = presets[target.value];
    if (named) raiseLimit(named.question_bits);
    if (!target.value || named) return;
    limits("p_rule").value = PRESET_LIMITS;
    certifyAt("p_rule").value = target.value;
  });
  for (const field of [limits("p_rule"), certifyAt("p_rule")]) {
    field.addEventListener("input", showPreset);
  }
  element("draft-covariance").addEventListener("change", showCovariance);
}

function showPreset() {
  const select = element("policy-preset");
  const usual = limits("p_rule").value.trim() === PRESET_LIMITS;
  const known = [...select.options].some(({ value }) => value === certifyAt("p_rule").value.trim());
  select.value = usual && known ? certifyAt("p_rule").value.trim() : "";
  showNamed();
}

/** Show what a named preset means in place of limits of one's own. */
function showNamed() {
  const name = element("policy-preset").value;
  element("policy-own").hidden = Boolean(fromFile) || name in presets;
  for (const hint of NAMED_HINTS) element(`hint-${hint}`).hidden = hint !== name;
  element("hint-preset").hidden = Boolean(fromFile) || name in presets;
}

/** Let the study's limit pay for what a preset tells. @param {number} bits */
function raiseLimit(bits) {
  const limit = element("draft-question_bits_limit");
  if (Number(limit.value) >= bits) return;
  limit.value = String(bits);
  limit.dispatchEvent(new Event("input", { bubbles: true }));
}

function showCovariance() {
  element("covariance-limits").hidden = !element("draft-covariance").checked;
}

/** @param {string} criterion @returns {HTMLInputElement} */
const limits = (criterion) => element(`draft-${criterion}-thresholds`);
/** @param {string} criterion @returns {HTMLInputElement} */
const certifyAt = (criterion) => element(`draft-${criterion}-certify_at`);
