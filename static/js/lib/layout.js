/**
 * Shape of a study's envelopes; every size follows from it and none from an answer.
 *
 * @typedef {"modeler" | "regulator"} Role
 * @typedef {object} EnvelopeLayout
 * @property {Uint8Array} studyId 16 bytes
 * @property {Uint8Array} configDigest 32 bytes
 * @property {readonly number[]} categoryCounts per attribute, "prefer not to say" included, last
 * @property {Role} dataHolder whose plaintext ends with the blind and, not by file, with x and y
 * @property {boolean} dataByFile whether x and y come to the data-holder in a file
 * @property {readonly (readonly [number, number])[]} featureRanges inclusive, encoded
 */

import { UsageError } from "./errors.js";

/** @type {readonly Role[]} */
export const ROLES = ["modeler", "regulator"];
export const ENVELOPE_VERSION = 2;
export const ID_BYTES = 16;
export const KEY_BYTES = 16;
export const BLIND_BYTES = 32;
export const UNKNOWN_LABEL = 2;

/** @param {EnvelopeLayout} layout */
export function entryCount(layout) {
  return layout.categoryCounts.reduce((total, count) => total + count, 0);
}

/**
 * The 0/1 entries of the chosen category per attribute.
 * @param {EnvelopeLayout} layout
 * @param {readonly number[]} answers index of the chosen category per attribute
 * @returns {number[]}
 */
export function oneHot(layout, answers) {
  const { categoryCounts } = layout;
  if (answers.length !== categoryCounts.length) throw new UsageError("ANSWER_MISSING");
  return categoryCounts.flatMap((count, attribute) => {
    const answer = answers[attribute];
    if (!Number.isInteger(answer) || answer < 0 || answer >= count) {
      throw new UsageError("ANSWER_UNKNOWN", { attribute });
    }
    return Array.from({ length: count }, (_, category) => Number(category === answer));
  });
}

/**
 * Check x and y as the person gives them; return them as sent, null where they come by file.
 * @param {EnvelopeLayout} layout
 * @param {readonly number[] | null} features encoded, in schema order
 * @param {0 | 1 | null} label null for unknown
 * @returns {{ features: readonly number[], label: number } | null}
 */
export function checkedData(layout, features, label) {
  if (layout.dataByFile) {
    if (features !== null || label !== null) throw new UsageError("DATA_COME_BY_FILE");
    return null;
  }
  if (features === null || features.length !== layout.featureRanges.length) {
    throw new UsageError("VALUE_MISSING");
  }
  layout.featureRanges.forEach(([low, high], feature) => {
    const value = features[feature];
    if (!Number.isInteger(value) || value < low || value > high) {
      throw new UsageError("VALUE_OUT_OF_RANGE", { feature });
    }
  });
  if (label !== null && label !== 0 && label !== 1) throw new UsageError("LABEL_UNKNOWN");
  return { features, label: label ?? UNKNOWN_LABEL };
}
