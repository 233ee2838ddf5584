/**
 * Additive sharing modulo 2^64: value = x_M + x_R; the regulator's share is the mask.
 * @typedef {import("./random.js").Randomness} Randomness
 */

/**
 * @param {readonly (number | bigint)[]} values
 * @param {Randomness} random
 * @returns {{ modeler: bigint[], regulator: bigint[] }} one residue per value and party
 */
export function split(values, random) {
  const masks = new DataView(random(8 * values.length).slice().buffer);
  const regulator = values.map((_, i) => masks.getBigUint64(8 * i, true));
  const modeler = values.map((value, i) => BigInt.asUintN(64, BigInt(value) - regulator[i]));
  return { modeler, regulator };
}

/**
 * The lowest bit of a share; the two parties' low bits XOR to the value's.
 * @param {bigint} share
 */
export function lowBit(share) {
  return Number(share & 1n);
}
