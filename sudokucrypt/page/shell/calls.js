// Calls to the worker, which runs the engine so that the page stays responsive.

import { byId } from "./elements.js";
import { PageWorker } from "./worker.js";

let areFilesRead = true; // in workers

/** An error whose message is for people. */
export class CallError extends Error {}

/** A worker; ending it also ends its work, and removes its secrets from memory. */
export class Calls {
  #worker;
  #url;
  #waiting = new Map();
  #last = 0;
  #reason = null; // why the worker has ended

  constructor() {
    const source = byId("code").textContent; // it runs as a worker, too;
    this.#url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.#worker = areFilesRead ? new Worker(this.#url) : new PageWorker();
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = () => this.end("the browser does not run the code of this page, or has no memory left");
  }

  /** Whether the worker has ended, so that it answers no call any more. */
  get ended() {
    return this.#reason !== null;
  }

  /** Call a function of the worker. @returns {Promise} its result, or a CallError */
  call(name, argument = null, report = () => {}) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      if (this.ended) throw new CallError(this.#reason);
      this.#worker.postMessage({ id, call: name, argument });
      this.#waiting.set(id, { resolve, reject, report });
    });
  }

  /** End the worker; calls that it has not answered fail, and so do all later ones. */
  end(reason = "stopped") {
    this.#reason ??= reason;
    this.#worker.terminate();
    URL.revokeObjectURL(this.#url);
    for (const { reject } of this.#waiting.values()) reject(new CallError(this.#reason));
    this.#waiting.clear();
  }

  #receive({ id, result, error, report }) {
    URL.revokeObjectURL(this.#url); // not before the worker runs: some browsers load it late
    const waiting = this.#waiting.get(id);
    if (!waiting) return; // it failed when the worker ended
    if (report) {
      waiting.report(...report);
      return;
    }
    this.#waiting.delete(id);
    if (error) waiting.reject(new CallError(error));
    else waiting.resolve(result);
  }
}

/** Find out whether workers can read files, where a page is a file. */
export async function prepareCalls() {
  if (!areFilesRead || location.protocol !== "file:") return;
  const calls = new Calls();
  areFilesRead = await calls.call("reads", new Blob(["x"])).catch(() => true);
  calls.end();
}
