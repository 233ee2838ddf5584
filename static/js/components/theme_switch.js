/**
 * Change the colours at once, without a reload: what stands behind "#" stays. The choice is a
 * cookie, which the server puts on the page's root element; without this script the form is sent.
 */

import { element } from "./page.js";

const KEPT_S = 31_536_000;
const form = element("theme-form");
const root = document.documentElement;

/** @param {string} theme "light", "dark", or anything else for the system's */
function choose(theme) {
  const chosen = theme === "light" || theme === "dark";
  const attributes = `; path=/; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
  document.cookie = `theme=${chosen ? theme : ""}; max-age=${chosen ? KEPT_S : 0}${attributes}`;
  if (chosen) root.dataset.theme = theme;
  else delete root.dataset.theme;
  for (const button of form.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === (chosen ? theme : "system")));
  }
  document.dispatchEvent(new Event("themechange"));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  choose(event.submitter?.value ?? "system");
});
