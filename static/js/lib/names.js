/**
 * Machine names: lower-case letters, digits and underscores, a letter first.
 */

/** A machine name made of a title; empty if nothing of it can be kept. @param {string} title */
export function shortName(title) {
  const plain = title.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "_");
  const trimmed = plain.replace(/^_+|_+$/g, "").slice(0, 58);
  return /^[a-z]/.test(trimmed) ? trimmed : trimmed && `n_${trimmed}`;
}
