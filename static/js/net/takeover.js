/**
 * Hand trained models over to this study: the text is made and signed here, the modeler's party
 * copies the models itself.
 */

import { signApproval } from "../lib/approval.js";
import { approverFor } from "../lib/approver.js";
import { toHex } from "../lib/bytes.js";
import { canonicalJson } from "../lib/canonical.js";
import { problem } from "../lib/problem.js";
import { systemRandomness } from "../lib/random.js";
import { postJson } from "./api.js";

const MOST = 12;

/**
 * @param {any} data of the study's page
 * @param {string[]} trained ids of the models
 */
export async function takeOver(data, trained) {
  if (trained.length === 0 || trained.length > MOST) throw problem("takeover_none");
  const approver = await approverFor(data.role, data.approvers);
  const takeover = canonicalJson({
    format: "bj1 takeover",
    study_id: data.study_id,
    configuration: data.configuration_digest,
    models: trained.map((trained_as) => ({
      model_id: toHex(systemRandomness(16)),
      trained_as,
    })),
  });
  const { key_id, signature } = await signApproval(approver, "takeover", takeover);
  await postJson(data.urls.takeovers, { text: takeover, key_id, signature });
}
