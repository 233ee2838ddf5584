/**
 * Show on demand how the choices made so far fall into two random shares.
 */

import { systemRandomness } from "../lib/random.js";
import { split } from "../lib/ring.js";
import { questions } from "./answer_form.js";
import { chosen } from "./number_fields.js";
import { make } from "./page.js";
import { text } from "./texts.js";

/** @param {HTMLFormElement} form @param {HTMLTableElement} table */
export function showSplit(form, table) {
  const rows = questions(form).flatMap((fieldset) => {
    const attribute = fieldset.querySelector("legend").textContent;
    const answer = chosen(fieldset);
    return [...fieldset.querySelectorAll(".choice")].map((choice, category) => ({
      title: text("rows_of", { attribute, category: choice.textContent.trim() }),
      value: Number(category === answer),
    }));
  });
  const shares = split(rows.map(({ value }) => value), systemRandomness);
  table.tBodies[0].replaceChildren(
    ...rows.map(({ title, value }, entry) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, title),
        number(value),
        number(shares.modeler[entry]),
        number(shares.regulator[entry]),
      ),
    ),
  );
}

/** @param {number | bigint} value */
function number(value) {
  return make("td", { className: "num hash" }, String(value));
}
