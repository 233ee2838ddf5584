/**
 * Keys that stay in this browser: IndexedDB keeps CryptoKeys whose bytes no script can read
 * (of ML-KEM, which browsers lack, it keeps the seed).
 */

const DATABASE = "blind-justice";
const VERSION = 2;

/**
 * Stores of the database: a person's keys by record, an approver's keys by role, the keys that
 * trained models are sealed to by study.
 */
export const OWNERS = "owners";
export const APPROVERS = "approvers";
export const RECIPIENTS = "recipients";

/** @returns {Promise<IDBDatabase>} */
function openDatabase() {
  const request = indexedDB.open(DATABASE, VERSION);
  request.onupgradeneeded = () => {
    for (const store of [OWNERS, APPROVERS, RECIPIENTS]) {
      if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store);
    }
  };
  return settled(request);
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @template T
 * @param {string} store
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
async function withStore(store, mode, act) {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(store, mode);
    const committed = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const request = act(transaction.objectStore(store));
    const [result] = await Promise.all([settled(request), committed]);
    return result;
  } finally {
    database.close();
  }
}

/** @param {string} store @param {string} name @returns {Promise<any>} undefined if absent */
export function readKey(store, name) {
  return withStore(store, "readonly", (open) => open.get(name));
}

/** @param {string} store @param {string} name @param {any} value */
export function keepKey(store, name, value) {
  return withStore(store, "readwrite", (open) => open.put(value, name));
}

/**
 * Keep `value` unless the name has one already; return what is kept, whoever was first.
 * @param {string} store @param {string} name @param {any} value
 */
export async function keepFirstKey(store, name, value) {
  try {
    await withStore(store, "readwrite", (open) => open.add(value, name));
  } catch (error) {
    if (/** @type {DOMException} */ (error).name !== "ConstraintError") throw error;
  }
  return readKey(store, name);
}

/** @param {string} store @param {string} name */
export function forgetKey(store, name) {
  return withStore(store, "readwrite", (open) => open.delete(name));
}
