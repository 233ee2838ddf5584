/**
 * Files that the person opens or saves.
 */

import { readChosen } from "../lib/reading.js";

/** @param {string} name @param {string} content @param {string} [type] */
export function saveFile(name, content, type = "application/json") {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/**
 * Call `act` when a file is chosen, also the same one again after it was corrected.
 * @param {HTMLInputElement} input @param {() => void} act
 */
export function onChoice(input, act) {
  input.addEventListener("click", () => {
    input.value = "";
  });
  input.addEventListener("change", act);
}

/**
 * Return the text of the file chosen in `input`, or null if none is chosen.
 * @param {HTMLInputElement} input
 * @returns {Promise<string | null>}
 */
export async function chosenText(input) {
  const file = input.files?.[0];
  return file ? readChosen(file.text()) : null;
}
