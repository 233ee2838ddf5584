/**
 * A person's own page: what this browser remembers of the studies she answered.
 */

import { saveFile } from "../components/files.js";
import { element, make } from "../components/page.js";
import { forgetParticipation, participations } from "../components/participations.js";
import { showProblem } from "../components/problem.js";
import { receiptFile } from "../components/receipt_file.js";
import { text } from "../components/texts.js";

async function show() {
  const all = await participations();
  element("participations").replaceChildren(...all.map(row));
  element("participations").hidden = all.length === 0;
  element("no-participations").hidden = all.length > 0;
}

/** @param {import("../components/participations.js").Participation} participation */
function row(participation) {
  const { studyId, recordId, title, fragment, sentAt, body, receipts } = participation;
  const day = new Date(sentAt).toLocaleDateString(document.documentElement.lang);
  const held = receipts.length === 2;
  return make(
    "li",
    { className: "list__item", dataset: { testid: "participation", record: recordId } },
    make(
      "div",
      { className: "list__main" },
      make("a", { className: "list__title", href: `/take-part/${studyId}/${fragment}` }, title),
      make(
        "p",
        { className: "small muted" },
        text("answered_on", { day, version: body.sequence + 1 }),
        " · ",
        make("a", { href: `/take-part/${studyId}/#region-questions` }, text("what_was_asked")),
      ),
    ),
    make(
      "span",
      { className: "badge", dataset: { state: held ? "HELD" : "WAITING" } },
      text(held ? "badge_held" : "badge_waiting"),
    ),
    button(text("save_receipt"), () => saveFile(...receiptFile(participation))),
    button(text("forget"), () => forget(participation)),
  );
}

/** @param {string} label @param {() => void} onclick */
function button(label, onclick) {
  return make("button", { type: "button", className: "button button--second button--small", onclick }, label);
}

/** @param {import("../components/participations.js").Participation} participation */
async function forget(participation) {
  if (!confirm(text("forget_sure"))) return;
  await forgetParticipation(participation);
  await show();
}

await show().catch((error) => showProblem(element("participation-problem"), error));
