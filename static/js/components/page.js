/**
 * The page's elements.
 */

/** @param {string} id @returns {any} the element, which the template promises */
export function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element ${id}`);
  return found;
}

/** @param {string} tag @param {Record<string, any>} [properties] @param {...(Node | string)} children */
export function make(tag, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const made = Object.assign(document.createElement(tag), rest);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}
