/**
 * The site's clock. A date that nobody typed, in a text to sign, is the site's: a computer's own
 * clock may be minutes off, and the parties refuse what is dated in the future.
 */

import { getJson } from "./api.js";

/** @param {string} address of the site's clock @returns {Promise<string>} YYYY-MM-DDTHH:MM:SSZ */
export async function siteTime(address) {
  const { now } = await getJson(address);
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}
