/**
 * An encoded value as people read it. It stands for a step of numbers; the one with the fewest
 * decimals is shown, which is what was entered unless that had more decimals than are kept.
 */

import { floorDivide, parseDecimal } from "./encoding.js";

const MOST_DECIMALS = 40;

/**
 * Return the decimal text with the fewest decimals that encodes to `x`; of several the nearest to
 * the middle of the step.
 * @param {number} x as `encodeFeature` gives it
 * @param {string} unit positive decimal text
 * @param {number} fracBits
 * @returns {string}
 */
export function shownValue(x, unit, fracBits) {
  const { numerator, denominator } = parseDecimal(unit);
  // In units of 1 / size: the middle is `middle`, the step reaches from `middle - half` to, but not at, `middle + half`.
  const size = denominator << BigInt(fracBits + 1);
  const [middle, half] = [2n * BigInt(x) * numerator, numerator];
  for (let decimals = 0; decimals < MOST_DECIMALS; decimals += 1) {
    const scale = 10n ** BigInt(decimals);
    const nearest = floorDivide(2n * middle * scale + size, 2n * size);
    const distance = nearest * size - middle * scale;
    if (-half * scale <= distance && distance < half * scale) return decimalText(nearest, decimals);
  }
  return String((x * Number(unit)) / 2 ** fracBits);
}

/** Whether a feature is a question of yes or no: from 0 to 1 in whole steps. @param {any} feature */
export function isYesNo({ unit, minimum, maximum }) {
  return unit === "1" && minimum === "0" && maximum === "1";
}

/** @param {bigint} digits @param {number} decimals */
function decimalText(digits, decimals) {
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits).padStart(decimals + 1, "0");
  const place = text.length - decimals;
  return sign + text.slice(0, place) + (decimals > 0 ? `.${text.slice(place)}` : "");
}
