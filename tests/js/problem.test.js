import { Problem, problem } from "/static/js/lib/problem.js";
import { UsageError } from "/static/js/lib/errors.js";
import { assertEqual, assertSame, test } from "./harness.js";

const SENTENCES = {
  unexpected: "Something went wrong.",
  unexpected_kept: "Nothing was lost.",
  unexpected_next: "Reload the page.",
  lost_way: "The way to {place} is lost.",
  lost_way_next: "Ask somebody.",
  error_KNOWN: "A code of the catalogue.",
  kept_label: "Is anything lost?",
  next_label: "What to do next",
};
const texts = document.createElement("template");
texts.dataset.texts = "";
for (const [key, sentence] of Object.entries(SENTENCES)) {
  const item = Object.assign(document.createElement("i"), { textContent: sentence });
  item.dataset.text = key;
  texts.content.append(item);
}
document.body.append(texts);
const { inWords, showProblem } = await import("/static/js/components/problem.js");

/** @param {any} error @returns {HTMLElement} where it is shown */
function shown(error) {
  const place = document.createElement("div");
  document.body.append(place);
  showProblem(place, error);
  return place;
}

/** @param {any} error @returns {string[]} the addresses that it links */
function links(error) {
  return [...shown(error).querySelectorAll("a")].map((link) => link.getAttribute("href"));
}

test("the page's own sentence is told, with what it names, and links no code", () => {
  const { what, kept, next } = inWords(problem("lost_way", { place: "Rome" }));
  assertEqual(what.replace(/[\u2068\u2069]/g, ""), "The way to Rome is lost.");
  assertSame([kept, next], ["Nothing was lost.", "Ask somebody."]);
  assertSame(links(problem("lost_way")), []);
});

test("a code of the catalogue links its entry, whoever raised it", () => {
  assertSame(links(new UsageError("KNOWN")), ["/errors/#KNOWN"]);
  assertSame(links(problem("KNOWN")), ["/errors/#KNOWN"]);
});

test("what the site says links where the site says, and nothing where the code has no entry", () => {
  const said = { what: "No.", kept: "All.", next: "Wait." };
  const told = new Problem("REFUSED", { said: { ...said, about: "/errors/#REFUSED" } });
  assertSame(links(told), ["/errors/#REFUSED"]);
  assertEqual(shown(told).querySelector("[data-code]").dataset.code, "REFUSED");
  const untold = new Problem("NEWER_CODE", { said: { ...said, about: "" } });
  assertSame(links(untold), []);
  assertSame(inWords(untold).what, "No.");
});

test("an error that nobody has words for is told as unexpected", () => {
  assertEqual(inWords(new TypeError("x is undefined")).what, SENTENCES.unexpected);
  assertEqual(inWords(new UsageError("WITHOUT_WORDS")).code, "unexpected");
  assertSame(links(new UsageError("WITHOUT_WORDS")), []);
});
