import { draw } from "../charts/figure.js";
import { element } from "../components/page.js";

const figure = JSON.parse(element("certificate-figure").textContent);
const place = element("certificate-chart");
if (figure.data?.length && globalThis.Plotly) await draw(place, figure);
else place.hidden = true;
