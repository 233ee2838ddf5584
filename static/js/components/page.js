/**
 * The page's own data and elements.
 */

/** @returns {any} what the server handed to this page's script */
export function pageData() {
  return JSON.parse(document.getElementById("page-data").textContent);
}

/** @param {string} id @returns {any} the element, which the template promises */
export function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element ${id}`);
  return found;
}

/** Put an id into an address such as "/api/v1/models/{model_id}". @param {string} pattern @param {Record<string, string>} ids */
export function fill(pattern, ids) {
  return pattern.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name]));
}

/** @param {string} tag @param {Record<string, any>} [properties] @param {...(Node | string)} children */
export function make(tag, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const made = Object.assign(document.createElement(tag), rest);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}
