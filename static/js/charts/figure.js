/**
 * Draw Plotly figures, keep them in the colours of the reader's system or choice, and let arrow keys
 * go from point to point. Each place names the element that holds its figure as JSON.
 */

import { readByKeys } from "./keys.js";
import { dressed } from "./theme.js";

/** Draw every figure of the page that is not drawn yet; without Plotly its table stands alone. */
export async function drawAll() {
  for (const place of document.querySelectorAll("[data-figure]:not([data-drawn], [hidden])")) {
    const figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
    if (figure.data?.length && globalThis.Plotly) await draw(place, figure);
    else place.hidden = true;
  }
}

/**
 * @param {HTMLElement} place
 * @param {{ data: any[], layout?: any, config?: any }} figure
 */
async function draw(place, figure) {
  place.dataset.drawn = "yes";
  const ended = new AbortController();
  const show = () => {
    if (!place.isConnected) return ended.abort();
    const { data, layout, config } = dressed(figure);
    return globalThis.Plotly.newPlot(place, data, layout, config); // `react` leaves the legend where it was
  };
  await show();
  readByKeys(place);
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", show, { signal: ended.signal });
  document.addEventListener("themechange", show, { signal: ended.signal });
  addEventListener("resize", show, { signal: ended.signal }); // Plotly's own way would lose the height
}
