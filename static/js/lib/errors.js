/**
 * Errors of the library: a stable code and parameters; pages turn them into sentences.
 */

export class UsageError extends Error {
  /**
   * @param {string} code stable, upper case
   * @param {Record<string, string | number>} [params] what the sentence names; never a secret
   */
  constructor(code, params = {}) {
    super(code);
    this.name = "UsageError";
    this.code = code;
    this.params = params;
  }
}
