/**
 * Import, show and remove the approval key of this browser.
 */

import { forgetApprover, importApprover, keptApprover } from "../lib/approval.js";
import { pageData } from "../net/page_data.js";
import { browserIsAble } from "./capability.js";
import { chosenText } from "./files.js";
import { element } from "./page.js";
import { showProblem } from "./problem.js";
import { text } from "./texts.js";

/** A key id in groups of four, to be read aloud. @param {string} keyId */
function fingerprint(keyId) {
  return keyId.match(/.{4}/g).join(" ");
}

async function show() {
  const { role, approvers } = pageData();
  const approver = await keptApprover(role);
  element("key-here").hidden = approver === null;
  if (approver === null) return;
  const published = approvers.some(({ key_id }) => key_id === approver.keyId);
  const standing = element("key-standing");
  standing.dataset.state = published ? "VALID" : "REFUSED";
  standing.textContent = text(published ? "key_published" : "key_unpublished");
  element("key-fingerprint").textContent = fingerprint(approver.keyId);
}

async function take() {
  const input = element("key-file");
  const content = await chosenText(input);
  if (content === null) return;
  showProblem(element("key-problem"), null);
  await importApprover(content, pageData().role);
  input.value = "";
  await show();
}

async function forget() {
  if (!confirm(text("forget_key_sure"))) return;
  await forgetApprover(pageData().role);
  await show();
}

/** Bring the page to life. */
export async function runKeyPage() {
  const able = await browserIsAble();
  element("key-import").hidden = !able;
  if (!able) return;
  const failing = (error) => showProblem(element("key-problem"), error);
  element("key-file").addEventListener("change", () => take().catch(failing));
  element("forget-key").addEventListener("click", () => forget().catch(failing));
  await show();
}
