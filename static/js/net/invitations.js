/**
 * Make invitation links in this browser; the parties get signed lists of credentials only.
 */

import { signApproval } from "../lib/approval.js";
import { approverFor } from "../lib/approver.js";
import { toHex } from "../lib/bytes.js";
import { invitationList, invitationPath, makeInvitations } from "../lib/invitation.js";
import { forgetLinks, keepLinks, keptLinks } from "../lib/kept_links.js";
import { problem } from "../lib/problem.js";
import { postJson } from "./api.js";
import { committedRecords } from "./committed_records.js";

const MOST = 10_000;
/** What the site answers when it read the lists and took neither. */
const REFUSED = [409, 422];

/**
 * Make and sign invitations, keep them in this browser, and only then hand them in.
 * @param {any} data of the study's page
 * @param {string} typed how many
 * @returns {Promise<import("../lib/kept_links.js").KeptLinks>} with a CSV of record ids and links,
 *   one person each
 */
export async function invite(data, typed) {
  const count = Number(typed);
  if (!Number.isInteger(count) || count < 1 || count > MOST) throw problem("invite_count");
  const place = linksPlace(data);
  if ((await keptLinks(place)) !== null) throw problem("links_unsaved");
  const approver = await approverFor(data.role, data.approvers);
  const records = await committedRecords(data, count);
  const invitations = makeInvitations(count).map((one, k) =>
    records === null ? one : { ...one, recordId: records[k] },
  );
  const { study_id: studyId, configuration_digest: digest } = data;
  const modelerText = await invitationList("modeler", studyId, digest, invitations);
  const regulatorText = await invitationList("regulator", studyId, digest, invitations);
  const modeler = await signApproval(approver, "invitations", modelerText);
  const regulator = await signApproval(approver, "invitations", regulatorText);
  const body = {
    modeler_text: modelerText,
    regulator_text: regulatorText,
    key_id: approver.keyId,
    modeler_signature: modeler.signature,
    regulator_signature: regulator.signature,
  };
  const { origin } = new URL(data.urls.take_part, location.href);
  const rows = invitations.map(
    (one) => `${toHex(one.recordId)},${origin}${invitationPath(studyId, one)}`,
  );
  const links = { csv: `record_id,link\n${rows.join("\n")}\n`, body, registered: false };
  await keepLinks(place, links);
  try {
    return await registerLinks(data, links);
  } catch (error) {
    if (wasRefused(error)) await forgetLinks(place);
    throw error;
  }
}

/** Where the links of a study are kept: for this account alone. @param {any} data of the study's page */
export function linksPlace({ account, urls }) {
  return `${urls.invitations}?account=${account}`;
}

/**
 * Whether the site says that it did not take these lists now. Of lists that were sent before, an
 * earlier request may still be on its way.
 * @param {any} error
 */
export function wasRefused(error) {
  return REFUSED.includes(error.status);
}

/**
 * Hand in the signed lists of kept links; the same ones again change nothing at the site.
 * @param {any} data of the study's page
 * @param {import("../lib/kept_links.js").KeptLinks} links
 * @returns {Promise<import("../lib/kept_links.js").KeptLinks>}
 */
export async function registerLinks(data, links) {
  await postJson(data.urls.invitations, links.body);
  const registered = { ...links, registered: true };
  await keepLinks(linksPlace(data), registered).catch(() => {
    // What was kept before stands, and sending it again changes nothing.
  });
  return registered;
}
