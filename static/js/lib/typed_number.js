/**
 * A number as a person types it: a comma may stand for the point, but nothing is taken that can be
 * read in two ways.
 */

import { compareRationals, parseDecimal } from "./encoding.js";
import { UsageError } from "./errors.js";

const ONE_COMMA = /^[^.,]*,[^.,]*$/;
/** A thousand and more, or a number with three decimals. */
const TWO_WAYS = /^([+-]?[1-9][0-9]{0,2})([.,])([0-9]{3})$/;

/**
 * Return the decimal text that a person means. A comma before three digits is never read; a point
 * there is read where the other reading lies outside the range.
 *
 * NUMBER_AMBIGUOUS with the two ways to write it without doubt: `whole`, `decimal`.
 * @param {string} typed
 * @param {{ minimum: string, maximum: string }} range of the feature
 * @returns {string} for `encodeFeature`; as it was typed where it is no number
 */
export function typedNumber(typed, range) {
  const digits = typed.trim();
  const match = TWO_WAYS.exec(digits);
  if (match !== null) {
    const [, thousands, mark, rest] = match;
    const whole = thousands + rest;
    if (mark === "," || isWithin(whole, range)) {
      throw new UsageError("NUMBER_AMBIGUOUS", { whole, decimal: unmistakable(thousands, rest) });
    }
  }
  return ONE_COMMA.test(digits) ? digits.replace(",", ".") : digits;
}

/** The number with decimals, in a form that is not refused again. @param {string} whole @param {string} decimals */
function unmistakable(whole, decimals) {
  const short = decimals.replace(/0+$/, "");
  if (short.length === 3) return `${whole}.${decimals}0`;
  return short === "" ? whole : `${whole}.${short}`;
}

/** @param {string} text @param {{ minimum: string, maximum: string }} range */
function isWithin(text, { minimum, maximum }) {
  const value = parseDecimal(text);
  return (
    compareRationals(parseDecimal(minimum), value) <= 0 &&
    compareRationals(value, parseDecimal(maximum)) <= 0
  );
}
