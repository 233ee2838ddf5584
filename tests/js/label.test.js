import { labelValue, UNKNOWN } from "/static/js/lib/label.js";
import { assertEqual, assertSame, test } from "./harness.js";

const words = { favourable: "good credit", unfavourable: "bad credit" };

test("words of the label, and 1 and 0 beside them, are the two outcomes", () => {
  for (const [cell, value] of [
    ["good credit", 1],
    ["bad credit", 0],
    ["1", 1],
    ["0", 0],
    ["", UNKNOWN],
    ["good", null],
    ["toString", null],
  ]) {
    assertEqual(labelValue(cell, words), value);
  }
});

test("labels in numbers mean what the study says, and no other number means anything", () => {
  const signed = { favourable: "1", unfavourable: "-1" };
  assertSame(["1", "-1", "0", ""].map((cell) => labelValue(cell, signed)), [1, 0, null, UNKNOWN]);
  const doubled = { favourable: "0", unfavourable: "2" };
  assertSame(["0", "2", "1", ""].map((cell) => labelValue(cell, doubled)), [1, 0, null, UNKNOWN]);
  const turned = { favourable: "0", unfavourable: "1" };
  assertSame(["0", "1", "2"].map((cell) => labelValue(cell, turned)), [1, 0, null]);
});
