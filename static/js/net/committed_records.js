/**
 * Which records the next invitations are for, in a study whose table was committed to.
 */

import { fromHex } from "../lib/bytes.js";
import { committedRecord } from "../lib/data_commitment.js";
import { problem } from "../lib/problem.js";
import { getJson } from "./api.js";

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
  const root = fromHex(commitment.root);
  return Promise.all(Array.from({ length: count }, (_, k) => committedRecord(root, counts.invited + k)));
}
