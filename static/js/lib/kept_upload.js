/**
 * A sealed file on its way, kept in this browser so that a lost line or a closed page costs
 * nothing: sealed bytes, which nobody but the party can open.
 *
 * @typedef {{ uploadId: string, nRows: number, envelope: Uint8Array }} KeptUpload
 */

const STORE = "blind-justice-sealed-uploads";
const [UPLOAD, ROWS] = ["x-upload-id", "x-rows"];

/** @param {string} address where it goes @param {KeptUpload} upload */
export async function keepUpload(address, { uploadId, nRows, envelope }) {
  const headers = { [UPLOAD]: uploadId, [ROWS]: String(nRows) };
  await (await caches.open(STORE)).put(address, new Response(envelope, { headers }));
}

/** @param {string} address @returns {Promise<KeptUpload | null>} null, too, where pages can keep nothing */
export async function keptUpload(address) {
  if (!globalThis.caches) return null; // the page came without HTTPS
  const found = await (await caches.open(STORE)).match(address);
  if (!found) return null;
  return {
    uploadId: found.headers.get(UPLOAD) ?? "",
    nRows: Number(found.headers.get(ROWS)),
    envelope: new Uint8Array(await found.arrayBuffer()),
  };
}

/** @param {string} address */
export async function forgetUpload(address) {
  await (await caches.open(STORE)).delete(address);
}
