/**
 * Machine names: lower-case letters, digits and underscores, a letter first. Names and titles for
 * people: by the engine's rule (`mpc_engine/control/texts/names.py`, `tests/vectors/names.json`).
 */

const REFUSED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const JOINERS = /[\u200c\u200d]/g;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A machine name made of a title; empty if nothing of it can be kept. @param {string} title */
export function shortName(title) {
  const plain = title.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "_");
  const trimmed = plain.replace(/^_+|_+$/g, "").slice(0, 58);
  return /^[a-z]/.test(trimmed) ? trimmed : trimmed && `n_${trimmed}`;
}

/** What is wrong with text that people are to read: "hidden", "blank" or "". @param {string} text */
export function textFault(text) {
  if (REFUSED.test(text.replace(JOINERS, ""))) return "hidden";
  return likeness(text) ? "" : "blank";
}

/** What all names that look like this one have in common. @param {string} text */
export function likeness(text) {
  const seen = text.replace(UNSEEN, "").normalize("NFKC");
  return seen.toUpperCase().toLowerCase().normalize("NFKC").trim().split(/\s+/).join(" ");
}

/** The first name that looks like one before it, or undefined. @param {string[]} names */
export function doublet(names) {
  const seen = new Set();
  return names.find((name) => seen.has(likeness(name)) || !seen.add(likeness(name)));
}
