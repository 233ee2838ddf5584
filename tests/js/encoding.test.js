import { encodeFeature, encodeValue } from "/static/js/lib/encoding.js";
import { assertEqual, assertRefused, readVectors, test } from "./harness.js";

const vectors = await readVectors("encoding");

test("every value equals the vector", () => {
  for (const { text, unit, frac_bits: fracBits, expected } of vectors.encode_value) {
    assertEqual(String(encodeValue(text, unit, fracBits)), expected, `${text} / ${unit}`);
  }
});

test("what is no number is refused by name", async () => {
  for (const text of [...vectors.not_numbers, NaN, Infinity, -Infinity]) {
    const error = await assertRefused("NOT_A_NUMBER", () => encodeValue(text, "1", 8, "age"), text);
    assertEqual(error.params.name, "age");
  }
});

test("a unit must be positive", async () => {
  for (const unit of vectors.units_not_positive) {
    await assertRefused("UNIT_NOT_POSITIVE", () => encodeValue("1", unit, 8), unit);
  }
});

test("numbers count as their shortest text", () => {
  assertEqual(encodeValue(0.1, "0.1", 16), 65536n);
  assertEqual(encodeValue(-3, "1", 4), -48n);
  assertEqual(encodeValue(1e22, "1", 0), 10n ** 22n);
  assertEqual(encodeValue(5e-324, "1", 0), 0n);
});

test("a feature is held to its range", async () => {
  for (const { feature, text, frac_bits: fracBits, expected } of vectors.encode_feature) {
    const encode = () => encodeFeature(text, feature, fracBits);
    if (expected === null) {
      const error = await assertRefused("VALUE_OUT_OF_RANGE", encode, text);
      assertEqual(error.params.name, feature.name);
    } else {
      assertEqual(encode(), expected, text);
    }
  }
});
