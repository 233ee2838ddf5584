/**
 * The panel with links that were made and are not known to be saved: it comes back after a reload.
 */

import { forgetLinks, keptLinks } from "../lib/kept_links.js";
import { saveFile } from "./files.js";
import { registerLinks } from "./invitations.js";
import { element, pageData } from "./page.js";
import { text } from "./texts.js";

/** Show what an earlier visit left behind, if anything. */
export async function showKeptLinks() {
  const kept = await keptLinks(pageData().urls.invitations);
  if (kept !== null) showLinks(kept);
}

/** Show links and save them at once. @param {import("../lib/kept_links.js").KeptLinks} links */
export function offerLinks(links) {
  showLinks(links);
  element("invitation-links").scrollIntoView({ block: "center" });
  save(links);
}

/** Hand in again what the site may not have. */
export async function registerKeptLinks() {
  const kept = await keptLinks(pageData().urls.invitations);
  if (kept !== null) offerLinks(await registerLinks(pageData(), kept));
}

/** @param {import("../lib/kept_links.js").KeptLinks} links */
function showLinks(links) {
  const { csv, registered } = links;
  const count = csv.trim().split("\n").length - 1;
  const panel = element("invitation-links");
  const sentence = registered ? "links_ready" : "links_unregistered";
  element("invitation-links-sentence").textContent = text(sentence, { count });
  element("register-links").hidden = registered;
  for (const id of ["save-links", "drop-links"]) element(id).hidden = !registered;
  element("save-links").onclick = () => save(links);
  element("drop-links").onclick = async () => {
    await forgetLinks(pageData().urls.invitations);
    panel.hidden = true;
  };
  panel.hidden = false;
}

/** @param {import("../lib/kept_links.js").KeptLinks} links */
function save({ csv }) {
  saveFile(`invitations-${pageData().study_id}.csv`, csv, "text/csv");
}
