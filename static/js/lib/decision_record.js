/**
 * A decision record: what a modeler hands out, signed, when it decides about someone.
 *
 * @typedef {object} DecisionRecord
 * @property {{ body: string, signature: string }} file as it came, to be passed on unchanged
 * @property {any} body parsed: certificate_id, configuration, case_id, decision, x, issued_at
 */

import { parseCanonical } from "./canonical.js";
import { problem } from "./problem.js";

/** @param {string} text of the file @returns {DecisionRecord} */
export function readDecisionRecord(text) {
  try {
    const { body, signature } = JSON.parse(text);
    const parsed = parseCanonical(body);
    const usable =
      parsed.format === "bj1 decision" &&
      /^[0-9a-f]{32}$/.test(parsed.certificate_id) &&
      Array.isArray(parsed.x) &&
      (parsed.decision === 0 || parsed.decision === 1) &&
      typeof signature === "string";
    if (usable) return { file: { body, signature }, body: parsed };
  } catch {
    throw problem("not_a_record");
  }
  throw problem("not_a_record");
}
