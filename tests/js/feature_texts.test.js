import { categoryReader } from "/static/js/lib/column_readers.js";
import { encodeFeature } from "/static/js/lib/encoding.js";
import { featureTexts } from "/static/js/lib/feature_texts.js";
import { assertSame, test } from "/tests/js/harness.js";

const WORDS = ["Private", "State-gov", "?"];
const yesNo = { unit: "1", minimum: "0", maximum: "1" };
const features = [
  { name: "hours", title: "Hours", unit: "10", minimum: "0", maximum: "99" },
  ...WORDS.map((value, number) => ({
    name: `work_${number}`,
    title: `Work: ${value}`,
    ...yesNo,
    category: { column: "work", value },
  })),
  { name: "owns", title: "Owns a home", ...yesNo },
];
const typed = { hours: "40", owns: "1" };

test("a choice is encoded as the same word in a table is", () => {
  const entries = WORDS.map((value, number) => ({ value, place: number + 1 }));
  const read = categoryReader(entries, 8);
  for (const word of WORDS) {
    const texts = featureTexts(features, (name) => typed[name], () => word);
    const encoded = texts.map((text, number) => encodeFeature(text, features[number], 8));
    const row = { x: [encodeFeature("40", features[0], 8), 9, 9, 9, encodeFeature("1", features[4], 8)] };
    read(word, row, 1, () => {
      throw new Error("the table refuses it");
    });
    assertSame(encoded, row.x, word);
  }
});

test("typed as 0 and 1, one by one, it is the same", () => {
  const texts = featureTexts(features, (name) => typed[name], () => "?");
  assertSame(texts, ["40", "0", "0", "1", "1"]);
});

test("nothing chosen is nothing, not 0", () => {
  const texts = featureTexts(features, (name) => typed[name], () => null);
  assertSame(texts, ["40", "", "", "", "1"]);
});
