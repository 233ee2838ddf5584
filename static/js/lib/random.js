/**
 * Randomness as an argument: `(n) => n uniform bytes`. Tests pass a fixed one.
 * @typedef {(n: number) => Uint8Array} Randomness
 */

const QUOTA_BYTES = 65536; // of one getRandomValues call

/** The browser's generator. @type {Randomness} */
export function systemRandomness(n) {
  const bytes = new Uint8Array(n);
  for (let start = 0; start < n; start += QUOTA_BYTES) {
    crypto.getRandomValues(bytes.subarray(start, start + QUOTA_BYTES));
  }
  return bytes;
}
