/**
 * Send a sealed file in parts: what arrived is not sent again, and a lost line is waited for.
 */

import { toBase64, toHex } from "../lib/bytes.js";
import { sha256 } from "../lib/digests.js";
import { problem } from "../lib/problem.js";
import { postJson, putJson } from "./api.js";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;
const MOST_TRIES = 40;
const MOST_ROUNDS = 3;

/**
 * @typedef {{ missing: number[], part_bytes: number, state: string }} Standing
 * @param {{ data: string, part: (number: number) => string }} addresses
 * @param {{ uploadId: string, envelope: Uint8Array }} upload
 * @param {{ progress: (done: number, total: number) => void, waiting: (isLost: boolean) => void }} tell
 *   bytes that arrived; whether the line is lost just now
 */
export async function sendInParts(addresses, { uploadId, envelope }, tell) {
  const { length } = envelope;
  const announcement = {
    upload_id: uploadId,
    size_bytes: length,
    digest: toHex(await sha256(envelope)),
  };
  const announce = () => persistently(() => postJson(addresses.data, announcement), tell.waiting);
  let standing = await announce();
  for (let round = 0; round < MOST_ROUNDS && standing.missing.length > 0; round += 1) {
    const size = standing.part_bytes;
    tell.progress(length - Math.min(length, standing.missing.length * size), length);
    for (const number of standing.missing) {
      const content = toBase64(envelope.subarray(number * size, (number + 1) * size));
      const send = () => putJson(addresses.part(number), { content });
      const { missing } = await persistently(send, tell.waiting);
      tell.progress(length - Math.min(length, missing.length * size), length);
    }
    standing = await announce();
  }
  if (standing.missing.length > 0) throw problem("upload_garbled");
}

/**
 * Try until the site answers; an answer that refuses ends it.
 * @param {() => Promise<Standing>} act @param {(isLost: boolean) => void} waiting
 */
async function persistently(act, waiting) {
  let delay = FIRST_DELAY_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      const standing = await act();
      waiting(false);
      return standing;
    } catch (error) {
      const mayPass = error.code === "no_network" || error.status >= 500;
      if (!mayPass || tries === MOST_TRIES) throw error;
    }
    waiting(true);
    await new Promise((resolve) => setTimeout(resolve, delay));
    delay = Math.min(2 * delay, LONGEST_DELAY_MS);
  }
}
