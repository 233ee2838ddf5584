/**
 * Invitation links on their way to who asked for them, kept in this browser until she says that
 * she has saved them: each is for one person, and none can be made again.
 *
 * @typedef {{ csv: string, body: any, registered: boolean }} KeptLinks `body`: the signed lists as
 *   they go to the API; `registered`: whether the site has said that it took them
 */

import { UsageError } from "./errors.js";

const STORE = "blind-justice-invitation-links";

/** Keep links; UsageError LINKS_NOT_KEPT if this browser can't. @param {string} place @param {KeptLinks} links */
export async function keepLinks(place, links) {
  const store = await openStore();
  try {
    await store.put(place, new Response(JSON.stringify(links)));
  } catch {
    throw new UsageError("LINKS_NOT_KEPT");
  }
}

/** @param {string} place @returns {Promise<KeptLinks | null>} null, too, where pages can keep nothing */
export async function keptLinks(place) {
  if (!globalThis.caches) return null;
  const found = await (await openStore()).match(place);
  return found ? found.json() : null;
}

/** @param {string} place */
export async function forgetLinks(place) {
  await (await openStore()).delete(place);
}

/** @returns {Promise<Cache>} a page that came without HTTPS has none, and a browser may refuse it */
async function openStore() {
  try {
    return await globalThis.caches.open(STORE);
  } catch {
    throw new UsageError("LINKS_NOT_KEPT");
  }
}
