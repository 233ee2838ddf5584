/**
 * A data-holder's table, checked against a study and encoded: no fault hides another.
 *
 * Columns are found by name, in any order; a study's names are lower-case, so "Marital Status" is
 * `marital_status`. A column of categories becomes one feature for each of its values.
 *
 * Codes of faults. Header: COLUMN_NAMELESS, COLUMN_REPEATED, COLUMN_MISSING, FILE_EMPTY. Rows:
 * QUOTE_UNCLOSED, QUOTE_MISPLACED, ROW_TOO_SHORT, ROW_TOO_LONG. Cells: CELL_EMPTY, TEXT_BROKEN,
 * and those of `column_readers.js`. Notes: BYTE_ORDER_MARK, SEPARATOR, COLUMNS_LEFT_OUT.
 *
 * @typedef {[string, number[], number]} DataRow record id, encoded x, y
 * @typedef {import("./csv.js").CsvRecord} CsvRecord
 * @typedef {{ title: string, index: number, mayBeEmpty: boolean, read: import("./column_readers.js").CellReader }} Column
 */

import { categoryReader, idReader, labelReader, numberReader, UNKNOWN } from "./column_readers.js";
import { FaultList } from "./faults.js";
import { shortName } from "./names.js";

const RECORD = "record_id";
const REPLACEMENT = "\uFFFD"; // what decoding leaves where bytes are not UTF-8

/**
 * The columns that a table of a study has, in the order of a template.
 * @param {any} configuration @returns {string[]}
 */
export function columnsOf({ features, label }) {
  const ofFeatures = features.map(({ name, category }) => category?.column ?? name);
  return [...new Set([RECORD, ...ofFeatures, label.name].filter(Boolean))];
}

export class TableChecker {
  /** @type {DataRow[]} rows without fault */
  rows = [];
  faults = new FaultList();
  notes = new FaultList();
  /** Rows that came, faulty ones too, the header not counted. */
  nRows = 0;
  #readers;
  #nFeatures;
  /** @type {string[]} */
  #header = [];
  /** @type {Column[]} */
  #columns = [];

  /**
   * @param {any} configuration of a draft, its label may be null
   * @param {{ decimalComma?: boolean, hasIds?: boolean }} [options] whether numbers are written
   *   with a comma; whether records are named, which they aren't before people are invited
   */
  constructor(configuration, { decimalComma = false, hasIds = true } = {}) {
    this.#readers = readersOf(configuration, decimalComma, hasIds);
    this.#nFeatures = configuration.features.length;
  }

  /** Take the next record of the file, the header first. @param {CsvRecord} record */
  take(record) {
    const { number, values, fault } = record;
    if (this.#header.length === 0) return this.#takeHeader(record);
    this.nRows += 1;
    const { length } = this.#header;
    if (fault) this.faults.add(fault.code, number, this.#nameOf(fault.column));
    else if (values.length < length) this.faults.add("ROW_TOO_SHORT", number);
    else if (values.length > length) this.faults.add("ROW_TOO_LONG", number);
    else this.#takeRow(number, values);
  }

  /** Say what the file as a whole is like. @param {import("./csv.js").CsvReader} reader */
  finish({ hasMark, separator }) {
    if (hasMark) this.notes.add("BYTE_ORDER_MARK", 1);
    if (separator !== ",") this.notes.add("SEPARATOR", 1, "", separator);
    if (this.nRows === 0) this.faults.add("FILE_EMPTY", 1);
  }

  /** @param {CsvRecord} record */
  #takeHeader({ number, values, fault }) {
    this.#header = values.map((name) => name.trim());
    if (fault) this.faults.add(fault.code, number, this.#nameOf(fault.column));
    /** @type {string[]} */
    const left = [];
    /** @type {Set<string>} */
    const found = new Set();
    this.#header.forEach((title, index) => {
      const name = this.#readers.has(title) ? title : shortName(title);
      const reader = this.#readers.get(name);
      if (title === "") this.faults.add("COLUMN_NAMELESS", number, this.#nameOf(index));
      else if (!reader) left.push(title);
      else if (found.has(name)) this.faults.add("COLUMN_REPEATED", number, title);
      else this.#columns.push({ title, index, ...reader });
      found.add(name);
    });
    for (const name of this.#readers.keys()) {
      if (!found.has(name)) this.faults.add("COLUMN_MISSING", number, name);
    }
    if (left.length > 0) this.notes.add("COLUMNS_LEFT_OUT", number, "", left.join(", "));
  }

  /** @param {number} number @param {string[]} values */
  #takeRow(number, values) {
    const before = this.faults.total;
    const row = { id: "", x: new Array(this.#nFeatures).fill(0), y: UNKNOWN };
    for (const { title, index, mayBeEmpty, read } of this.#columns) {
      const cell = values[index].trim();
      if (cell.includes(REPLACEMENT)) this.faults.add("TEXT_BROKEN", number, title, cell);
      else if (cell === "" && !mayBeEmpty) this.faults.add("CELL_EMPTY", number, title);
      else read(cell, row, number, (code, params) => this.faults.add(code, number, title, cell, params));
    }
    if (this.faults.total === before) this.rows.push([row.id, row.x, row.y]);
  }

  /** @param {number} index of a column */
  #nameOf(index) {
    return this.#header[index] || String(index + 1);
  }
}

/**
 * @param {any} configuration @param {boolean} decimalComma @param {boolean} hasIds
 * @returns {Map<string, { mayBeEmpty: boolean, read: import("./column_readers.js").CellReader }>} by column
 */
function readersOf({ features, label, x_frac_bits: fracBits }, decimalComma, hasIds) {
  /** @type {Map<string, { value: string, place: number }[]>} */
  const categories = new Map();
  const readers = new Map(hasIds ? [[RECORD, { mayBeEmpty: false, read: idReader() }]] : []);
  features.forEach((feature, place) => {
    const { name, category } = feature;
    const read = category ? null : numberReader(feature, place, fracBits, decimalComma);
    readers.set(category?.column ?? name, { mayBeEmpty: false, read });
    if (!category) return;
    const entries = categories.get(category.column) ?? [];
    categories.set(category.column, [...entries, { value: category.value, place }]);
  });
  for (const [column, entries] of categories) {
    readers.set(column, { mayBeEmpty: false, read: categoryReader(entries, fracBits) });
  }
  if (label) readers.set(label.name, { mayBeEmpty: true, read: labelReader(label) });
  return readers;
}
