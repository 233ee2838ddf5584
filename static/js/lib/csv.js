/**
 * Tables as people export them: comma, semicolon or tab, quotes, a byte-order mark.
 *
 * @typedef {{ number: number, cells: Record<string, string> }} Row number as a spreadsheet counts
 * @typedef {{ code: string, row: number, column: string, value?: string }} TableError
 *   column "" where the whole row is meant
 * @typedef {{ header: string[], rows: Row[], errors: TableError[] }} Table
 */

import { UsageError } from "./errors.js";

const SEPARATORS = [",", ";", "\t"];

/** Read a file's bytes as UTF-8. @param {ArrayBuffer | Uint8Array} bytes @returns {string} */
export function decodeText(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError("NOT_UTF8");
  }
}

/**
 * Read a table. Rows with errors are left out of `rows`; blank lines are passed over.
 *
 * Codes: FILE_EMPTY, COLUMN_NAMELESS, COLUMN_REPEATED, COLUMN_MISSING (of the header, row 1);
 * QUOTE_UNCLOSED, QUOTE_MISPLACED, ROW_TOO_SHORT, ROW_TOO_LONG, CELL_EMPTY, ID_REPEATED.
 *
 * @param {string} text
 * @param {{ required?: readonly string[], id?: string }} [options] columns that must be there and
 *   filled in; the column whose values must differ
 * @returns {Table}
 */
export function parseCsv(text, { required = [], id } = {}) {
  const content = text.replace(/^\uFEFF/, "");
  const separator = separatorOf(content);
  const { records, errors } = splitRecords(content, separator);
  const [first, ...rest] = records;
  if (first === undefined) {
    return { header: [], rows: [], errors: [{ code: "FILE_EMPTY", row: 1, column: "" }] };
  }
  const header = first.values.map((name) => name.trim());
  const wanted = id === undefined ? required : [...new Set([id, ...required])];
  const headerErrors = checkHeader(header, wanted);
  if (headerErrors.length > 0) return { header, rows: [], errors: headerErrors };

  /** @type {Row[]} */
  const rows = [];
  const seen = new Set();
  for (const { number, values } of rest) {
    const found = checkRow(header, wanted, number, values);
    const cells = Object.assign(
      Object.create(null),
      Object.fromEntries(header.map((name, column) => [name, values[column]?.trim()])),
    );
    if (found.length === 0 && id !== undefined) {
      if (seen.has(cells[id])) {
        found.push({ code: "ID_REPEATED", row: number, column: id, value: cells[id] });
      }
      seen.add(cells[id]);
    }
    if (found.length === 0) rows.push({ number, cells });
    errors.push(...found);
  }
  errors.sort((a, b) => a.row - b.row);
  return { header, rows, errors };
}

/** @param {readonly string[]} header @param {readonly string[]} wanted @returns {TableError[]} */
function checkHeader(header, wanted) {
  const errors = [];
  header.forEach((name, column) => {
    if (name === "") errors.push({ code: "COLUMN_NAMELESS", row: 1, column: String(column + 1) });
    else if (header.indexOf(name) < column) {
      errors.push({ code: "COLUMN_REPEATED", row: 1, column: name });
    }
  });
  for (const name of wanted) {
    if (!header.includes(name)) errors.push({ code: "COLUMN_MISSING", row: 1, column: name });
  }
  return errors;
}

/**
 * @param {readonly string[]} header @param {readonly string[]} wanted
 * @param {number} row @param {readonly string[]} values
 * @returns {TableError[]}
 */
function checkRow(header, wanted, row, values) {
  if (values.length < header.length) return [{ code: "ROW_TOO_SHORT", row, column: "" }];
  if (values.length > header.length) return [{ code: "ROW_TOO_LONG", row, column: "" }];
  return wanted
    .filter((name) => values[header.indexOf(name)].trim() === "")
    .map((column) => ({ code: "CELL_EMPTY", row, column }));
}

/**
 * The separator that cuts the first line into most cells; comma if none does.
 * @param {string} text
 */
function separatorOf(text) {
  const line = text.split(/\r\n|\r|\n/).find((candidate) => candidate.trim() !== "") ?? "";
  const bare = line.replace(/"(?:[^"]|"")*"/g, "");
  const counts = SEPARATORS.map((separator) => bare.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))];
}

/**
 * Cut the text into records; a broken record is an error and not a record.
 * @param {string} text @param {string} separator
 * @returns {{ records: { number: number, values: string[] }[], errors: TableError[] }}
 */
function splitRecords(text, separator) {
  const records = [];
  /** @type {TableError[]} */
  const errors = [];
  let position = 0;
  for (let number = 1; position < text.length; number += 1) {
    const { values, next, fault } = readRecord(text, position, separator);
    position = next;
    const column = String(values.length);
    if (fault !== null) errors.push({ code: fault, row: number, column });
    else if (values.length > 1 || values[0].trim() !== "") records.push({ number, values });
  }
  return { records, errors };
}

/**
 * Read one record from `start`.
 * @param {string} text @param {number} start @param {string} separator
 * @returns {{ values: string[], next: number, fault: string | null }}
 */
function readRecord(text, start, separator) {
  const values = [];
  /** @type {string | null} */
  let fault = null;
  let position = start;
  for (;;) {
    const isQuoted = text[position] === '"';
    const cell = isQuoted ? readQuoted(text, position) : readBare(text, position, separator);
    values.push(cell.value);
    position = cell.next;
    if (text[position] === separator) {
      position += 1;
      continue;
    }
    if (position < text.length && !isLineEnd(text[position])) {
      fault ??= "QUOTE_MISPLACED";
      position = readBare(text, position, separator).next;
      if (text[position] === separator) {
        position += 1;
        continue;
      }
    }
    if (!cell.closed) fault ??= "QUOTE_UNCLOSED";
    return { values, next: afterLineEnd(text, position), fault };
  }
}

/** @param {string} text @param {number} start @param {string} separator */
function readBare(text, start, separator) {
  let next = start;
  while (next < text.length && text[next] !== separator && !isLineEnd(text[next])) next += 1;
  return { value: text.slice(start, next), next, closed: true };
}

/** @param {string} text @param {number} start at the opening quote */
function readQuoted(text, start) {
  let value = "";
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return { value: value + text.slice(from), next: text.length, closed: false };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, next: quote + 1, closed: true };
    value += '"';
    from = quote + 2;
  }
}

/** @param {string} character */
function isLineEnd(character) {
  return character === "\n" || character === "\r";
}

/** @param {string} text @param {number} position */
function afterLineEnd(text, position) {
  return position + (text.startsWith("\r\n", position) ? 2 : 1);
}
