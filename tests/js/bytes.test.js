import {
  concat,
  fixed,
  fromBase64,
  fromBase64url,
  fromHex,
  i32,
  lengthPrefixed,
  toBase64,
  toBase64url,
  toHex,
  u16,
  u32,
  u64,
  u8,
} from "/static/js/lib/bytes.js";
import { systemRandomness } from "/static/js/lib/random.js";
import { lowBit, split } from "/static/js/lib/ring.js";
import { assertEqual, assertRefused, test } from "./harness.js";

test("fields are little-endian and refuse what does not fit", async () => {
  assertEqual(toHex(u8(255)), "ff");
  assertEqual(toHex(u16(0x1234)), "3412");
  assertEqual(toHex(u32(2 ** 32 - 1)), "ffffffff");
  assertEqual(toHex(u64(2n ** 64n - 2n)), "feffffffffffffff");
  assertEqual(toHex(i32(-2)), "feffffff");
  assertEqual(toHex(i32(-(2 ** 31))), "00000080");
  for (const [encode, value] of [
    [u8, 256], [u8, -1], [u16, 65536], [u32, 2 ** 32], [u64, 2n ** 64n], [i32, 2 ** 31],
    [i32, -(2 ** 31) - 1], [i32, 0.5], [i32, NaN],
  ]) {
    await assertRefused("NUMBER_OUT_OF_RANGE", () => encode(value), String(value));
  }
});

test("parts are told apart by their lengths", () => {
  assertEqual(toHex(lengthPrefixed(u8(1), new Uint8Array(), u16(2))), "010000000100000000020000000200");
  assertEqual(toHex(concat()), "");
});

test("hex and base64 come back, and only their one form is read", async () => {
  for (const size of [0, 1, 2, 3, 4, 100, 70000]) {
    const bytes = systemRandomness(size);
    assertEqual(toHex(fromHex(toHex(bytes))), toHex(bytes));
    assertEqual(toHex(fromBase64(toBase64(bytes))), toHex(bytes));
    assertEqual(toHex(fromBase64url(toBase64url(bytes))), toHex(bytes));
  }
  assertEqual(toBase64url(fromHex("fbff")), "-_8");
  for (const text of ["0", "AB", "0g", " 00", "00\n"]) {
    await assertRefused("NOT_HEX", () => fromHex(text), text);
  }
  for (const text of ["A", "AA", "AB==", "A===", "AA ==", "****", "_-8="]) {
    await assertRefused("NOT_BASE64", () => fromBase64(text), text);
  }
  for (const text of ["A", "AB", "+_8", "AA==", "AA AA"]) {
    await assertRefused("NOT_BASE64", () => fromBase64url(text), text);
  }
});

test("a fixed field has its length and is bytes", async () => {
  assertEqual(fixed(u16(1), 2, "id").length, 2);
  await assertRefused("WRONG_LENGTH", () => fixed(u16(1), 3, "id"));
  await assertRefused("WRONG_LENGTH", () => fixed([1, 2], 2, "id"));
});

test("random bytes are drawn beyond one call's quota", () => {
  const bytes = systemRandomness(200000);
  const distinct = new Set(bytes.subarray(199000));
  assertEqual(bytes.length, 200000);
  assertEqual(distinct.size > 200, true);
});

test("shares join to the value at the edges of the ring", () => {
  for (const mask of [0n, 1n, 2n ** 64n - 1n, 2n ** 63n]) {
    for (const value of [0, 1]) {
      const { modeler, regulator } = split([value], () => u64(mask));
      assertEqual(regulator[0], mask);
      assertEqual(BigInt.asUintN(64, modeler[0] + regulator[0]), BigInt(value));
      assertEqual(lowBit(modeler[0]) ^ lowBit(regulator[0]), value);
    }
  }
});
