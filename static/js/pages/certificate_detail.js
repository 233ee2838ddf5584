import { draw } from "../charts/figure.js";
import { element } from "../components/page.js";

for (const place of document.querySelectorAll("[data-figure]")) {
  const figure = JSON.parse(element(place.dataset.figure).textContent);
  if (figure.data?.length && globalThis.Plotly) await draw(place, figure);
  else place.hidden = true;
}
