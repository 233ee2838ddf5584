/**
 * The id of the case that a signed decision record makes.
 */

import { fromHex, utf8 } from "./bytes.js";
import { sha256 } from "./digests.js";

const LABEL = "blindjustice/v1/case";

/** @param {string} signature of the record, hex @returns {Promise<Uint8Array>} 16 bytes */
export async function caseId(signature) {
  return (await sha256(utf8(LABEL), new Uint8Array(1), fromHex(signature))).slice(0, 16);
}
