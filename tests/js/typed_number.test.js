import { encodeValue } from "/static/js/lib/encoding.js";
import { isYesNo, shownValue } from "/static/js/lib/shown_value.js";
import { typedNumber } from "/static/js/lib/typed_number.js";
import { assertEqual, assertRefused, assertSame, readVectors, test } from "./harness.js";

const WIDE = { minimum: "0", maximum: "100000" };
const NARROW = { minimum: "0", maximum: "4" };

test("what can be read in two ways is refused, with both ways to write it", async () => {
  for (const [typed, whole, decimal] of [
    ["1,200", "1200", "1.2"],
    [" 1,234 ", "1234", "1.2340"],
    ["1.200", "1200", "1.2"],
    ["12,000", "12000", "12"],
    ["-1,500", "-1500", "-1.5"],
  ]) {
    const range = { minimum: "-100000", maximum: "100000" };
    const error = await assertRefused("NUMBER_AMBIGUOUS", () => typedNumber(typed, range), typed);
    assertSame(error.params, { whole, decimal });
    for (const text of [whole, decimal]) assertEqual(typedNumber(text, range), text);
  }
  await assertRefused("NUMBER_AMBIGUOUS", () => typedNumber("1,200", NARROW), "a comma, whatever the range");
});

test("what can be read in one way is read", () => {
  for (const [typed, read] of [
    ["1,5", "1.5"],
    ["0,125", "0.125"],
    ["1,2000", "1.2000"],
    ["1200", "1200"],
    [" 3.5 ", "3.5"],
  ]) {
    assertEqual(typedNumber(typed, WIDE), read, typed);
  }
  assertEqual(typedNumber("3.125", NARROW), "3.125", "3125 is out of range");
});

test("what is no number stays none", async () => {
  for (const typed of ["1,200,000", "1,200.50", "1.200,50", "1 200", "", "one"]) {
    await assertRefused("NOT_A_NUMBER", () => encodeValue(typedNumber(typed, WIDE), "1", 8), typed);
  }
});

test("an encoded value is shown as it was entered", async () => {
  const { shown_value: cases } = await readVectors("encoding");
  for (const { x, unit, frac_bits: fracBits, expected } of cases) {
    assertEqual(shownValue(x, unit, fracBits), expected);
    assertEqual(encodeValue(expected, unit, fracBits), BigInt(x));
  }
});

test("from 0 to 1 in whole steps is yes or no, and a share is not", () => {
  assertEqual(isYesNo({ unit: "1", minimum: "0", maximum: "1" }), true);
  assertEqual(isYesNo({ unit: "0.1", minimum: "0", maximum: "1" }), false);
});
