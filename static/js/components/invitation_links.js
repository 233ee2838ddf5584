/**
 * The panel with links that were made and are not known to be saved: it comes back after a reload.
 */

import { forgetLinks, keptLinks } from "../lib/kept_links.js";
import { linksPlace, registerLinks, wasRefused } from "../net/invitations.js";
import { pageData } from "../net/page_data.js";
import { saveFile } from "./files.js";
import { element } from "./page.js";
import { showProblem } from "./problem.js";
import { text } from "./texts.js";

/** Show the inviter what an earlier visit left behind, if anything; the page goes on without it. */
export async function showKeptLinks() {
  const data = pageData();
  if (data.role !== data.inviter) return;
  try {
    const kept = await keptLinks(linksPlace(data));
    if (kept === null) element("invitation-links").hidden = true;
    else showLinks(kept);
  } catch (error) {
    showProblem(element("study-problem"), error);
  }
}

/** Show links and save them at once. @param {import("../lib/kept_links.js").KeptLinks} links */
export function offerLinks(links) {
  showLinks(links);
  element("invitation-links").scrollIntoView({ block: "center" });
  save(links);
}

/** Hand in again what the site may not have; if it refuses, what becomes of the links is hers to say. */
export async function registerKeptLinks() {
  const data = pageData();
  const kept = await keptLinks(linksPlace(data));
  if (kept === null) return showKeptLinks();
  try {
    offerLinks(await registerLinks(data, kept));
  } catch (error) {
    if (wasRefused(error)) offerSaving(true);
    throw error;
  }
}

/** @param {import("../lib/kept_links.js").KeptLinks} links */
function showLinks(links) {
  const { csv, registered } = links;
  const count = csv.trim().split("\n").length - 1;
  const panel = element("invitation-links");
  const sentence = registered ? "links_ready" : "links_unregistered";
  element("invitation-links-sentence").textContent = text(sentence, { count });
  element("register-links").hidden = registered;
  offerSaving(registered);
  element("save-links").onclick = () => save(links);
  element("drop-links").onclick = async () => {
    await forgetLinks(linksPlace(pageData()));
    panel.hidden = true;
  };
  panel.hidden = false;
}

/** @param {boolean} isOffered */
function offerSaving(isOffered) {
  for (const id of ["save-links", "drop-links"]) element(id).hidden = !isOffered;
}

/** @param {import("../lib/kept_links.js").KeptLinks} links */
function save({ csv }) {
  saveFile(`invitations-${pageData().study_id}.csv`, csv, "text/csv");
}
