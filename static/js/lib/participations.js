/**
 * What this browser remembers of the studies answered in it, beside the key that the library
 * keeps: where to come back to, what was sent, and the receipts. No answer is among it.
 *
 * @typedef {object} Participation
 * @property {string} studyId hex
 * @property {string} configuration digest of the study's terms, hex
 * @property {string} recordId hex
 * @property {string} title of the study
 * @property {string} fragment the invitation, to come back without the letter
 * @property {string} sentAt ISO time of the latest version
 * @property {any} body the latest sealed submission as it goes to the API
 * @property {string} commonDigest hex, of the latest version
 * @property {boolean} sent whether the site has taken it
 * @property {{ role: string, body: string, signature: string }[]} receipts for the latest version
 * @property {object[]} earlier versions with their receipts, newest first
 */

import { forgetKey, OWNERS } from "./keystore.js";

const DATABASE = "blind-justice-receipts";
const STORE = "participations";

/** @returns {Promise<IDBDatabase>} */
function open() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return settled(request);
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
async function withStore(mode, act) {
  const database = await open();
  try {
    return await settled(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

/** @param {string} studyId @param {string} recordId */
const name = (studyId, recordId) => `${studyId}.${recordId}`;

/** @param {Participation} participation */
export function keepParticipation(participation) {
  const { studyId, recordId } = participation;
  return withStore("readwrite", (store) => store.put(participation, name(studyId, recordId)));
}

/** @returns {Promise<Participation[]>} newest first */
export async function participations() {
  const all = await withStore("readonly", (store) => store.getAll());
  return all.sort((a, b) => b.sentAt.localeCompare(a.sentAt));
}

/** @param {string} studyId @returns {Promise<Participation[]>} those of one study, newest first */
export async function participationsIn(studyId) {
  return (await participations()).filter((one) => one.studyId === studyId);
}

/** Remove a participation and its key from this browser. @param {Participation} participation */
export async function forgetParticipation({ studyId, recordId }) {
  await forgetKey(OWNERS, name(studyId, recordId));
  await withStore("readwrite", (store) => store.delete(name(studyId, recordId)));
}
