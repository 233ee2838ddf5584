/**
 * The panel that tells a person how her submission stands with both parties.
 */

import { element } from "./page.js";
import { text } from "./texts.js";

const ROLES = ["modeler", "regulator"];
const STATES = { waiting: "WAITING", held: "HELD", refused: "REFUSED", differs: "ALARM" };

/**
 * @param {import("../lib/participations.js").Participation} participation
 * @param {Record<string, import("../lib/receipts.js").Judgement>} judgements by role
 * @returns {"waiting" | "held" | "refused" | "differs"} how it stands altogether
 */
export function showReceipts(participation, judgements) {
  const standings = ROLES.map((role) => judgements[role].standing);
  const overall =
    ["differs", "refused", "waiting"].find((standing) => standings.includes(standing)) ?? "held";
  for (const role of ROLES) showHalf(role, judgements[role]);
  say("receipt-title", text(`receipt_${overall}_title`));
  say("receipt-sentence", sentence(overall, participation.earlier.length));
  say("receipt-record", participation.recordId);
  say("receipt-submission", participation.body.submission_id);
  say("receipt-sequence", String(participation.earlier.length + 1));
  say("receipt-digest", participation.commonDigest);
  const panel = element("receipt");
  panel.dataset.standing = overall;
  panel.hidden = false;
  element("save-receipt").hidden = standings.every((standing) => standing === "waiting");
  return overall;
}

/** Show that a sealed submission has not reached the site. @param {import("../lib/participations.js").Participation} participation */
export function showUnsent(participation) {
  const none = { standing: "waiting", checked: false, sentence: "", receipt: null };
  showReceipts(participation, { modeler: none, regulator: none });
  element("receipt").dataset.standing = "unsent";
  say("receipt-title", text("receipt_unsent_title"));
  say("receipt-sentence", text("receipt_unsent"));
}

/** @param {string} overall @param {number} nEarlier */
function sentence(overall, nEarlier) {
  return text(overall === "held" && nEarlier > 0 ? "receipt_held_replacing" : `receipt_${overall}`);
}

/** @param {string} role @param {import("../lib/receipts.js").Judgement} judgement */
function showHalf(role, { standing, checked, sentence: reason }) {
  const badge = element(`receipt-${role}-badge`);
  badge.dataset.state = STATES[standing];
  badge.textContent = text(`badge_${standing}`);
  const details = {
    waiting: text("detail_waiting"),
    held: text(checked ? "detail_checked" : "detail_unchecked"),
    refused: reason,
    differs: "",
  };
  say(`receipt-${role}-detail`, details[standing]);
}

/** @param {string} id @param {string} sentence set only when it differs, so that it is read out once */
function say(id, sentence) {
  const place = element(id);
  if (place.textContent !== sentence) place.textContent = sentence;
}
