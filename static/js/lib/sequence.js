/**
 * The number of a version. The first is uniform below 2^31 and a later one higher by 1 to 2^21, so
 * that one number tells little of how many came before; docs/protocols/envelope.md says how little.
 */

import { UsageError } from "./errors.js";
import { systemRandomness } from "./random.js";

const FIRST_BELOW = 2 ** 31;
const LARGEST_LEAP = 2 ** 21;
const END = 2 ** 32;

/**
 * Return a number for the version after `earlier`, this browser's own. No number that a site lists
 * is looked at: anybody who knows the record can make one up, and only this browser's key can replace.
 * At least 1,024 replacements have a number; after the last, UsageError `NUMBERS_USED_UP`.
 * @param {{ sequence: number }[]} earlier
 * @param {import("./random.js").Randomness} [random]
 * @returns {number}
 */
export function nextSequence(earlier, random = systemRandomness) {
  const drawn = new DataView(random(4).buffer).getUint32(0, true);
  if (earlier.length === 0) return drawn % FIRST_BELOW;
  const highest = Math.max(...earlier.map(({ sequence }) => sequence));
  const next = highest + 1 + (drawn % LARGEST_LEAP);
  if (next >= END) throw new UsageError("NUMBERS_USED_UP");
  return next;
}
