/**
 * The bar and the sentence that say how far a table is.
 */

import { element } from "./page.js";
import { text } from "./texts.js";

/** @param {number} done @param {number} total bytes */
export function advance(done, total) {
  element("table-progress").hidden = false;
  Object.assign(element("table-progress-bar"), { max: total, value: done });
}

/** @param {number} done @param {number} total bytes that were read */
export function showReading(done, total) {
  advance(done, total);
  say(text("table_reading", { percent: Math.floor((100 * done) / total) }));
}

/** Hide the bar. */
export function endProgress() {
  element("table-progress").hidden = true;
}

/** @param {string} sentence read out to who listens; "" clears */
export function say(sentence) {
  element("table-status").textContent = sentence;
}
