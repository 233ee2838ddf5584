/**
 * The sealing key that a party announced for a study, checked before anything is sealed to it.
 *
 * After closing a party destroys the key that the configuration names and announces another one:
 * only its signature, under the signing key in the configuration, says that it is the party's. A
 * browser that can't check the signature takes no other key than the configuration's.
 */

import { fromHex } from "./bytes.js";
import { parseCanonical } from "./canonical.js";
import { problem } from "./problem.js";
import { signedBy } from "./signatures.js";

/**
 * @param {any} configuration parsed
 * @param {"modeler" | "regulator"} role
 * @param {{ body: string, signature: string }} announcement as the site hands it out
 * @returns {Promise<{ keyId: Uint8Array, publicKey: Uint8Array }>}
 */
export async function announcedKey(configuration, role, announcement) {
  const genuine = await signedBy(configuration[role].signing_key, "message", announcement);
  const { kind, role: from, study_id: study, key_id, hpke_key } = parseCanonical(announcement.body);
  const fits = kind === "study_key" && from === role && study === configuration.study_id;
  const inTerms = key_id === configuration[role].key_id && hpke_key === configuration[role].hpke_key;
  if (genuine === false || !fits || !(genuine || inTerms)) throw problem("key_not_genuine");
  return { keyId: fromHex(key_id), publicKey: fromHex(hpke_key) };
}
