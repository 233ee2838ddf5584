/**
 * The site's colours for a Plotly figure, read from the style sheet, in light and dark.
 */

/** @param {string} name of a custom property @returns {string} */
function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Colours by the marker's shape, which alone tells pass, fail and undetermined apart. */
const TONES = { circle: "--good", x: "--bad", "diamond-open": "--open" };

/**
 * @param {{ data: any[], layout?: any, config?: any }} figure
 */
export function dressed({ data, layout = {}, config = {} }) {
  const axis = {
    gridcolor: token("--line"),
    linecolor: token("--line-strong"),
    tickcolor: token("--line-strong"),
    zeroline: false,
    automargin: true,
    fixedrange: true,
  };
  const family = getComputedStyle(document.body).fontFamily;
  return {
    data: data.map(colouredTrace),
    layout: {
      ...layout,
      autosize: true,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family, size: 14, color: token("--ink") },
      hoverlabel: { bgcolor: token("--surface"), font: { family, color: token("--ink") } },
      xaxis: { ...layout.xaxis, ...axis },
      yaxis: { ...layout.yaxis, ...axis },
    },
    config: { ...config, displayModeBar: false, responsive: true },
  };
}

/** @param {any} trace */
function colouredTrace(trace) {
  const tone = TONES[trace.marker?.symbol];
  return tone ? { ...trace, marker: { ...trace.marker, color: token(tone) } } : trace;
}
