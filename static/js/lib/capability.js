/**
 * What this browser must be able to do before a page may ask for anything.
 */

/**
 * Return null if all is there, else a code that the page turns into a plain sentence:
 * INSECURE_PAGE (no HTTPS, so no WebCrypto), NO_WEBCRYPTO, NO_P256, NO_X25519, NO_KEY_STORE.
 * @returns {Promise<string | null>}
 */
export async function capabilityProblem() {
  if (!globalThis.isSecureContext) return "INSECURE_PAGE";
  if (!globalThis.crypto?.subtle) return "NO_WEBCRYPTO";
  if (!globalThis.indexedDB) return "NO_KEY_STORE";
  if (!(await canGenerate({ name: "ECDSA", namedCurve: "P-256" }, ["sign", "verify"]))) {
    return "NO_P256";
  }
  if (!(await canGenerate({ name: "X25519" }, ["deriveBits"]))) return "NO_X25519";
  return null;
}

/** @param {EcKeyGenParams | Algorithm} algorithm @param {KeyUsage[]} usages */
async function canGenerate(algorithm, usages) {
  try {
    await crypto.subtle.generateKey(algorithm, false, usages);
    return true;
  } catch {
    return false;
  }
}
