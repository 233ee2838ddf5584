/**
 * How each kind of column of a data table is read into a row: its cells checked and encoded. The
 * engine's twin is `sharing/data_table.py`.
 *
 * A reader gets a cell that is trimmed and whole; it fills in the row or tells a fault.
 *
 * @typedef {{ id: string, x: number[], y: number }} TableRow encoded
 * @typedef {(code: string, params?: Record<string, string | number>) => void} Tell
 * @typedef {(cell: string, row: TableRow, number: number, tell: Tell) => void} CellReader
 */

import { featureEncoder, parseDecimal } from "./encoding.js";

export const UNKNOWN = 2;
const RECORD_ID = /^[0-9a-f]{32}$/;
const COMMA_NUMBER = /^[+-]?\d*,\d+$/;
const POINT_NUMBER = /^[+-]?\d*\.\d+$/;
const VALUES_NAMED = 8;
/** What a column from 0 to 1 may say instead. @type {Record<string, string>} */
const YES_NO = { yes: "1", y: "1", true: "1", t: "1", no: "0", n: "0", false: "0", f: "0" };

/** Faults RECORD_ID_INVALID, ID_REPEATED. @returns {CellReader} */
export function idReader() {
  /** @type {Map<string, number>} the row where a record stands */
  const seen = new Map();
  return (cell, row, number, tell) => {
    const first = seen.get(cell);
    if (!RECORD_ID.test(cell)) tell("RECORD_ID_INVALID");
    if (first !== undefined) tell("ID_REPEATED", { first });
    else seen.set(cell, number);
    row.id = cell;
  };
}

/**
 * Empty means unknown; 1 and 0 are understood where the label's own values are words. Fault LABEL_UNKNOWN.
 * @param {{ favourable: string, unfavourable: string }} label @returns {CellReader}
 */
export function labelReader({ favourable, unfavourable }) {
  const inNumbers = [favourable, unfavourable].some(isNumber);
  const usual = inNumbers ? [] : [["1", 1], ["0", 0]];
  const meanings = new Map([["", UNKNOWN], ...usual, [favourable, 1], [unfavourable, 0]]);
  return (cell, row, number, tell) => {
    const y = meanings.get(cell.normalize("NFC"));
    if (y === undefined) tell("LABEL_UNKNOWN", { favourable, unfavourable });
    else row.y = y;
  };
}

/** @param {string} text */
function isNumber(text) {
  try {
    parseDecimal(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Faults NOT_A_NUMBER, DECIMAL_COMMA, DECIMAL_POINT, VALUE_OUT_OF_RANGE.
 * @param {any} feature @param {number} place of the feature @param {number} fracBits
 * @param {boolean} decimalComma whether the table writes 1,5 for one and a half
 * @returns {CellReader}
 */
export function numberReader(feature, place, fracBits, decimalComma) {
  const { minimum, maximum } = feature;
  const encode = featureEncoder(feature, fracBits);
  const words = minimum === "0" && maximum === "1" ? YES_NO : {};
  return (cell, row, number, tell) => {
    const hasComma = COMMA_NUMBER.test(cell);
    if (hasComma && !decimalComma) return tell("DECIMAL_COMMA");
    if (decimalComma && POINT_NUMBER.test(cell)) return tell("DECIMAL_POINT");
    const word = cell.toLowerCase();
    const text = Object.hasOwn(words, word) ? words[word] : cell;
    try {
      row.x[place] = encode(hasComma ? text.replace(",", ".") : text);
    } catch (error) {
      tell(error.code, { minimum, maximum });
    }
  };
}

/**
 * One cell becomes a 1 among zeros; fault CATEGORY_UNKNOWN.
 * @param {{ value: string, place: number }[]} entries the column's values and their features
 * @param {number} fracBits @returns {CellReader}
 */
export function categoryReader(entries, fracBits) {
  const one = 2 ** fracBits;
  const places = new Map(entries.map(({ value, place }) => [value, place]));
  const named = [...places.keys()].slice(0, VALUES_NAMED);
  const allowed = [...named, ...(places.size > VALUES_NAMED ? ["…"] : [])].join(", ");
  return (cell, row, number, tell) => {
    const place = places.get(cell.normalize("NFC"));
    if (place === undefined) return tell("CATEGORY_UNKNOWN", { allowed });
    for (const each of places.values()) row.x[each] = 0;
    row.x[place] = one;
  };
}
