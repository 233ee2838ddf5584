/**
 * Draw a Plotly figure and keep it in the colours of the reader's system or choice.
 */

import { dressed } from "./theme.js";

/**
 * @param {HTMLElement} place
 * @param {{ data: any[], layout?: any, config?: any }} figure
 */
export async function draw(place, figure) {
  const show = () => {
    const { data, layout, config } = dressed(figure);
    return globalThis.Plotly.react(place, data, layout, config);
  };
  await show();
  place.dataset.drawn = "yes";
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  document.addEventListener("themechange", show);
}
