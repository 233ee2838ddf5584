/**
 * Guess what the columns of a table are: numbers with range and scale, yes or no, categories, the
 * decision, what people should rather be asked. A person corrects it; nothing is sent.
 *
 * @typedef {"number" | "yes_no" | "category" | "label" | "ask" | "record" | "leave"} Kind
 * @typedef {object} GuessedColumn
 * @property {string} title as the header has it
 * @property {Kind} kind the guess
 * @property {Kind[]} kinds what it could be
 * @property {number} nBlank empty cells
 * @property {string[]} values in order of frequency; empty if there are too many to be categories
 * @property {string} minimum rounded outward, so that it is nobody's own value
 * @property {string} maximum
 * @property {string} unit about as large as values typically differ
 */

import { shortName } from "./names.js";

const MAX_CATEGORIES = 64;
const MAX_ASKED = 16;
const LABELS = /^(label|target|class|outcome|decision|income|y)$/;
const SENSITIVE = /^(sex|gender|race|ethnicity|ethnic_group|religion|nationality|disability|marital_status)$/;
const YES_NO = /^(yes|no|y|n|true|false|t|f|0|1)$/i;
const RECORD_ID = /^[0-9a-f]{32}$/;
const COMMA = /^[+-]?\d*,\d+$/;
/** A thousand and more, or three decimals: says nothing of how a table writes decimals. */
const TWO_WAYS = /^[+-]?[1-9]\d{0,2},\d{3}$/;
/** What programs write for a missing value: an empty cell, not an answer. */
const MISSING = /^(nan|nat|<na>)?$/i;
/** Encoded values have 24 bits, 8 of them fractional by default. */
const MOST_UNITS = 2 ** 15;

/** What is known of one column so far. */
class ColumnSketch {
  /** @type {Map<string, number>} how often each value occurs */
  values = new Map();
  nCells = 0;
  nBlank = 0;
  nNumbers = 0;
  nCommas = 0;
  nRecordIds = 0;
  mean = 0;
  squares = 0;
  least = Infinity;
  most = -Infinity;

  /** @param {string} cell trimmed */
  add(cell) {
    if (MISSING.test(cell)) {
      this.nBlank += 1;
      return;
    }
    this.nCells += 1;
    if (this.values.size <= MAX_CATEGORIES || this.values.has(cell)) {
      this.values.set(cell, (this.values.get(cell) ?? 0) + 1);
    }
    if (RECORD_ID.test(cell)) this.nRecordIds += 1;
    const isComma = COMMA.test(cell);
    const number = Number(isComma ? cell.replace(",", ".") : cell);
    if (!Number.isFinite(number)) return;
    if (isComma && !TWO_WAYS.test(cell)) this.nCommas += 1;
    this.nNumbers += 1;
    const step = number - this.mean; // Welford (1962)
    this.mean += step / this.nNumbers;
    this.squares += step * (number - this.mean);
    this.least = Math.min(this.least, number);
    this.most = Math.max(this.most, number);
  }

  get deviation() {
    return Math.sqrt(this.squares / Math.max(1, this.nNumbers));
  }
}

export class SchemaGuesser {
  /** @type {string[]} */
  #header = [];
  /** @type {ColumnSketch[]} */
  #sketches = [];
  #nRows = 0;

