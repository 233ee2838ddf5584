/**
 * What an opened model can tell at most: all bits of all its coefficients, the intercept among them.
 */

/** For each preset, sign and integer bits of a coefficient. */
const INT_BITS = { recommended: 3, paper: 6 };

/**
 * @param {number} features how many the study has
 * @param {{ preset: "recommended" | "paper", output_frac_bits: number }} terms
 */
export function openedBits(features, { preset, output_frac_bits: fracBits }) {
  return (features + 1) * (INT_BITS[preset] + fracBits);
}
