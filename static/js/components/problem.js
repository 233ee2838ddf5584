/**
 * Tell what went wrong, in three parts: what happened, whether anything is lost, what to do next.
 */

import { Problem } from "../lib/problem.js";
import { make } from "./page.js";
import { hasText, text } from "./texts.js";

/**
 * The sentences of an error, and where its code is explained, "" for one that is nowhere.
 * @param {any} error @returns {{ code: string, what: string, kept: string, next: string, about: string }}
 */
export function inWords(error) {
  const { code = "", params = {} } = error;
  if (error instanceof Problem && error.said) return { code, ...error.said };
  const explained = `error_${code}`;
  if (code && hasText(explained)) return { code, ...worded(explained, params), about: `/errors/#${code}` };
  if (error instanceof Problem) return { code, ...worded(code, params), about: "" };
  console.error(error);
  return { code: "unexpected", ...worded("unexpected", {}), about: "" };
}

/** @param {string} key @param {Record<string, string | number>} params */
function worded(key, params) {
  const part = (name) => text(hasText(`${key}_${name}`) ? `${key}_${name}` : `unexpected_${name}`, params);
  return { what: text(key, params), kept: part("kept"), next: part("next") };
}

/**
 * Show an error in `place`, or clear it with null; read out at once, scrolled into view.
 * @param {HTMLElement} place
 * @param {any} error
 */
export function showProblem(place, error) {
  place.replaceChildren();
  if (error === null) return;
  const { code, what, kept, next, about } = inWords(error);
  const notice = make(
    "div",
    { className: "notice notice--bad", role: "alert", dataset: { testid: "problem", code } },
    make("p", { className: "notice__title" }, what),
    part("kept_label", kept),
    part("next_label", next),
    ...(about ? [make("p", { className: "small" }, make("a", { className: "hash", href: about }, code))] : []),
  );
  place.append(notice);
  notice.scrollIntoView({ block: "nearest" });
}

/** @param {string} label @param {string} sentence */
function part(label, sentence) {
  return make("p", {}, make("strong", {}, text(label)), ` ${sentence}`);
}
