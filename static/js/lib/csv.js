/**
 * Tables as people export them (RFC 4180): comma, semicolon or tab, quotes, a byte-order mark;
 * read piece by piece, so that a file of any size is never held twice.
 *
 * @typedef {{ code: "QUOTE_UNCLOSED" | "QUOTE_MISPLACED", column: number }} Break where a record
 *   breaks off: the cell, counted from 0
 * @typedef {{ number: number, values: string[], fault: Break | null }} CsvRecord number as a
 *   spreadsheet counts rows; the values of a record with a fault are not to be used
 */

const SEPARATORS = [",", ";", "\t"];
const [QUOTE, NEW_LINE, RETURN] = ['"', "\n", "\r"].map((mark) => mark.charCodeAt(0));

export class CsvReader {
  /** What separates cells; known once the first line has come. */
  separator = ",";
  /** Whether the text began with a byte-order mark. */
  hasMark = false;
  #take;
  #rest = "";
  #number = 0;
  #isStarted = false;

  /** @param {(record: CsvRecord) => void} take called for each record; blank lines are passed over */
  constructor(take) {
    this.#take = take;
  }

  /** Read on. @param {string} text the next piece */
  push(text) {
    this.#rest += text;
    this.#cut(false);
  }

  /** Read what is left: no more text comes. */
  finish() {
    this.#cut(true);
  }

  /** @param {boolean} isLast whether no more text comes */
  #cut(isLast) {
    if (!this.#isStarted && !this.#start(isLast)) return;
    const text = this.#rest;
    let position = 0;
    while (position < text.length) {
      const record = readRecord(text, position, this.separator, isLast);
      if (record === null) break;
      position = record.next;
      this.#number += 1;
      const { values, fault } = record;
      if (fault || values.length > 1 || values[0].trim() !== "") {
        this.#take({ number: this.#number, values, fault });
      }
    }
    this.#rest = text.slice(position);
  }

  /** Look at the mark and the first line; false if it has not come whole. @param {boolean} isLast */
  #start(isLast) {
    const content = this.#rest.replace(/^\uFEFF/, "");
    const line = /^\s*(\S.*?)[\r\n]/.exec(content)?.[1] ?? (isLast ? content : null);
    if (line === null) return false;
    this.hasMark = content !== this.#rest;
    this.separator = separatorOf(line);
    this.#rest = content;
    this.#isStarted = true;
    return true;
  }
}

/** The separator that cuts a line into most cells; comma if none does. @param {string} line */
function separatorOf(line) {
  const bare = line.replace(/"(?:[^"]|"")*"/g, "");
  const counts = SEPARATORS.map((separator) => bare.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))];
}

/**
 * Read one record from `start`; null if it may go on in the next piece.
 * @param {string} text @param {number} start @param {string} separator @param {boolean} isLast
 * @returns {{ values: string[], next: number, fault: Break | null } | null}
 */
function readRecord(text, start, separator, isLast) {
  const between = separator.charCodeAt(0);
  /** @type {string[]} */
  const values = [];
  /** @type {Break | null} */
  let fault = null;
  let position = start;
  for (;;) {
    if (text.charCodeAt(position) === QUOTE) {
      const cell = readQuoted(text, position);
      if (cell === null) return isLast ? unclosed(text, start, values) : null;
      values.push(cell.value);
      position = cell.next;
      if (position < text.length && !ends(text, position, between)) {
        fault ??= { code: "QUOTE_MISPLACED", column: values.length - 1 };
        position = endOfCell(text, position, between);
      }
    } else {
      const end = endOfCell(text, position, between);
      values.push(text.slice(position, end));
      position = end;
    }
    if (text.charCodeAt(position) === between) {
      position += 1;
      continue;
    }
    const next = position + (text.startsWith("\r\n", position) ? 2 : 1);
    const mayGoOn = next > text.length || (next === text.length && text.endsWith("\r"));
    return mayGoOn && !isLast ? null : { values, next, fault };
  }
}

/**
 * A quotation mark that nothing closes spoils its own line only.
 * @param {string} text @param {number} start of the record @param {string[]} values before it
 */
function unclosed(text, start, values) {
  const line = /[\r\n]/g;
  line.lastIndex = start;
  const end = line.exec(text)?.index ?? text.length;
  const next = end + (text.startsWith("\r\n", end) ? 2 : 1);
  /** @type {Break} */
  const fault = { code: "QUOTE_UNCLOSED", column: values.length };
  return { values, next, fault };
}

/** @param {string} text @param {number} position @param {number} between */
function endOfCell(text, position, between) {
  let end = position;
  while (end < text.length && !ends(text, end, between)) end += 1;
  return end;
}

/** @param {string} text @param {number} position @param {number} between */
function ends(text, position, between) {
  const mark = text.charCodeAt(position);
  return mark === between || mark === NEW_LINE || mark === RETURN;
}

/**
 * @param {string} text @param {number} start at the opening quote
 * @returns {{ value: string, next: number } | null} null if it isn't closed
 */
function readQuoted(text, start) {
  let value = "";
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return null;
    value += text.slice(from, quote);
    if (text.charCodeAt(quote + 1) !== QUOTE) return { value, next: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}

/**
 * One cell of a table that is saved: quoted where it must be, and no formula in any spreadsheet.
 * @param {string | number} value
 */
export function csvCell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table to be saved. @param {readonly (readonly (string | number)[])[]} rows */
export function csvText(rows) {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}
