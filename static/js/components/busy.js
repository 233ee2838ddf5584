/**
 * A button that shows that its work is going on, and can't be pressed twice.
 */

import { showProblem } from "./problem.js";

/**
 * Run `work` with the button busy; what it throws is shown in `place`.
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} place
 * @param {() => Promise<void>} work
 */
export async function whileBusy(button, place, work) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  button.setAttribute("aria-disabled", "true");
  showProblem(place, null);
  try {
    await work();
  } catch (error) {
    showProblem(place, error);
  } finally {
    button.removeAttribute("aria-busy");
    button.removeAttribute("aria-disabled");
  }
}
