/**
 * Invitation links on their way to who asked for them, kept in this browser until she says that
 * she has saved them: each is for one person, and none can be made again.
 *
 * @typedef {{ csv: string, body: any, registered: boolean }} KeptLinks `body`: the signed lists as
 *   they go to the API; `registered`: whether the site has said that it took them
 */

const STORE = "blind-justice-invitation-links";

/** @param {string} address where their lists go @param {KeptLinks} links */
export async function keepLinks(address, links) {
  await (await caches.open(STORE)).put(address, new Response(JSON.stringify(links)));
}

/** @param {string} address @returns {Promise<KeptLinks | null>} */
export async function keptLinks(address) {
  const found = await (await caches.open(STORE)).match(address);
  return found ? found.json() : null;
}

/** @param {string} address */
export async function forgetLinks(address) {
  await (await caches.open(STORE)).delete(address);
}
