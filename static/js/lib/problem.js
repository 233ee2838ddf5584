/**
 * What went wrong, for a page to tell. The site's own refusals bring their sentences along; of
 * everything else the page has them, under its code.
 */

export class Problem extends Error {
  /**
   * @param {string} code of the site's catalogue, or the key of a sentence of the page
   * @param {object} [more]
   * @param {Record<string, string | number>} [more.params] what the sentence names; never a secret
   * @param {{ what: string, kept: string, next: string, about: string } | null} [more.said] by the site;
   *   `about`: where the code is explained, or ""
   * @param {number} [more.status] of the answer
   * @param {{ field: string, sentence: string }[]} [more.faults]
   */
  constructor(code, { params = {}, said = null, status = 0, faults = [] } = {}) {
    super(code);
    this.name = "Problem";
    this.code = code;
    this.params = params;
    this.said = said;
    this.status = status;
    this.faults = faults;
  }
}

/** A problem of the page's sentences `code`, `code_kept`, `code_next`. @param {string} code @param {Record<string, string | number>} [params] */
export function problem(code, params = {}) {
  return new Problem(code, { params });
}
