/**
 * Tables are read, checked and encoded here, so that the page stays alive meanwhile. The rows never
 * leave this worker but sealed: the page gets faults, counts, and signed bytes to seal.
 *
 * A request has a `kind`; the answer is `{kind: "done", ...}` or `{kind: "failed", code, params}`,
 * with `{kind: "progress", done, total}` (bytes read) before it.
 */

import { signApproval } from "../lib/approval.js";
import { canonicalBytes, canonicalJson } from "../lib/canonical.js";
import { CsvReader } from "../lib/csv.js";
import { TableChecker } from "../lib/data_table.js";
import { UsageError } from "../lib/errors.js";
import { readChosen } from "../lib/reading.js";
import { SchemaGuesser } from "../lib/schema_guess.js";

const PIECE_BYTES = 1 << 20;

/** @type {import("../lib/data_table.js").DataRow[]} of the table that was checked last */
let rows = [];

const ACTS = {
  /** Check a table against a study. @param {any} request */
  async check({ file, configuration, decimalComma, hasIds }) {
    rows = [];
    const checker = new TableChecker(configuration, { decimalComma, hasIds });
    checker.finish(await readTable(file, (record) => checker.take(record)));
    const { faults, notes, nRows } = checker;
    if (faults.total === 0) rows = checker.rows;
    const labels = [0, 1, 2].map((value) => rows.filter(([, , y]) => y === value).length);
    return { faults: faults.kept, total: faults.total, notes: notes.kept, nRows, labels };
  },

  /** Sign the rows that were checked, as the bytes to be sealed. @param {any} request */
  async sign({ approver, studyId, digest }) {
    const body = canonicalJson({ format: "bj1 data", study_id: studyId, configuration: digest, rows });
    const approval = await signApproval(approver, "data", body);
    return { message: canonicalBytes({ body, approval }), nRows: rows.length };
  },

  /** Guess what the columns of a table are. @param {any} request */
  async guess({ file }) {
    const guesser = new SchemaGuesser();
    const reader = await readTable(file, (record) => guesser.take(record));
    return guesser.finish(reader);
  },
};

/**
 * Read a file piece by piece.
 * @param {File} file @param {(record: import("../lib/csv.js").CsvRecord) => void} take
 */
async function readTable(file, take) {
  const reader = new CsvReader(take);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let done = 0; done < file.size; done += PIECE_BYTES) {
    const piece = await readChosen(file.slice(done, done + PIECE_BYTES).arrayBuffer());
    reader.push(decoder.decode(piece, { stream: true }));
    postMessage({ kind: "progress", done: Math.min(done + PIECE_BYTES, file.size), total: file.size });
  }
  reader.push(decoder.decode());
  reader.finish();
  return reader;
}

addEventListener("message", async ({ data }) => {
  try {
    const answer = await ACTS[data.kind](data);
    const moved = answer.message ? [answer.message.buffer] : [];
    postMessage({ ...answer, kind: "done" }, { transfer: moved });
  } catch (error) {
    const { code, params } = error instanceof UsageError ? error : new UsageError("WORKER_FAILED");
    postMessage({ kind: "failed", code, params });
  }
});
