/**
 * Canonical JSON: the one byte form of every text that is signed or hashed.
 *
 * UTF-8, keys sorted by code point, no white space, strings in NFC, integers below 2^53; no
 * floats, null or booleans. Twin of the engine's `control/texts/canonical.py`.
 *
 * @typedef {string | number | Json[] | { [name: string]: Json }} Json
 */

import { utf8 } from "./bytes.js";
import { UsageError } from "./errors.js";

const MAX_DEPTH = 12;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** @param {Json} value @returns {string} */
export function canonicalJson(value) {
  return encode(value, 0);
}

/** @param {Json} value @returns {Uint8Array} UTF-8 of `canonicalJson` */
export function canonicalBytes(value) {
  return utf8(canonicalJson(value));
}

/**
 * Return the value of a canonical text; every other way to write it is refused.
 * @param {string} text
 * @returns {any}
 */
export function parseCanonical(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError("NOT_CANONICAL");
  }
  if (canonicalJson(value) !== text) throw new UsageError("NOT_CANONICAL");
  return value;
}

/** @param {any} value @param {number} depth @returns {string} */
function encode(value, depth) {
  if (depth > MAX_DEPTH) throw new UsageError("NOT_CANONICAL");
  if (typeof value === "string") return encodeString(value);
  if (Number.isSafeInteger(value)) return String(value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => encode(item, depth + 1)).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) return encodeObject(value, depth);
  throw new UsageError("NOT_CANONICAL");
}

/** @param {string} text */
function encodeString(text) {
  if (LONE_SURROGATE.test(text)) throw new UsageError("NOT_CANONICAL");
  return JSON.stringify(text.normalize("NFC"));
}

/** @param {Record<string, any>} object @param {number} depth */
function encodeObject(object, depth) {
  const members = Object.entries(object).map(([name, item]) => ({
    name: name.normalize("NFC"),
    text: `${encodeString(name)}:${encode(item, depth + 1)}`,
  }));
  if (new Set(members.map(({ name }) => name)).size !== members.length) {
    throw new UsageError("NOT_CANONICAL");
  }
  members.sort((a, b) => compareCodePoints(a.name, b.name));
  return `{${members.map(({ text }) => text).join(",")}}`;
}

/**
 * Order by code point; the language's own order is by UTF-16 unit.
 * @param {string} a @param {string} b
 */
function compareCodePoints(a, b) {
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0);
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0);
  const differs = left.findIndex((point, i) => point !== right[i]);
  if (differs === -1) return left.length - right.length;
  return differs < right.length ? left[differs] - right[differs] : 1;
}
