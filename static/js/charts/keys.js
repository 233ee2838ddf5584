/**
 * Read a drawn figure by keyboard: left and right go from point to point, Home and End to the first
 * and last, Escape leaves. What a point says is what the pointer would show over it.
 */

/** Where each key leads from the k-th of n points. @type {Record<string, (k: number, n: number) => number>} */
const WAYS = {
  ArrowRight: (k, n) => Math.min(k + 1, n - 1),
  ArrowLeft: (k) => Math.max(k - 1, 0),
  Home: () => 0,
  End: (_k, n) => n - 1,
};

/** @param {HTMLElement} place that Plotly has drawn into */
export function readByKeys(place) {
  const points = pointsOf(place);
  if (points.length === 0) return;
  let at = 0;
  const show = () => globalThis.Plotly.Fx.hover(place, [points[at]]);
  const leave = () => globalThis.Plotly.Fx.unhover(place);
  place.tabIndex = 0;
  place.setAttribute("aria-keyshortcuts", "ArrowLeft ArrowRight Home End");
  place.addEventListener("focus", () => place.matches(":focus-visible") && show());
  place.addEventListener("blur", leave);
  place.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return leave();
    if (!(event.key in WAYS) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    at = WAYS[event.key](at, points.length);
    show();
  });
}

/**
 * The points that can be seen, along the axis of places (lying bars have it upright), and at one
 * place from trace to trace.
 * @param {any} place @returns {{ curveNumber: number, pointNumber: number }[]}
 */
function pointsOf(place) {
  const traces = place._fullData;
  const lying = traces.some(({ orientation }) => orientation === "h");
  const [across, along] = lying ? ["y", "x"] : ["x", "y"];
  const axis = place._fullLayout[`${across}axis`];
  const value = ({ curveNumber, pointNumber }, name) => traces[curveNumber][name][pointNumber];
  const at = (point) => axis.d2p(value(point, across));
  const isSeen = (point) => value(point, along) !== 0 || traces[point.curveNumber].type !== "bar";
  return traces
    .flatMap((trace, curveNumber) => Array.from(trace.x, (_x, pointNumber) => ({ curveNumber, pointNumber })))
    .filter((point) => value(point, "x") !== null && value(point, "y") !== null && isSeen(point))
    .sort((a, b) => at(a) - at(b) || a.curveNumber - b.curveNumber);
}
