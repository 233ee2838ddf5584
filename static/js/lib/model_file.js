/**
 * A model file, checked before it is sealed; the modeler's party checks it again.
 */

import { parseDecimal } from "./encoding.js";
import { problem } from "./problem.js";

/** Python writes these outside quotes, which is no JSON; as text they are named as no numbers. */
const NOT_FINITE = /(?<=[:\s])(-?(?:NaN|Infinity))(?=\s*[,}])/g;
const FIELDS = ["coefficients", "configuration", "format", "intercept"];

/**
 * Return if the file is a complete model of the study; a problem names what is wrong.
 * @param {string} content
 * @param {any} configuration
 * @param {string} digest of the configuration, hex
 */
export function checkModel(content, configuration, digest) {
  const model = parse(content);
  if (model.configuration !== digest) throw problem("model_other_configuration");
  const units = new Map(configuration.features.map(({ name, unit }) => [name, unit]));
  const given = new Map(Object.entries(model.coefficients));
  refuse("model_missing", [...units.keys()].filter((name) => !given.has(name)));
  refuse("model_extra", [...given.keys()].filter((name) => !units.has(name)));
  const scaled = [["intercept", model.intercept, "1"]].concat(
    [...units].map(([name, unit]) => [name, given.get(name), unit]),
  );
  const { theta_bits: bits, theta_frac_bits: fracBits } = configuration;
  const bound = 1n << BigInt(bits - 1);
  const notNumbers = [];
  const tooLarge = [];
  for (const [name, value, unit] of scaled) {
    const encoded = encode(value, unit, fracBits);
    if (encoded === null) notNumbers.push(name);
    else if (encoded < -bound || encoded >= bound) tooLarge.push(name);
  }
  refuse("model_not_a_number", notNumbers);
  refuse("model_out_of_range", tooLarge);
}

/** @param {string} content */
function parse(content) {
  let model;
  try {
    model = JSON.parse(content.replace(/^\uFEFF/, "").replace(NOT_FINITE, '"$1"'));
  } catch {
    throw problem("model_not_readable");
  }
  const usable =
    model?.format === "bj1 model" &&
    typeof model.coefficients === "object" &&
    model.coefficients !== null &&
    Object.keys(model).sort().join() === FIELDS.join();
  if (!usable) throw problem("model_not_readable");
  return model;
}

/**
 * floor(value * unit * 2^fracBits + 1/2), as the party encodes it; null if it is no number.
 * @param {any} value @param {string} unit @param {number} fracBits
 */
function encode(value, unit, fracBits) {
  if (typeof value !== "string" && typeof value !== "number") return null;
  try {
    const coefficient = parseDecimal(value);
    const scale = parseDecimal(unit);
    const doubled = (coefficient.numerator * scale.numerator) << BigInt(fracBits + 1);
    const denominator = coefficient.denominator * scale.denominator;
    return floorDivide(doubled + denominator, 2n * denominator);
  } catch {
    return null;
  }
}

/** @param {bigint} numerator @param {bigint} denominator positive */
function floorDivide(numerator, denominator) {
  const quotient = numerator / denominator;
  return numerator % denominator < 0n ? quotient - 1n : quotient;
}

/** @param {string} key @param {string[]} names */
function refuse(key, names) {
  if (names.length === 0) return;
  const shown = names.slice(0, 8).join(", ");
  throw problem(key, { names: names.length > 8 ? `${shown}, …` : shown });
}
