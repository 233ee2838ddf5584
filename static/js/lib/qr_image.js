/**
 * Read a QR code out of a picture that the person chose. The picture stays in this browser.
 */

import { problem } from "./problem.js";

/** Longest side to look at, in pixels: small first, as photos are large and mostly not code. */
const SIDES = [1000, 2200];
const MOST_PIXELS = 60_000_000;

/** @param {File} file @returns {boolean} */
export function isPicture(file) {
  return file.type.startsWith("image/");
}

/** @param {File} file a picture @returns {Promise<string>} what its QR code says */
export async function textInPicture(file) {
  const { decodeQR } = await import("qr/decode.js").catch(() => {
    throw problem("no_network");
  });
  const picture = await createImageBitmap(file).catch(() => null);
  if (picture === null || picture.width * picture.height > MOST_PIXELS) throw problem("no_qr_code");
  try {
    for (const side of SIDES) {
      const text = decoded(decodeQR, pixels(picture, side));
      if (text !== null) return text;
    }
  } finally {
    picture.close();
  }
  throw problem("no_qr_code");
}

/** @param {(image: ImageData) => string} decodeQR @param {ImageData} image @returns {string | null} */
function decoded(decodeQR, image) {
  try {
    return decodeQR(image);
  } catch {
    return null; // the library throws where it finds no code
  }
}

/** @param {ImageBitmap} picture @param {number} side @returns {ImageData} */
function pixels(picture, side) {
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}
