import { nextSequence } from "/static/js/lib/sequence.js";
import { assertEqual, assertRefused, test } from "./harness.js";

/** @param {number[]} bytes */
const fixed = (...bytes) => () => Uint8Array.from(bytes);
/** @param {number[]} numbers */
const versions = (...numbers) => numbers.map((sequence) => ({ sequence }));

test("the first number is any below 2^31, a later one higher than all by 1 to 2^21", () => {
  assertEqual(nextSequence([], fixed(0, 0, 0, 128)), 0);
  assertEqual(nextSequence([], fixed(1, 2, 3, 255)), 1 + 2 * 256 + 3 * 65536 + 127 * 2 ** 24);
  assertEqual(nextSequence(versions(41, 7), fixed(0, 0, 0, 0)), 42);
  assertEqual(nextSequence(versions(7, 41), fixed(255, 255, 255, 255)), 41 + 2 ** 21);
});

test("1,024 replacements have a number at the least; the next is refused in words", async () => {
  const most = fixed(255, 255, 255, 255);
  const given = versions(nextSequence([], most));
  while (given.length <= 1024) given.push({ sequence: nextSequence(given.slice(-1), most) });
  assertEqual(given.at(-1).sequence, 2 ** 32 - 1);
  await assertRefused("NUMBERS_USED_UP", () => nextSequence(given, fixed(0, 0, 0, 0)));
});

test("the browser's own draws rise", () => {
  const given = versions(nextSequence([]));
  for (let count = 0; count < 20; count += 1) given.push({ sequence: nextSequence(given) });
  const rises = given.every(({ sequence }, index) => index === 0 || sequence > given[index - 1].sequence);
  assertEqual(rises && given[0].sequence < 2 ** 31, true);
});
