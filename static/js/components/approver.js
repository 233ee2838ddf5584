/**
 * Whether this browser has an approval key that the party publishes.
 */

import { approverFor } from "../lib/approver.js";
import { element } from "./page.js";
import { text } from "./texts.js";

/** Tell early that signing won't work. @param {"modeler" | "regulator"} role @param {string[]} published */
export async function noticeMissingKey(role, published) {
  const code = await approverFor(role, published).then(
    () => null,
    (error) => error.code,
  );
  element("key-notice").hidden = code === null;
  if (code !== null) element("key-notice-what").textContent = text(code);
}
