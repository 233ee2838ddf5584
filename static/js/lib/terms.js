/**
 * The study's terms as this page got them, checked against the digest that both parties signed.
 */

import { toHex } from "./bytes.js";
import { readStudy } from "./configuration.js";
import { problem } from "./problem.js";

/**
 * @param {string} text canonical
 * @param {string} digest hex, as the page shows it
 * @returns {Promise<import("../lib/configuration.js").Study>}
 */
export async function readTerms(text, digest) {
  const study = await readStudy(text);
  if (toHex(study.layout.configDigest) !== digest) throw problem("terms_differ");
  return study;
}
