/**
 * The approval key of this browser, and whether it is one that the party publishes.
 */

import { keptApprover } from "../lib/approval.js";
import { element } from "./page.js";
import { problem } from "./problem.js";
import { text } from "./texts.js";

/**
 * Return the key to sign with; a problem says what is missing.
 * @param {"modeler" | "regulator"} role
 * @param {string[]} published key ids
 * @returns {Promise<import("../lib/approval.js").Approver>}
 */
export async function approverFor(role, published) {
  const approver = await keptApprover(role);
  if (approver === null) throw problem("no_approver");
  if (!published.includes(approver.keyId)) throw problem("unknown_approver");
  return approver;
}

/** Tell early that signing won't work. @param {"modeler" | "regulator"} role @param {string[]} published */
export async function noticeMissingKey(role, published) {
  const code = await approverFor(role, published).then(
    () => null,
    (error) => error.code,
  );
  element("key-notice").hidden = code === null;
  if (code !== null) element("key-notice-what").textContent = text(code);
}
