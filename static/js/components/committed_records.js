/**
 * The records of a study whose table was committed to: row i belongs to one record, which follows
 * from the commitment. Twin of the engine's `control/data_commitment.py`.
 */

import { fromHex, u32, utf8 } from "../lib/bytes.js";
import { sha256 } from "../lib/digests.js";
import { getJson } from "../net/api.js";
import { problem } from "./problem.js";

const RECORD = utf8("blindjustice/v1/data commitment\0\x03");

/**
 * The records of the next rows that nobody was invited for; null where people bring their data.
 * @param {any} data of the study's page @param {number} count
 * @returns {Promise<Uint8Array[] | null>}
 */
export async function committedRecords(data, count) {
  const { data_commitment: commitment } = JSON.parse(data.configuration_text);
  if (!commitment) return null;
  const { counts } = await getJson(data.urls.study);
  if (counts.invited + count > commitment.rows) throw problem("invite_rows");
  const rows = Array.from({ length: count }, (_, k) => counts.invited + k);
  return Promise.all(rows.map((row) => recordOf(fromHex(commitment.root), row)));
}

/** @param {Uint8Array} root @param {number} row @returns {Promise<Uint8Array>} 16 bytes */
export async function recordOf(root, row) {
  return (await sha256(RECORD, root, u32(row))).slice(0, 16);
}
