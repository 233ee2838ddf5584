/**
 * The panel where a data-holder uploads a table: checked as soon as it is chosen, then signed,
 * sealed and sent. It stands outside the live part of the page, which would take the file away.
 */

import { csvText } from "../lib/csv.js";
import { columnsOf } from "../lib/data_table.js";
import { forgetUpload, keptUpload } from "../lib/kept_upload.js";
import { TableWorker } from "../lib/table_worker.js";
import { readTerms } from "../lib/terms.js";
import { sealTable, sendTable } from "../net/data_upload.js";
import { pageData } from "../net/page_data.js";
import { whileBusy } from "./busy.js";
import { faultSentence, showFaults } from "./fault_list.js";
import { onChoice, saveFile } from "./files.js";
import { element, make } from "./page.js";
import { showProblem } from "./problem.js";
import { advance, endProgress, say, showReading } from "./table_progress.js";
import { text } from "./texts.js";

const MEGABYTE = 1e6;

/** @type {TableWorker | null} */
let worker = null;

/** Show the panel once a table may be uploaded. */
export function showDataPanel() {
  const panel = document.getElementById("data-panel");
  if (panel === null) return;
  panel.hidden = document.querySelector('#region-data a[href="#data-panel"]') === null;
  const { configuration_text: configuration } = pageData();
  if (!configuration) return;
  const columns = columnsOf(JSON.parse(configuration));
  const named = columns.flatMap((name) => [make("code", {}, name), " "]);
  element("data-columns").replaceChildren(...named);
}

/** Bring the panel to life, if the page has it. @param {() => Promise<void>} refresh */
export function connectDataPanel(refresh) {
  if (document.getElementById("data-panel") === null) return;
  const send = (act) => (event) =>
    whileBusy(event.currentTarget, element("data-problem"), async () => {
      await act();
      await refresh();
    });
  onChoice(element("data-file"), check);
  element("decimal-comma").addEventListener("change", check);
  element("send-data").addEventListener("click", send(sealAndSend));
  element("upload-resume").addEventListener("click", send(resume));
  element("upload-forget").addEventListener("click", async () => {
    await forgetUpload(pageData().urls.data);
    await showWaiting();
  });
  element("save-template").addEventListener("click", () => {
    const columns = columnsOf(JSON.parse(pageData().configuration_text));
    saveFile("table.csv", csvText([columns]), "text/csv");
  });
  showDataPanel();
  showWaiting();
}

/** Check the table that is chosen; a newer choice ends an older check. */
async function check() {
  worker?.end();
  worker = null;
  clear();
  const file = element("data-file").files[0];
  if (!file) return;
  const mine = (worker = new TableWorker());
  const { configuration_text: terms, configuration_digest: digest } = pageData();
  try {
    const { configuration } = await readTerms(terms, digest);
    const isComma = element("decimal-comma").checked;
    const request = { file, configuration, decimalComma: isComma, hasIds: true };
    const answer = await mine.ask({ kind: "check", ...request }, showReading);
    if (mine === worker) showAnswer(answer, configuration.label);
  } catch (error) {
    if (mine !== worker) return;
    clear();
    showProblem(element("data-problem"), error);
  }
}

/** @param {any} answer of the worker @param {any} label */
function showAnswer({ faults, total, notes, nRows, labels }, { favourable, unfavourable }) {
  endProgress();
  const [bad, good, unknown] = labels;
  const counts = { count: nRows, favourable, good, unfavourable, bad, unknown };
  say(total === 0 ? text("data_good", counts) : "");
  element("table-notes").hidden = notes.length === 0;
  element("table-notes").replaceChildren(
    ...notes.map((note) => make("li", { dataset: { code: note.code } }, faultSentence(note))),
  );
  showFaults(faults, total);
  element("send-data").hidden = total > 0;
}

async function sealAndSend() {
  const data = pageData();
  const study = await readTerms(data.configuration_text, data.configuration_digest);
  say(text("upload_sealing"));
  const upload = await sealTable(data, study, worker);
  element("send-data").hidden = true;
  await deliver(upload);
}

async function resume() {
  const upload = await keptUpload(pageData().urls.data);
  if (upload) await deliver(upload);
}

/** @param {import("../lib/kept_upload.js").KeptUpload} upload */
async function deliver(upload) {
  element("upload-waits").hidden = true;
  try {
    await sendTable(pageData(), upload, {
      progress: showSending,
      waiting: (isLost) => isLost && say(text("upload_lost")),
    });
    say(text("upload_sent", { count: upload.nRows }));
  } catch (error) {
    say("");
    await showWaiting();
    throw error;
  } finally {
    endProgress();
  }
}

/** Offer to go on with a table that has not arrived whole. */
async function showWaiting() {
  const upload = await keptUpload(pageData().urls.data);
  element("upload-waits").hidden = upload === null;
  if (upload === null) return;
  element("upload-waits-sentence").textContent = text("upload_waits", { count: upload.nRows });
}

function clear() {
  for (const id of ["table-progress", "table-notes", "table-faults", "send-data"]) {
    element(id).hidden = true;
  }
  showProblem(element("data-problem"), null);
  say("");
}

/** @param {number} done @param {number} total bytes */
function showSending(done, total) {
  advance(done, total);
  const [sent, all] = [done, total].map((bytes) => (bytes / MEGABYTE).toFixed(1));
  say(text("upload_sending", { done: sent, total: all }));
}
