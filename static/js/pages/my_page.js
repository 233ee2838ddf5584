/**
 * A person's own page: what this browser remembers of the studies she answered, and what was asked
 * of their people. The site is asked about each study without being told who asks.
 */

import { dayText } from "../components/days.js";
import { saveFile } from "../components/files.js";
import { element, make } from "../components/page.js";
import { showProblem } from "../components/problem.js";
import { text } from "../components/texts.js";
import { fill } from "../lib/addresses.js";
import { forgetParticipation, participations } from "../lib/participations.js";
import { receiptFile } from "../lib/receipt_file.js";
import { getJson } from "../net/api.js";
import { pageData } from "../net/page_data.js";

const data = pageData();

async function show() {
  const all = await participations();
  element("participations").replaceChildren(...all.map(card));
  element("participations").hidden = all.length === 0;
  element("no-participations").hidden = all.length > 0;
}

/** @param {import("../components/participations.js").Participation} participation */
function card(participation) {
  const { studyId, recordId, title, sentAt, earlier, receipts } = participation;
  const held = receipts.length === 2;
  const asked = make("div", { className: "stack stack--s", dataset: { testid: "asked" } });
  const replace = make("span");
  const made = make(
    "li",
    { className: "panel stack", dataset: { testid: "participation", record: recordId } },
    make(
      "div",
      { className: "row row--between" },
      make("h3", { className: "panel__title" }, title),
      badge(held ? "HELD" : "WAITING", text(held ? "badge_held" : "badge_waiting")),
    ),
    make("p", { className: "small muted" }, text("answered_on", { day: dayText(sentAt), version: earlier.length + 1 })),
    asked,
    make(
      "div",
      { className: "row" },
      replace,
      link(text("show_receipt"), fill(data.receipt_url, { study_id: studyId, record_id: recordId })),
      button(text("save_receipt"), () => saveFile(...receiptFile(participation))),
      button(text("forget"), () => forget(participation)),
    ),
  );
  showLedger(participation, asked, replace);
  return made;
}

/**
 * Say what was asked of the study's people, what is left, and whether she may still replace.
 * @param {import("../components/participations.js").Participation} participation
 * @param {HTMLElement} place @param {HTMLElement} replace
 */
async function showLedger({ studyId, fragment }, place, replace) {
  const ledger = await getJson(fill(data.questions_url, { study_id: studyId })).catch(() => null);
  if (ledger === null) return place.replaceChildren(make("p", {}, text("asked_unknown")));
  const { questions, limit_millibits: limit, spent_millibits: spent } = ledger;
  const left = text("bits_left", { left: bits(Math.max(0, limit - spent)), limit: bits(limit) });
  const { models_asked: about, models_limit: most } = ledger;
  const share = make("progress", { className: "progress", max: limit, value: Math.min(spent, limit) });
  share.setAttribute("aria-label", left);
  const list = questions.map(({ asked_at: at, asked }) =>
    make(
      "li",
      { className: "timeline__item" },
      make("p", { className: "timeline__when" }, dayText(at)),
      make("p", {}, asked),
    ),
  );
  place.replaceChildren(
    list.length > 0 ? make("ol", { className: "timeline" }, ...list) : make("p", {}, text("asked_nothing")),
    share,
    make("p", { className: "small muted" }, left),
    ...(most === null ? [] : [make("p", { className: "small muted" }, text("models_asked", { asked: about, most }))]),
  );
  const address = `/take-part/${studyId}/${fragment}`;
  if (ledger.takes_answers) replace.replaceChildren(link(text("replace_answer"), address, "button"));
  else replace.replaceChildren(make("span", { className: "small muted" }, text("closed_for_answers")));
}

/** @param {number} millibits */
function bits(millibits) {
  return new Intl.NumberFormat(document.documentElement.lang).format(millibits / 1000);
}

/** @param {string} state @param {string} label */
function badge(state, label) {
  return make("span", { className: "badge", dataset: { state } }, label);
}

/** @param {string} label @param {string} href @param {string} [className] */
function link(label, href, className = "button button--second button--small") {
  return make("a", { className, href }, label);
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
