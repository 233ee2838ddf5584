/**
 * The worker that reads tables, as promises; its requests are those of `workers/table.js`.
 */

import { UsageError } from "./errors.js";

export class TableWorker {
  #worker = new Worker(new URL("../workers/table.js", import.meta.url), { type: "module" });

  /**
   * Ask for one thing; one request at a time.
   * @param {{ kind: "check" | "sign" | "guess", [name: string]: any }} request
   * @param {(done: number, total: number) => void} [progress] bytes read so far
   * @returns {Promise<any>}
   */
  ask(request, progress = () => {}) {
    return new Promise((resolve, reject) => {
      this.#worker.onmessage = ({ data }) => {
        if (data.kind === "progress") progress(data.done, data.total);
        else if (data.kind === "failed") reject(new UsageError(data.code, data.params));
        else resolve(data);
      };
      this.#worker.onerror = (event) => {
        event.preventDefault();
        reject(new UsageError("WORKER_FAILED"));
      };
      this.#worker.postMessage(request);
    });
  }

  /** End it: what it read is forgotten. */
  end() {
    this.#worker.terminate();
  }
}
