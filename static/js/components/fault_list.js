/**
 * The list of what is wrong in a table: the first faults on the page, all that were kept as a file.
 *
 * @typedef {import("../lib/faults.js").Fault} Fault
 */

import { csvText } from "../lib/csv.js";
import { saveFile } from "./files.js";
import { element, make } from "./page.js";
import { text } from "./texts.js";

const SHOWN = 200;

/** The sentence of a fault or note. @param {Fault} fault */
export function faultSentence({ code, value, params }) {
  return text(`table_${code}`, { value, ...params });
}

/** Show what is wrong; nothing if there is no fault. @param {Fault[]} faults @param {number} total how many there are in all */
export function showFaults(faults, total) {
  element("table-faults").hidden = total === 0;
  element("table-faults-title").textContent = text("table_faults", { count: total });
  const isCut = total > SHOWN;
  element("table-faults-first").textContent = isCut ? text("table_first", { count: SHOWN }) : "";
  element("table-faults-rows").replaceChildren(...faults.slice(0, SHOWN).map(faultRow));
  element("save-faults").onclick = () => {
    const header = ["table_row", "table_column", "table_what"].map((key) => text(key));
    const rows = faults.map((fault) => [fault.row, fault.column, faultSentence(fault)]);
    saveFile("faults.csv", csvText([header, ...rows]), "text/csv");
  };
}

/** @param {Fault} fault */
function faultRow(fault) {
  const { code, row, column } = fault;
  return make(
    "tr",
    { dataset: { code } },
    make("td", { className: "num" }, String(row)),
    make("td", {}, make("code", {}, column)),
    make("td", {}, faultSentence(fault)),
  );
}
