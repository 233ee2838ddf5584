/**
 * The least that a test file needs: `test(name, body)` and assertions; `run()` runs what was
 * declared and returns what failed.
 */

const declared = [];

/** @param {string} name a sentence @param {() => void | Promise<void>} body */
export function test(name, body) {
  declared.push({ name, body });
}

/** @returns {Promise<{ names: string[], failures: string[] }>} */
export async function run() {
  const failures = [];
  for (const { name, body } of declared) {
    try {
      await body();
    } catch (error) {
      failures.push(`${name}: ${error.code ?? ""} ${error.stack}`);
    }
  }
  return { names: declared.map(({ name }) => name), failures };
}

/** @param {any} actual @param {any} expected @param {string} [where] */
export function assertEqual(actual, expected, where = "") {
  if (!Object.is(actual, expected)) {
    throw new Error(`${where}: ${String(actual)} instead of ${String(expected)}`);
  }
}

/** Compare by JSON. @param {any} actual @param {any} expected @param {string} [where] */
export function assertSame(actual, expected, where = "") {
  assertEqual(JSON.stringify(actual), JSON.stringify(expected), where);
}

/**
 * Expect a UsageError with this code.
 * @param {string} code @param {() => any} body @param {string} [where]
 */
export async function assertRefused(code, body, where = "") {
  let result;
  try {
    result = await body();
  } catch (error) {
    assertEqual(error.name, "UsageError", `${where} ${error.stack}`);
    assertEqual(error.code, code, where);
    return error;
  }
  throw new Error(`${where}: accepted as ${String(result)} instead of refused as ${code}`);
}

/** @param {string} name of a vector file */
export async function readVectors(name) {
  return (await fetch(`/tests/vectors/${name}.json`)).json();
}
