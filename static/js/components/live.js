/**
 * Keep a part of the page up to date: a socket says that something changed, the page fetches that
 * part again and exchanges only the regions whose markup differs. It reconnects by itself.
 *
 * Markup: `<div id="live" data-live data-socket="…" data-partial="…">` with children that carry
 * `id` and `data-region`; inside them `<progress data-job="…">`.
 */

import { connect } from "../net/socket.js";
import { text } from "./texts.js";

const CALM_MS = 150;
const POLL_MS = 20_000; // in case a message was missed
const POLL_ALONE_MS = 5_000; // where there is no socket
const FETCH_MS = 15_000; // a frozen line answers never
const SHOWN_AFTER_MS = 5_000; // most lines are back before

/**
 * @param {HTMLElement} root
 * @param {() => void} [changed] called after every exchange
 * @returns {() => Promise<void>} fetches the part at once
 */
export function keepLive(root, changed = () => {}) {
  const { socket, partial } = root.dataset;
  const said = document.getElementById("live-status");
  const shown = new Map(regions(root).map((region) => [region.id, markup(region)]));
  let stages = new Map();
  let timer = 0;
  let stopping = 0;

  async function refresh() {
    const found = await fetchMarkup(partial).catch(() => null);
    if (!socket) showStopped(found === null);
    if (found === null) return;
    const fetched = new DOMParser().parseFromString(found, "text/html");
    for (const region of regions(fetched)) exchange(region);
    changed();
  }

  /** Say where everybody sees it that the page may be old. @param {boolean} isStopped */
  function showStopped(isStopped) {
    clearTimeout(stopping);
    const notice = document.getElementById("live-stopped");
    if (notice) notice.hidden = !isStopped;
  }

  /** @param {HTMLElement} fetched */
  function exchange(fetched) {
    const current = document.getElementById(fetched.id);
    if (current === null || shown.get(fetched.id) === markup(fetched)) return;
    shown.set(fetched.id, markup(fetched));
    const focused = current.contains(document.activeElement) ? document.activeElement?.id : "";
    const open = new Set([...current.querySelectorAll("details[open][id]")].map(({ id }) => id));
    const next = document.importNode(fetched, true);
    for (const fold of next.querySelectorAll("details[id]")) fold.open ||= open.has(fold.id);
    current.replaceWith(next);
    if (focused) document.getElementById(focused)?.focus();
    if (said && next.dataset.announce) said.textContent = next.dataset.announce;
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(refresh, CALM_MS);
  }

  /** @param {{ job_id: string, stage: string, done: number, total: number }} message */
  function progressed({ job_id, stage, done, total }) {
    const bar = root.querySelector(`progress[data-job="${CSS.escape(job_id)}"]`);
    if (bar === null || stages.get(job_id) !== stage) soon();
    else if (total > 0) Object.assign(bar, { max: total, value: done });
    stages = new Map(stages).set(job_id, stage);
  }

  if (socket) connect(socket, {
    opened: () => {
      document.documentElement.dataset.live = "on";
      showStopped(false);
      soon();
    },
    received: (message) => (message.type === "progress" ? progressed(message) : soon()),
    lost: (again) => {
      document.documentElement.dataset.live = "off";
      if (again) return;
      if (said) said.textContent = text("live_lost");
      stopping = setTimeout(showStopped, SHOWN_AFTER_MS, true);
    },
    restored: () => said && (said.textContent = text("live_back")),
  });
  const pause = socket ? POLL_MS : POLL_ALONE_MS;
  const refreshIfSeen = () => document.visibilityState === "visible" && refresh();
  setInterval(refreshIfSeen, pause);
  document.addEventListener("visibilitychange", refreshIfSeen); // also when a laptop wakes up
  return refresh;
}

/** The markup of a part, or null where the site refuses it; rejects on a frozen or lost line. @param {string} path */
async function fetchMarkup(path) {
  const signal = AbortSignal.timeout(FETCH_MS); // for the head and for the body
  const response = await fetch(path, { credentials: "same-origin", signal });
  return response.ok ? response.text() : null;
}

/** @param {ParentNode} root @returns {HTMLElement[]} */
function regions(root) {
  return [...root.querySelectorAll("[data-region]")];
}

/** Markup to compare, without the form token, which differs in every answer. @param {HTMLElement} region */
function markup(region) {
  const copy = /** @type {HTMLElement} */ (region.cloneNode(true));
  for (const token of copy.querySelectorAll('[name="csrfmiddlewaretoken"]')) token.remove();
  return copy.outerHTML;
}
