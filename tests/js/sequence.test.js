import { laterSequence } from "/static/js/lib/sequence.js";
import { assertEqual, test } from "./harness.js";

/** @param {number[]} bytes */
const fixed = (...bytes) => () => Uint8Array.from(bytes);

test("a later version has a higher number, by a leap of the width that was drawn", () => {
  assertEqual(laterSequence(-1, fixed(0, 255, 255, 255)), 255);
  assertEqual(laterSequence(-1, fixed(15, 255, 255, 255)), 2 ** 23 - 1);
  assertEqual(laterSequence(41, fixed(16, 0, 0, 0)), 42);
  assertEqual(laterSequence(41, fixed(7, 1, 2, 3)), 42 + 1 + 2 * 256 + (3 & 0) * 65536);
});

test("the browser's own draws rise, and the first is not a count", () => {
  const numbers = [];
  for (let highest = -1; numbers.length < 20; highest = numbers.at(-1)) numbers.push(laterSequence(highest));
  assertEqual(numbers.every((number, index) => index === 0 || number > numbers[index - 1]), true);
  assertEqual(numbers.at(-1) < 2 ** 32, true);
});
