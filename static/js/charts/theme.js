/**
 * The site's colours for a Plotly figure, read from the style sheet, in light and dark.
 */

const probe = document.createElement("i");
probe.hidden = true;
document.body.append(probe);

/** @param {string} name of a colour's custom property @returns {string} the one that holds now */
function token(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

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
      xaxis: dressedAxis(layout.xaxis, axis),
      yaxis: dressedAxis(layout.yaxis, axis),
      shapes: layout.shapes?.map((shape) => ({ ...shape, line: { ...shape.line, color: token("--ink-soft") } })),
      legend: { ...layout.legend, orientation: "h", x: 1, xanchor: "right", y: 1.02, yanchor: "bottom" },
    },
    config: { ...config, displayModeBar: false, responsive: false },
  };
}

/** A title that fits a phone, and half a step of room at both ends of a category axis. @param {any} [axis] @param {any} look */
function dressedAxis(axis = {}, look) {
  const steps = axis.categoryarray?.length ?? 0;
  const title = axis.title && { ...axis.title, font: { size: 12 } };
  return { ...axis, ...look, title, ...(steps > 0 && { range: [-0.5, steps - 0.5] }) };
}

/** Every trace names its tone. @param {any} trace */
function colouredTrace(trace) {
  const color = token(trace.meta.tone);
  const marker = { ...trace.marker, color, line: { ...trace.marker?.line, color } };
  return { ...trace, marker, ...(trace.line && { line: { ...trace.line, color } }) };
}