  /** Take the next record, the header first; broken ones are for the check. @param {import("./csv.js").CsvRecord} record */
  take({ values, fault }) {
    if (this.#header.length === 0) {
      this.#header = values.map((name) => name.trim());
      this.#sketches = values.map(() => new ColumnSketch());
      return;
    }
    this.#nRows += 1;
    if (fault || values.length !== this.#header.length) return;
    values.forEach((cell, index) => this.#sketches[index].add(cell.trim().normalize("NFC")));
  }

  /** @returns {{ columns: GuessedColumn[], nRows: number, decimalComma: boolean }} */
  finish() {
    const named = this.#sketches.map((sketch, i) => ({ sketch, title: this.#header[i] }));
    const columns = named.filter(({ title }) => title !== "").map(guessColumn);
    const labels = columns.filter(({ title, kinds }) => {
      return kinds.includes("label") && LABELS.test(shortName(title));
    });
    if (labels.length === 1) labels[0].kind = "label";
    return { columns, nRows: this.#nRows, decimalComma: this.#sketches.some(writesCommas) };
  }
}

/** @param {{ sketch: ColumnSketch, title: string }} column @returns {GuessedColumn} */
function guessColumn({ sketch, title }) {
  const { values, nCells, nNumbers, nBlank, nRecordIds } = sketch;
  const name = shortName(title);
  const few = values.size <= MAX_CATEGORIES ? [...values.keys()] : [];
  /** @type {Kind[]} the likeliest first */
  const kinds = [];
  if (name === "record_id" || (nCells > 0 && nRecordIds === nCells)) kinds.push("record");
  if (few.length >= 2 && few.length <= MAX_ASKED && SENSITIVE.test(name)) kinds.push("ask");
  if (few.length === 2 && few.every((value) => YES_NO.test(value))) kinds.push("yes_no");
  if (sketch.least < sketch.most && 2 * nNumbers > nCells) kinds.push("number");
  if (few.length >= 2) kinds.push("category");
  if (few.length === 2) kinds.push("label");
  if (few.length >= 2 && few.length <= MAX_ASKED) kinds.push("ask");
  kinds.push("leave");
  const sorted = few.sort((a, b) => (values.get(b) ?? 0) - (values.get(a) ?? 0));
  const range = kinds.includes("number") ? rangeOf(sketch) : { minimum: "0", maximum: "1", unit: "1" };
  return { title, kind: kinds[0], kinds: [...new Set(kinds)], nBlank, values: sorted, ...range };
}

/** @param {ColumnSketch} sketch */
function writesCommas({ nCommas, nNumbers, nCells }) {
  return nCommas > 0 && nNumbers === nCells;
}

/**
 * Range and unit in round numbers: the ends a power of ten apart from the values at most.
 * @param {ColumnSketch} sketch
 */
function rangeOf({ least, most, deviation }) {
  const power = Math.floor(Math.log10(most - least));
  const step = 10 ** power;
  const minimum = plain(Math.floor(least / step), power);
  const maximum = plain(Math.ceil(most / step), power);
  let unitPower = Math.floor(Math.log10(deviation));
  while (Math.max(Math.abs(least), Math.abs(most)) / 10 ** unitPower >= MOST_UNITS) unitPower += 1;
  const digit = [5, 2, 1].find((each) => each * 10 ** unitPower <= deviation) ?? 1;
  return { minimum, maximum, unit: plain(digit, unitPower) };
}

/** `digits * 10^power` as a plain decimal, exactly. @param {number} digits whole @param {number} power */
function plain(digits, power) {
  if (digits === 0) return "0";
  if (power >= 0) return String(BigInt(digits) * 10n ** BigInt(power));
  const text = String(Math.abs(digits)).padStart(1 - power, "0");
  const decimals = text.slice(power).replace(/0+$/, "");
  return `${digits < 0 ? "-" : ""}${text.slice(0, power)}${decimals && `.${decimals}`}`;
}

/**
 * The parts of a study's draft that columns say.
 * @param {GuessedColumn[]} columns as a person confirmed them; of kind "label" one at most
 * @param {string} favourable the value of the decision's column that is good for the person
 * @returns {{ features: any[], attributes: any[], label: any }} label null if there is none
 */
export function draftOf(columns, favourable) {
  const of = (kind) => columns.filter((column) => column.kind === kind);
  const taken = new Set(columns.map(({ title }) => shortName(title)));
  const features = columns.flatMap(({ kind, title, values, minimum, maximum, unit }) => {
    const name = shortName(title);
    if (kind === "number") return [{ name, title, unit, minimum, maximum }];
    const yesNo = { unit: "1", minimum: "0", maximum: "1" };
    if (kind === "yes_no") return [{ name, title, ...yesNo }];
    if (kind !== "category") return [];
    return values.map((value) => ({
      name: fresh(shortName(`${title} ${value}`), taken),
      title: `${title}: ${value}`,
      ...yesNo,
      category: { column: name, value },
    }));
  });
  const attributes = of("ask").map(({ title, values }) => {
    const names = new Set();
    const categories = values.map((value) => ({ name: fresh(shortName(value), names), title: value }));
    return { name: shortName(title), title, question: title, categories };
  });
  const [decision] = of("label");
  const label = decision && {
    name: shortName(decision.title),
    title: decision.title,
    favourable,
    unfavourable: decision.values.find((value) => value !== favourable),
  };
  return { features, attributes, label: label ?? null };
}

/** A name that is not taken yet, and is from now on. @param {string} wanted @param {Set<string>} taken */
function fresh(wanted, taken) {
  const stem = (wanted || "other").slice(0, 54);
  let name = stem;
  for (let number = 2; taken.has(name); number += 1) name = `${stem}_${number}`;
  taken.add(name);
  return name;
}
