/**
 * The policy editor: whenever a field changes the form is posted, and the server's parts of the page
 * (fields, what the policy says, what is wrong beside each field) are exchanged. What the fields mean
 * is decided there alone.
 */

import { postForm } from "../net/api.js";
import { element } from "./page.js";

const PAUSE_MS = 250;

/** @typedef {{ terms: any, faulty: boolean, regulator: string }} Composed */

/**
 * @param {HTMLFormElement} form that has the editor's fields
 * @param {object} options
 * @param {string} options.url that answers with the parts
 * @param {() => any} [options.about] what is asked and decided, where other fields say it
 * @param {(composed: Composed) => void} [options.started] called when the fields were filled in
 */
export function connectPolicyEditor(form, { url, about, started = () => {} }) {
  let timer = 0;
  let asked = 0;
  /** How often something was typed that is asked about when the typing pauses. */
  let nTyped = 0;
  let composed = composedIn(document);
  /** The newest answer that is on its way. */
  let settled = Promise.resolve();

  /** @param {string} then what the server does to the fields first @param {Record<string, string>} [more] */
  function ask(then, more = {}) {
    clearTimeout(timer);
    settled = exchange(then, more);
    return settled;
  }

  /** Ask beside what the person does; without a line the page stays as it is. @param {string} [then] */
  function quietly(then = "show") {
    ask(then).catch(() => {});
  }

  /** @param {string} then @param {Record<string, string>} more @param {[string, string][]} [typed] in place of what the form has */
  async function exchange(then, more, typed) {
    const body = new FormData(typed ? undefined : form);
    for (const [name, value] of typed ?? []) body.append(name, value);
    for (const [name, value] of Object.entries({ ...more, then })) body.set(name, value);
    if (about) body.set("about", JSON.stringify(about()));
    const turn = ++asked;
    const nTypedBefore = nTyped;
    const filled = then !== "show" || typed !== undefined;
    const fields = element("policy-fields");
    fields.inert = filled; // what is typed now would be replaced
    const content = await postForm(url, body).finally(() => (fields.inert = false));
    if (!filled && (turn !== asked || nTypedBefore !== nTyped)) return; // a newer one comes
    const answer = new DOMParser().parseFromString(content, "text/html");
    for (const part of answer.querySelectorAll("[data-part]")) {
      const here = document.getElementById(part.id);
      if (here === null) continue;
      if (filled || "typeless" in part.dataset) replace(here, part);
      else showFaults(here, part);
    }
    composed = composedIn(document);
    adapt();
    if (filled && !typed) started(composed);
    if (turn !== asked) quietly();
  }

  /** Show what only a script can use, hide what only its absence needs. */
  function adapt() {
    for (const one of form.querySelectorAll("[data-with-script]")) one.hidden = false;
    for (const one of form.querySelectorAll("[data-without-script]")) one.hidden = true;
    form.querySelector("[data-listed]").hidden = form.elements.scope.value !== "listed";
  }

  form.addEventListener("input", ({ target }) => {
    if (target.id === "policy-start") return;
    if (element("policy-fields").contains(target)) element("policy-start").value = "";
    if (target.closest("[data-row]")?.dataset.row === "feature") return;
    adapt();
    nTyped += 1;
    clearTimeout(timer);
    timer = setTimeout(quietly, PAUSE_MS);
  });
  form.addEventListener("change", ({ target }) => {
    if (target.id === "policy-start") quietly("start");
  });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.add) {
      event.preventDefault();
      addRow(button.dataset.add);
      adapt();
    } else if (button && "remove" in button.dataset) {
      button.closest("[data-row]").remove();
      quietly();
    }
  });
  adapt();
  if (about) quietly();

  return {
    /** Ask once more and return what the fields say now. @returns {Promise<Composed>} */
    async settle() {
      let newest = ask("show");
      while ((await newest, newest !== settled)) newest = settled;
      return composed;
    },
    /** Say anew what the fields mean, after something else of the form changed. */
    refresh: () => ask("show"),
    /** Fill the fields with what was typed into them before. @param {[string, string][]} typed */
    restore: (typed) => (settled = exchange("show", {}, typed)),
    /** Fill the fields from a policy. @param {any} policy */
    load: (policy) => ask("load", { start: "", policy: JSON.stringify(policy) }),
  };
}

/** Exchange a part of the page; the focus stays where it is. @param {Element} here @param {Element} fetched */
function replace(here, fetched) {
  const focused = here.contains(document.activeElement) ? document.activeElement.id : "";
  here.replaceWith(fetched);
  if (focused) document.getElementById(focused)?.focus();
}

/** The first field that is marked as wrong, for the focus. @param {HTMLElement} form */
export function firstFault(form) {
  const sentence = form.querySelector("[data-error]:not([hidden]), [data-row-error]:not([hidden])");
  const place = sentence?.closest("[data-row], .field, .choices");
  return place?.querySelector("input, select, textarea") ?? sentence;
}

/** Exchange the sentences beside fields that are typed in right now. @param {Element} here @param {Element} fetched */
function showFaults(here, fetched) {
  for (const sentence of fetched.querySelectorAll("[data-error]")) {
    const shown = document.getElementById(sentence.id);
    if (shown) say(shown, sentence);
  }
  const rows = here.querySelectorAll("[data-row-error]");
  for (const [number, sentence] of fetched.querySelectorAll("[data-row-error]").entries()) {
    if (rows[number]) say(rows[number], sentence);
  }
}

/** @param {HTMLElement} shown @param {HTMLElement} fetched */
function say(shown, fetched) {
  shown.textContent = fetched.textContent;
  shown.hidden = fetched.hidden;
}

/** @param {string} kind "criterion" or "attribute" */
function addRow(kind) {
  const list = element(kind === "criterion" ? "criteria" : "attributes");
  const row = element(`${kind}-template`).content.firstElementChild.cloneNode(true);
  list.append(row);
  row.querySelector("select, input").focus();
}

/** @param {Document} page @returns {Composed} */
function composedIn(page) {
  return JSON.parse(page.getElementById("policy-terms").textContent);
}
