import { utf8 } from "/static/js/lib/bytes.js";
import { canonicalBytes, canonicalJson, parseCanonical } from "/static/js/lib/canonical.js";
import { assertEqual, assertRefused, assertSame, readVectors, test } from "./harness.js";

const vectors = await readVectors("canonical");

test("every value has the vector's text", () => {
  for (const { value, text } of vectors.values) {
    assertEqual(canonicalJson(value), text);
    assertSame([...canonicalBytes(value)], [...utf8(text)]);
    assertEqual(canonicalJson(parseCanonical(text)), text);
  }
});

test("other values are refused", async () => {
  const more = [undefined, NaN, Infinity, 1n, () => 1, [undefined], Symbol("x")];
  for (const value of [...vectors.refused_values, ...more]) {
    await assertRefused("NOT_CANONICAL", () => canonicalJson(value));
  }
});

test("every other way to write a text is refused", async () => {
  for (const text of vectors.refused_texts) {
    await assertRefused("NOT_CANONICAL", () => parseCanonical(text), text);
  }
});
