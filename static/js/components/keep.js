/**
 * Buttons that print the page or save a text that stands on it; without a script they aren't there.
 */

import { saveFile } from "./files.js";
import { element } from "./page.js";

/** @param {ParentNode & EventTarget} place whose buttons, present and future, work from now on */
export function connectKeeping(place) {
  for (const button of place.querySelectorAll("[data-print], [data-save]")) button.hidden = false;
  place.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-print], [data-save]");
    if (!button) return;
    if ("print" in button.dataset) print();
    else saveFile(button.dataset.file, element(button.dataset.save).textContent);
  });
}
