/** Names inside sentences, by the engine's rule (`tests/vectors/names.json`). */

/** The blocks that Unicode keeps for scripts that run from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name as it stands inside a sentence: one that turns text round is isolated. @param {string} text */
export function isolated(text) {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}
