/**
 * Exact encoding of decimal numbers as scaled integers: the twin of the engine's
 * `encode_value`, on BigInt rationals; no float rounds on the way.
 */

import { UsageError } from "./errors.js";

const DECIMAL = /^([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,3}))?$/;
const MAX_CHARACTERS = 64;
const MAX_EXPONENT = 400;
const MAX_REMEMBERED = 20_000;

/** @typedef {{ numerator: bigint, denominator: bigint }} Rational the denominator is positive */

/**
 * Read a decimal text exactly; a number counts as its shortest text.
 * @param {string | number} text
 * @param {string} [name] named in the error
 * @returns {Rational}
 */
export function parseDecimal(text, name = "value") {
  const digits = typeof text === "number" ? String(text) : trimBlanks(text);
  const match = digits.length <= MAX_CHARACTERS ? DECIMAL.exec(digits) : null;
  const exponent = Number(match?.[5] ?? 0);
  if (match === null || Math.abs(exponent) > MAX_EXPONENT) {
    throw new UsageError("NOT_A_NUMBER", { name });
  }
  const [, sign, whole = "", decimals = "", bareDecimals = ""] = match;
  const fraction = decimals + bareDecimals;
  const magnitude = BigInt(whole + fraction);
  const shift = exponent - fraction.length;
  return {
    numerator: (sign === "-" ? -magnitude : magnitude) * 10n ** BigInt(Math.max(shift, 0)),
    denominator: 10n ** BigInt(Math.max(-shift, 0)),
  };
}

/**
 * Return -1, 0 or 1 as a < b, a = b, a > b.
 * @param {Rational} a @param {Rational} b
 */
export function compareRationals(a, b) {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : Number(difference > 0n);
}

/**
 * Return floor(value * 2^fracBits / unit + 1/2).
 * @param {string | number} text in the feature's original unit
 * @param {string} unit positive decimal text
 * @param {number} fracBits
 * @param {string} [name] named in the error
 * @returns {bigint}
 */
export function encodeValue(text, unit, fracBits, name = "value") {
  return encodeRational(parseDecimal(text, name), parseUnit(unit, name), fracBits);
}

/**
 * A feature of a study's configuration.
 * @typedef {{ name: string, unit: string, minimum: string, maximum: string }} Feature
 */

/**
 * Encode one feature's value; VALUE_OUT_OF_RANGE names the feature if it lies outside.
 * @param {string | number} text
 * @param {Feature} feature
 * @param {number} fracBits
 * @returns {number} fits 32 bits for a valid configuration
 */
export function encodeFeature(text, feature, fracBits) {
  return featureEncoder(feature, fracBits)(text);
}

/**
 * Return what encodes values of one feature. A column repeats itself, so texts that came before
 * are remembered, up to a number.
 * @param {Feature} feature
 * @param {number} fracBits
 * @returns {(text: string | number) => number} as `encodeFeature`
 */
export function featureEncoder({ name, unit, minimum, maximum }, fracBits) {
  const [low, high] = [parseDecimal(minimum), parseDecimal(maximum)];
  const size = parseUnit(unit, name);
  /** @type {Map<string | number, number>} */
  const known = new Map();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const value = parseDecimal(text, name);
    if (compareRationals(value, low) < 0 || compareRationals(value, high) > 0) {
      throw new UsageError("VALUE_OUT_OF_RANGE", { name, minimum, maximum });
    }
    const encoded = Number(encodeRational(value, size, fracBits));
    if (known.size < MAX_REMEMBERED) known.set(text, encoded);
    return encoded;
  };
}

/** @param {string} unit @param {string} name @returns {Rational} */
function parseUnit(unit, name) {
  const size = parseDecimal(unit, name);
  if (size.numerator <= 0n) throw new UsageError("UNIT_NOT_POSITIVE", { name });
  return size;
}

/** @param {Rational} value @param {Rational} size @param {number} fracBits */
function encodeRational(value, size, fracBits) {
  const numerator = (value.numerator * size.denominator) << BigInt(fracBits);
  const denominator = value.denominator * size.numerator;
  return floorDivide(2n * numerator + denominator, 2n * denominator);
}

/** @param {string} text */
function trimBlanks(text) {
  return String(text).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
}

/** @param {bigint} numerator @param {bigint} denominator positive */
export function floorDivide(numerator, denominator) {
  const quotient = numerator / denominator;
  return numerator % denominator < 0n ? quotient - 1n : quotient;
}
