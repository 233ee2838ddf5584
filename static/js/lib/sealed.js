/**
 * Sealed envelopes: `version u16 | key id 16 | enc 1120 | ciphertext`, bound to their context.
 *
 * @typedef {import("./layout.js").Role} Role
 * @typedef {"submission" | "model" | "data" | "challenge" | "trained-model"} Purpose
 * @typedef {object} SealContext
 * @property {Purpose} purpose
 * @property {Role} role of the recipient
 * @property {Uint8Array} studyId
 * @property {Uint8Array} configDigest
 * @property {Uint8Array} keyId of the recipient's study key
 * @property {Uint8Array} recordId the record, or the model, upload or challenge
 * @property {Uint8Array} [submissionId] of a trained model the job, zero for other objects
 * @property {number} [sequence]
 */

import { concat, fixed, lengthPrefixed, toHex, u16, u32, utf8 } from "./bytes.js";
import { canonicalBytes } from "./canonical.js";
import { UsageError } from "./errors.js";
import { hpkeOpen, hpkeSeal } from "./hpke.js";
import { ENVELOPE_VERSION, ID_BYTES } from "./layout.js";

const SEALED_AS = "bj2";
const PADDING_BLOCK_BYTES = 2048;

/** The HPKE info of a context: each part behind its length. @param {SealContext} context */
export function sealInfo(context) {
  return lengthPrefixed(
    utf8(SEALED_AS),
    utf8(context.purpose),
    utf8(context.role),
    fixed(context.studyId, ID_BYTES, "study id"),
    fixed(context.configDigest, 32, "configuration digest"),
    fixed(context.keyId, ID_BYTES, "key id"),
    fixed(context.recordId, ID_BYTES, "record id"),
    fixed(context.submissionId ?? new Uint8Array(ID_BYTES), ID_BYTES, "submission id"),
    u32(context.sequence ?? 0),
  );
}

/**
 * Seal a plaintext to a party's study key under a context.
 * @param {SealContext} context
 * @param {Uint8Array} publicKey
 * @param {Uint8Array} plaintext
 * @returns {Promise<Uint8Array>}
 */
export async function seal(context, publicKey, plaintext) {
  const sealed = await hpkeSeal(publicKey, sealInfo(context), plaintext);
  return concat(u16(ENVELOPE_VERSION), context.keyId, sealed);
}

/**
 * Seal a value as padded canonical JSON (models, data, challenges).
 * @param {SealContext} context
 * @param {Uint8Array} publicKey
 * @param {import("./canonical.js").Json} value
 */
export async function sealMessage(context, publicKey, value) {
  return sealBytes(context, publicKey, canonicalBytes(value));
}

/**
 * Seal canonical bytes, padded, as `sealMessage` does a value.
 * @param {SealContext} context @param {Uint8Array} publicKey @param {Uint8Array} data
 */
export async function sealBytes(context, publicKey, data) {
  return seal(context, publicKey, padMessage(data));
}

/**
 * Open a padded message that was sealed to a key of this browser, under exactly this context.
 * @param {SealContext} context
 * @param {import("./x_wing.js").XWingKeys} keys
 * @param {Uint8Array} envelope
 * @returns {Promise<Uint8Array>}
 */
export async function openMessage(context, keys, envelope) {
  const header = concat(u16(ENVELOPE_VERSION), context.keyId);
  if (toHex(envelope.slice(0, header.length)) !== toHex(header)) {
    throw new UsageError("SEAL_NOT_OPENED");
  }
  return unpadMessage(await hpkeOpen(keys, sealInfo(context), envelope.slice(header.length)));
}

/** The data of a padded message, padded in the one way. @param {Uint8Array} padded */
function unpadMessage(padded) {
  const length = new DataView(padded.buffer, padded.byteOffset, 4).getUint32(0, true);
  const data = padded.slice(4, 4 + length);
  if (data.length !== length || toHex(padMessage(data)) !== toHex(padded)) {
    throw new UsageError("SEAL_NOT_OPENED");
  }
  return data;
}

/** `u32 length | data | zeros` up to a multiple of 2048 bytes. @param {Uint8Array} data */
export function padMessage(data) {
  const message = concat(u32(data.length), data);
  const excess = message.length % PADDING_BLOCK_BYTES;
  return concat(message, new Uint8Array(excess ? PADDING_BLOCK_BYTES - excess : 0));
}
