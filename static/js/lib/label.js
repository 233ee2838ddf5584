/**
 * What a cell says about an outcome, by the words or numbers that the study's label gives.
 */

export const UNKNOWN = 2;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/**
 * 1 for the favourable value, 0 for the other, UNKNOWN for an empty cell, null for anything else. Where the
 * label's values are words, 1 and 0 mean the same; where they are numbers, such as -1 and 1 or 0 and 2, no
 * other number means anything.
 * @param {string} cell @param {{ favourable: string, unfavourable: string }} label @returns {number | null}
 */
export function labelValue(cell, { favourable, unfavourable }) {
  const inNumbers = [favourable, unfavourable].some((value) => NUMBER.test(value));
  const meanings = {
    "": UNKNOWN,
    ...(inNumbers ? {} : { 1: 1, 0: 0 }),
    [favourable]: 1,
    [unfavourable]: 0,
  };
  return Object.hasOwn(meanings, cell) ? meanings[cell] : null;
}
