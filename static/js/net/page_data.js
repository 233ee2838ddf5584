/**
 * What the server handed to this page's script.
 */

/** @returns {any} */
export function pageData() {
  return JSON.parse(document.getElementById("page-data").textContent);
}
