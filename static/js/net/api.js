/**
 * Calls of the site's API. Every failure is a `Problem`; a refusal has the server's own sentences.
 */

import { Problem, problem } from "../lib/problem.js";
import { pageData } from "./page_data.js";

/** The type of a problem whose code has no entry in the site's catalogue (RFC 9457). */
const NOT_EXPLAINED = "about:blank";

/** @param {string} address @returns {Promise<any>} */
export function getJson(address) {
  return call(address, { method: "GET" });
}

/** @param {string} address @param {any} body @returns {Promise<any>} */
export function postJson(address, body) {
  return sendJson("POST", address, body);
}

/** @param {string} address @param {any} body @returns {Promise<any>} */
export function putJson(address, body) {
  return sendJson("PUT", address, body);
}

/** Post a form's fields; the answer is a part of a page. @param {string} address @param {FormData} body @returns {Promise<string>} */
export async function postForm(address, body) {
  const headers = { "X-CSRFToken": pageData().csrf };
  const response = await reach(address, { method: "POST", headers, body });
  if (response.ok) return response.text();
  throw notUnderstood(response);
}

/** @param {string} method @param {string} address @param {any} body */
function sendJson(method, address, body) {
  return call(address, {
    method,
    headers: { "Content-Type": "application/json", "X-CSRFToken": pageData().csrf },
    body: JSON.stringify(body),
  });
}

/** @param {string} address @param {RequestInit} request */
async function reach(address, request) {
  try {
    return await fetch(address, { credentials: "same-origin", ...request });
  } catch {
    throw problem("no_network");
  }
}

/** @param {string} address @param {RequestInit} request */
async function call(address, request) {
  const response = await reach(address, request);
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  if (answer?.detail && answer?.code) {
    const { code, type, detail, kept, next, status, faults } = answer;
    const about = type === NOT_EXPLAINED ? "" : type;
    throw new Problem(code, { said: { what: detail, kept, next, about }, status, faults });
  }
  throw notUnderstood(response);
}

/** @param {Response} response */
function notUnderstood({ status }) {
  return new Problem("BAD_ANSWER", { params: { status }, status });
}
