/**
 * The number of a version: a later one has a higher number, and how many came before is not in it.
 */

import { systemRandomness } from "./random.js";

const LEAST_BITS = 8;
const WIDTHS = 16;

/**
 * Return a number for the version after those numbered up to `highest` (-1 for none): higher by a
 * leap of 1 to 2^w, where w is one of 8 to 23 by chance. The largest leap hides how many there were.
 * @param {number} highest
 * @param {import("./random.js").Randomness} [random]
 * @returns {number}
 */
export function laterSequence(highest, random = systemRandomness) {
  const [width, low, middle, high] = random(4);
  const mask = 2 ** (LEAST_BITS + (width % WIDTHS)) - 1;
  return highest + 1 + ((low | (middle << 8) | (high << 16)) & mask);
}
