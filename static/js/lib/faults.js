/**
 * What is wrong in a table: every fault is counted, the first of them are kept.
 *
 * @typedef {object} Fault
 * @property {string} code stable, upper case; the page has a sentence for each
 * @property {number} row as a spreadsheet counts
 * @property {string} column its name; "" where the whole row or file is meant
 * @property {string} value what stands there, cut short
 * @property {Record<string, string | number>} params what the sentence names besides
 */

const MAX_KEPT = 10_000;
const MAX_VALUE_CHARACTERS = 60;

export class FaultList {
  /** @type {Fault[]} */
  kept = [];
  total = 0;

  /**
   * @param {string} code @param {number} row @param {string} [column] @param {string} [value]
   * @param {Record<string, string | number>} [params]
   */
  add(code, row, column = "", value = "", params = {}) {
    this.total += 1;
    if (this.kept.length === MAX_KEPT) return;
    this.kept.push({ code, row, column, value: value.slice(0, MAX_VALUE_CHARACTERS), params });
  }
}
