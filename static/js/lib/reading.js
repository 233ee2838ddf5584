/**
 * Read files that were chosen: they may be gone, or others, by the time that they are read.
 */

import { UsageError } from "./errors.js";

/** What browsers call it. Their errors also carry old numbers as `code`, which say nothing here. */
const GONE = new Set(["NotFoundError", "NotReadableError"]);

/**
 * Return what a file holds; UsageError FILE_CHANGED if it was changed or removed since.
 * @template T
 * @param {Promise<T>} reading
 * @returns {Promise<T>}
 */
export async function readChosen(reading) {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DOMException && GONE.has(error.name)) throw new UsageError("FILE_CHANGED");
    throw error;
  }
}
