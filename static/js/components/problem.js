/**
 * What went wrong, in three parts: what happened, whether anything is lost, what to do next.
 */

import { make } from "./page.js";
import { hasText, text } from "./texts.js";

export class Problem extends Error {
  /** @param {{ code?: string, what: string, kept: string, next: string, status?: number, faults?: { field: string, sentence: string }[] }} parts */
  constructor({ code = "PAGE_PROBLEM", what, kept, next, status = 0, faults = [] }) {
    super(what);
    this.code = code;
    this.kept = kept;
    this.next = next;
    this.status = status;
    this.faults = faults;
  }
}

/** Make a problem of the page's sentences `key`, `key_kept`, `key_next`. @param {string} key @param {Record<string, string | number>} [values] */
export function problem(key, values = {}) {
  return new Problem({
    code: key,
    what: text(key, values),
    kept: text(hasText(`${key}_kept`) ? `${key}_kept` : "unexpected_kept", values),
    next: text(hasText(`${key}_next`) ? `${key}_next` : "unexpected_next", values),
  });
}

/** @param {any} error @returns {Problem} */
export function asProblem(error) {
  if (error instanceof Problem) return error;
  const key = `error_${error.code}`;
  if (error.code && hasText(key)) {
    return Object.assign(problem(key, error.params ?? {}), { code: error.code });
  }
  console.error(error);
  return problem("unexpected");
}

/**
 * Show an error in `place`, or clear it with null; read out at once, scrolled into view.
 * @param {HTMLElement} place
 * @param {any} error
 */
export function showProblem(place, error) {
  place.replaceChildren();
  if (error === null) return;
  const { code, message, kept, next } = asProblem(error);
  const notice = make(
    "div",
    { className: "notice notice--bad", role: "alert", dataset: { testid: "problem", code } },
    make("p", { className: "notice__title" }, message),
    part("kept_label", kept),
    part("next_label", next),
    ...aboutCode(code),
  );
  place.append(notice);
  notice.scrollIntoView({ block: "nearest" });
}

/** @param {string} label @param {string} sentence */
function part(label, sentence) {
  return make("p", {}, make("strong", {}, text(label)), ` ${sentence}`);
}

/** A link to what a code means; sentences of the page's own have none. @param {string} code */
function aboutCode(code) {
  if (!/^[A-Z_0-9]+$/.test(code)) return [];
  return [make("p", { className: "small" }, make("a", { className: "hash", href: `/errors/#${code}` }, code))];
}
