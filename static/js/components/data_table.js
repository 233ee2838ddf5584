/**
 * A data-holder's table: read, check, encode; every fault names its row and column.
 *
 * @typedef {[string, number[], number]} DataRow record id, encoded x, y
 * @typedef {import("../lib/csv.js").TableError} TableError
 */

import { parseCsv } from "../lib/csv.js";
import { encodeFeature } from "../lib/encoding.js";
import { labelValue, UNKNOWN } from "../lib/label.js";

const RECORD = "record_id";

/**
 * @param {string} content of the file
 * @param {any} configuration
 * @returns {{ rows: DataRow[], errors: TableError[] }}
 */
export function readDataTable(content, configuration) {
  const { features, label } = configuration;
  const required = features.map(({ name }) => name);
  const table = parseCsv(content, { required: [RECORD, ...required], id: RECORD });
  const errors = [...table.errors];
  if (table.header.length > 0 && !table.header.includes(label.name)) {
    errors.unshift({ code: "COLUMN_MISSING", row: 1, column: label.name });
  }
  const rows = table.rows.map((row) => readRow(row, configuration, errors));
  if (errors.length === 0 && rows.length === 0) {
    errors.push({ code: "FILE_EMPTY", row: 1, column: "" });
  }
  errors.sort((a, b) => a.row - b.row);
  return { rows, errors };
}

/** @param {import("../lib/csv.js").Row} row @param {any} configuration @param {TableError[]} errors @returns {DataRow} */
function readRow({ number, cells }, configuration, errors) {
  const { features, label, x_frac_bits: fracBits } = configuration;
  const fault = (code, column) =>
    errors.push({ code, row: number, column, value: cells[column]?.slice(0, 60) });
  if (!/^[0-9a-f]{32}$/.test(cells[RECORD])) fault("RECORD_ID_INVALID", RECORD);
  const x = features.map((feature) => {
    try {
      return encodeFeature(cells[feature.name], feature, fracBits);
    } catch (error) {
      fault(error.code, feature.name);
      return 0;
    }
  });
  const y = labelValue(cells[label.name] ?? "", label);
  if (y === null) fault("LABEL_UNKNOWN", label.name);
  return [cells[RECORD], x, y ?? UNKNOWN];
}
