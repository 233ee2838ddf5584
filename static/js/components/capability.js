/**
 * Say plainly if this browser can't do what the page needs; then nothing is asked or sent.
 */

import { capabilityProblem } from "../lib/capability.js";
import { element } from "./page.js";
import { text } from "./texts.js";

/** @returns {Promise<boolean>} whether the page may go on */
export async function browserIsAble() {
  const code = await capabilityProblem();
  if (code === null) return true;
  element("capability-what").textContent = text(`error_${code}`);
  const notice = element("capability-problem");
  notice.dataset.code = code;
  notice.hidden = false;
  return false;
}
