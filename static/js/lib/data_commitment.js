/**
 * A table that was committed to before people were asked: row i belongs to one record.
 */

import { u32, utf8 } from "./bytes.js";
import { sha256 } from "./digests.js";
import { ID_BYTES } from "./layout.js";

const RECORD = utf8("blindjustice/v1/data commitment\0\x03");

/** The record of a row. @param {Uint8Array} root @param {number} row @returns {Promise<Uint8Array>} */
export async function committedRecord(root, row) {
  return (await sha256(RECORD, root, u32(row))).slice(0, ID_BYTES);
}
