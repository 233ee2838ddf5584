/**
 * Compose a policy: the form goes to the server as it would without a script; here it shows at once
 * what it says.
 */

import { whileBusy } from "../components/busy.js";
import { element } from "../components/page.js";
import { connectPolicyEditor } from "../components/policy_editor.js";
import { pageData } from "../net/page_data.js";

const form = element("policy-form");
const editor = connectPolicyEditor(form, { url: pageData().editor_url });

form.addEventListener("submit", (event) => {
  if (event.submitter?.value === "publish") return;
  event.preventDefault();
  whileBusy(element("publish"), element("policy-problem"), editor.refresh);
});
