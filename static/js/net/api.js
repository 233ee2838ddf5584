/**
 * Calls of the site's API. Every failure is a `Problem` with the server's own sentences.
 */

import { pageData } from "../components/page.js";
import { Problem, problem } from "../components/problem.js";

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
  throw problem("bad_answer", { status: response.status });
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
    const { code, detail, kept, next, faults } = answer;
    throw new Problem({ code, what: detail, kept, next, status: response.status, faults });
  }
  const { message, kept } = problem("bad_answer", { status: response.status });
  const { next } = problem("unexpected");
  throw new Problem({ code: "BAD_ANSWER", what: message, kept, next, status: response.status });
}
