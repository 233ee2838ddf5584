/**
 * Bytes: fixed-width little-endian fields and the texts that carry them.
 */

import { UsageError } from "./errors.js";

const encoder = new TextEncoder();

/** @param {...Uint8Array} parts @returns {Uint8Array} */
export function concat(...parts) {
  const result = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let position = 0;
  for (const part of parts) {
    result.set(part, position);
    position += part.length;
  }
  return result;
}

/** @param {string} text @returns {Uint8Array} */
export function utf8(text) {
  return encoder.encode(text);
}

/**
 * Encode an unsigned integer in `width` bytes, little-endian.
 * @param {number | bigint} value @param {number} width @returns {Uint8Array}
 */
function unsigned(value, width) {
  let rest = BigInt(value);
  if (rest < 0n || rest >> BigInt(8 * width)) throw new UsageError("NUMBER_OUT_OF_RANGE");
  const result = new Uint8Array(width);
  for (let i = 0; i < width; i += 1) {
    result[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return result;
}

/** @param {number} value */
export const u8 = (value) => unsigned(value, 1);
/** @param {number} value */
export const u16 = (value) => unsigned(value, 2);
/** @param {number} value */
export const u32 = (value) => unsigned(value, 4);
/** @param {bigint} value */
export const u64 = (value) => unsigned(value, 8);

/** Encode a signed 32-bit integer, two's complement. @param {number} value */
export function i32(value) {
  if (!Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 31) {
    throw new UsageError("NUMBER_OUT_OF_RANGE");
  }
  return unsigned(value >>> 0, 4);
}

/** Concatenate parts, each behind its length as u32. @param {...Uint8Array} parts */
export function lengthPrefixed(...parts) {
  return concat(...parts.flatMap((part) => [u32(part.length), part]));
}

/**
 * Return `value` if it has exactly `length` bytes.
 * @param {Uint8Array} value @param {number} length @param {string} what
 */
export function fixed(value, length, what) {
  if (!(value instanceof Uint8Array) || value.length !== length) {
    throw new UsageError("WRONG_LENGTH", { what, length });
  }
  return value;
}

/** @param {Uint8Array} bytes @returns {string} lower case */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} text lower-case hex @returns {Uint8Array} */
export function fromHex(text) {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new UsageError("NOT_HEX");
  return Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    Number.parseInt(text.slice(2 * i, 2 * i + 2), 16),
  );
}

/** @param {Uint8Array} bytes @returns {string} */
export function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(text);
}

/** @param {string} text padded base64, refused unless it is the one encoding of its bytes */
export function fromBase64(text) {
  let decoded;
  try {
    decoded = atob(text);
  } catch {
    throw new UsageError("NOT_BASE64");
  }
  const bytes = Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  if (toBase64(bytes) !== text) throw new UsageError("NOT_BASE64");
  return bytes;
}

/** @param {Uint8Array} bytes @returns {string} without padding */
export function toBase64url(bytes) {
  return toBase64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** @param {string} text base64url without padding @returns {Uint8Array} */
export function fromBase64url(text) {
  if (!/^[\w-]*$/.test(text)) throw new UsageError("NOT_BASE64");
  const padding = "=".repeat((4 - (text.length % 4)) % 4);
  return fromBase64(text.replace(/-/g, "+").replace(/_/g, "/") + padding);
}
