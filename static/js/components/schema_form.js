/**
 * Fill in a study's draft from a table: guesses about its columns, corrected and confirmed by the
 * modeler, then all rows checked against what came out. Nothing of the table is sent.
 *
 * @typedef {import("../lib/schema_guess.js").GuessedColumn} GuessedColumn
 */

import { csvText } from "../lib/csv.js";
import { columnsOf } from "../lib/data_table.js";
import { problem } from "../lib/problem.js";
import { draftOf } from "../lib/schema_guess.js";
import { TableWorker } from "../lib/table_worker.js";
import { whileBusy } from "./busy.js";
import { showFaults } from "./fault_list.js";
import { onChoice, saveFile } from "./files.js";
import { element, make } from "./page.js";
import { endProgress, say, showReading } from "./table_progress.js";
import { text } from "./texts.js";

const VALUES_NAMED = 6;

/** @type {{ columns: GuessedColumn[], nRows: number, decimalComma: boolean } | null} */
let guess = null;

/** @param {() => any} read the draft as the form has it @param {(draft: any) => void} fill parts of a draft into the form */
export function connectSchema(read, fill) {
  const place = element("schema-problem");
  const busy = (act) => () => whileBusy(element("schema-apply"), place, act);
  onChoice(element("schema-file"), busy(guessColumns));
  element("schema-apply").addEventListener("click", busy(() => apply(read, fill)));
  element("save-template").addEventListener("click", () =>
    saveFile("table.csv", csvText([columnsOf(read())]), "text/csv"),
  );
}

/** @param {any} request @returns {Promise<any>} */
async function askWorker(request) {
  const worker = new TableWorker();
  try {
    return await worker.ask({ ...request, file: element("schema-file").files[0] }, showReading);
  } finally {
    worker.end();
    endProgress();
    say("");
  }
}

async function guessColumns() {
  guess = null;
  element("schema-guess").hidden = true;
  showFaults([], 0);
  if (element("schema-file").files.length === 0) return;
  const found = await askWorker({ kind: "guess" });
  if (found.columns.length === 0) throw problem("schema_empty");
  guess = found;
  element("schema-columns").replaceChildren(...found.columns.map(columnRow));
  element("schema-guess").hidden = false;
  showFavourable();
  say(text("schema_guessed", { rows: found.nRows, columns: found.columns.length }));
}

/** @param {GuessedColumn} column */
function columnRow(column) {
  const { title, kinds } = column;
  const options = kinds.map((kind) => make("option", { value: kind }, text(`kind_${kind}`)));
  const select = make("select", { ariaLabel: text("schema_kind_of", { title }) }, ...options);
  const inside = make("td", {}, contents(column));
  select.value = column.kind;
  select.addEventListener("change", () => {
    column.kind = select.value;
    inside.textContent = contents(column);
    showFavourable();
  });
  const field = make("div", { className: "field" }, select);
  const name = make("th", { scope: "row" }, make("code", {}, title));
  return make("tr", { dataset: { column: title } }, name, make("td", {}, field), inside);
}

/** What is in a column, seen as its kind. @param {GuessedColumn} column */
function contents({ kind, minimum, maximum, unit, values, nBlank }) {
  const named = [...values.slice(0, VALUES_NAMED), ...(values.length > VALUES_NAMED ? ["…"] : [])];
  const parts = [];
  if (kind === "number") parts.push(text("schema_range", { minimum, maximum, unit }));
  else if (values.length > 0) {
    parts.push(text("schema_values", { count: values.length, values: named.join(", ") }));
  }
  if (nBlank > 0) parts.push(text("schema_blank", { count: nBlank }));
  return parts.join("; ");
}

/** Ask which outcome is favourable where one column is the decision; nothing is chosen before. */
function showFavourable() {
  const labels = guess.columns.filter(({ kind }) => kind === "label");
  const select = element("schema-favourable");
  const before = select.value;
  element("schema-favourable-field").hidden = labels.length !== 1;
  const values = labels.length === 1 ? ["", ...labels[0].values] : [""];
  select.replaceChildren(...values.map((value) => make("option", { value }, value)));
  select.value = values.includes(before) ? before : "";
}

/** @param {() => any} read @param {(draft: any) => void} fill */
async function apply(read, fill) {
  const { columns, nRows, decimalComma } = guess;
  const favourable = element("schema-favourable").value;
  if (columns.filter(({ kind }) => kind === "label").length !== 1) throw problem("schema_labels");
  if (favourable === "") throw problem("schema_favourable");
  const { features, attributes, label } = draftOf(columns, favourable);
  const asked = attributes.length > 0 ? { attributes } : {};
  fill({ features, label, data_source: "file", ...asked });
  const configuration = { features, label, x_frac_bits: Number(read().x_frac_bits) };
  const checking = { kind: "check", configuration, decimalComma, hasIds: false };
  const { faults, total } = await askWorker(checking);
  showFaults(faults, total);
  const key = total > 0 ? "schema_filled_faults" : "schema_filled";
  say(text(key, { features: features.length, rows: nRows }));
}
