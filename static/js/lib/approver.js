/**
 * The approval key of this browser, if it is one that the party publishes.
 */

import { keptApprover } from "./approval.js";
import { problem } from "./problem.js";

/**
 * Return the key to sign with; a problem says what is missing.
 * @param {"modeler" | "regulator"} role
 * @param {string[]} published key ids
 * @returns {Promise<import("./approval.js").Approver>}
 */
export async function approverFor(role, published) {
  const approver = await keptApprover(role);
  if (approver === null) throw problem("no_approver");
  if (!published.includes(approver.keyId)) throw problem("unknown_approver");
  return approver;
}
