/**
 * Challenge a decision: from a signed record, the picture of one, or typed in. Details and claim leave sealed.
 */

import { focusOn } from "../components/answer_form.js";
import { whileBusy } from "../components/busy.js";
import { browserIsAble } from "../components/capability.js";
import { dayText } from "../components/days.js";
import { chosen, markChoice, readFeatures, showReadings } from "../components/number_fields.js";
import { element, make } from "../components/page.js";
import { showProblem } from "../components/problem.js";
import { text } from "../components/texts.js";
import { fill } from "../lib/addresses.js";
import { parseCanonical } from "../lib/canonical.js";
import { readDecisionRecord } from "../lib/decision_record.js";
import { problem } from "../lib/problem.js";
import { isPicture, textInPicture } from "../lib/qr_image.js";
import { readChosen } from "../lib/reading.js";
import { isYesNo, shownValue } from "../lib/shown_value.js";
import { signedBy } from "../lib/signatures.js";
import { readTerms } from "../lib/terms.js";
import { sendChallenge } from "../net/challenge.js";
import { pageData } from "../net/page_data.js";

const data = pageData();

/** @type {{ record: import("../components/decision_record.js").DecisionRecord, terms: any } | null} */
let opened = null;

/** Read the terms that belong to a certificate. @param {any} certificate as `page_data` has it */
async function termsOf(certificate) {
  const { configuration_text: text, configuration_digest: digest } = certificate;
  return { certificate, ...(await readTerms(text, digest)) };
}

/** Ask this page for the certificate that a record names. @param {string} id */
async function certificateNamed(id) {
  if (data.certificate?.id === id) return data.certificate;
  const address = new URL(location.pathname, location.href);
  address.searchParams.set("certificate", id);
  const response = await fetch(address, { credentials: "same-origin" }).catch(() => null);
  if (response === null) throw problem("no_network");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const found = JSON.parse(page.getElementById("page-data")?.textContent ?? "{}").certificate;
  if (found?.id !== id) throw problem("unknown_certificate");
  return found;
}

async function openRecord() {
  opened = null;
  element("record-summary").hidden = true;
  const place = element("record-problem");
  showProblem(place, null);
  try {
    const [file] = element("record-file").files;
    if (file === undefined) return;
    const text = isPicture(file) ? await textInPicture(file) : await readChosen(file.text());
    const record = readDecisionRecord(text);
    const terms = await termsOf(await certificateNamed(record.body.certificate_id));
    await checkRecord(record, terms);
    opened = { record, terms };
    showRecord(record.body, terms.configuration);
  } catch (error) {
    showProblem(place, error);
  }
}

/** @param {import("../components/decision_record.js").DecisionRecord} record @param {any} terms */
async function checkRecord({ body, file }, { certificate, configuration }) {
  if (body.configuration !== certificate.configuration_digest) throw problem("other_terms");
  if (body.x.length !== configuration.features.length) throw problem("other_terms");
  const { modeler_key: signingKey } = parseCanonical(certificate.text);
  if ((await signedBy(signingKey, "decision", file)) === false) throw problem("record_altered");
}

/** @param {any} body @param {any} configuration */
function showRecord({ decision, issued_at: issuedAt, case_id: caseId, x }, configuration) {
  const { label, features, x_frac_bits: fracBits } = configuration;
  element("record-decision").textContent = decision === 1 ? label.favourable : label.unfavourable;
  element("record-issued").textContent = dayText(issuedAt);
  element("record-case").textContent = caseId;
  element("record-features").replaceChildren(
    ...features.map((feature, place) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, feature.title),
        make("td", { className: "num" }, valueOf(feature, x[place], fracBits)),
      ),
    ),
  );
  element("record-summary").hidden = false;
}

/** @param {any} feature @param {number} x encoded @param {number} fracBits */
function valueOf(feature, x, fracBits) {
  const value = shownValue(x, feature.unit, fracBits);
  if (!isYesNo(feature) || !["0", "1"].includes(value)) return value;
  return text(value === "1" ? "yes" : "no");
}

/** @param {any} terms @param {any} claim */
async function send(terms, claim) {
  const id = await sendChallenge(data.challenges_url, terms, claim);
  location.assign(fill(data.detail_url, { challenge_id: id }));
}

async function sendTyped() {
  const form = element("typed-form");
  const terms = await termsOf(data.certificate);
  const { values, wrong } = readFeatures(form, terms.configuration);
  const claim = element("claim-choices");
  const decision = chosen(claim);
  markChoice(claim, decision < 0);
  const first = wrong[0] ?? (decision < 0 ? claim : null);
  if (first !== null) return focusOn(first);
  await send(terms, { x: values, decision, record: {} });
}

function sendRecord() {
  const { record, terms } = opened;
  const { x, decision } = record.body;
  return send(terms, { x, decision, record: record.file });
}

if (await browserIsAble()) {
  element("challenge-page").hidden = false;
  element("record-file").addEventListener("change", openRecord);
  element("send-record").addEventListener("click", () =>
    whileBusy(element("send-record"), element("record-problem"), sendRecord),
  );
  const typedForm = document.getElementById("typed-form");
  typedForm?.addEventListener("submit", (event) => {
    event.preventDefault();
    whileBusy(element("send-typed"), element("typed-problem"), sendTyped);
  });
  if (typedForm) showReadings(typedForm, JSON.parse(data.certificate.configuration_text));
}
