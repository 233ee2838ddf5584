/**
 * What was typed into a form, kept in this tab for a reload or for the way back. Not on any disk of
 * ours: the browser forgets it with the tab.
 */

/** @param {string} key @param {any} value */
export function keep(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing still has the form.
  }
}

/** @param {string} key @returns {any} null if nothing is kept */
export function kept(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key */
export function forget(key) {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}
