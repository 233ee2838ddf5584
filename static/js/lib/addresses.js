/**
 * Addresses that the server gives with places for ids.
 */

/** Put an id into an address such as "/api/v1/models/{model_id}". @param {string} pattern @param {Record<string, string>} ids */
export function fill(pattern, ids) {
  return pattern.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name]));
}
