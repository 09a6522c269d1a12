// Calls to the worker, which runs the engine so that the page stays responsive.

/** An error whose message is for people. */
export class CallError extends Error {}

/** A worker; ending it also ends what it does, and forgets the secrets that it holds. */
export class Calls {
  #worker;
  #url;
  #waiting = new Map();
  #last = 0;

  constructor() {
    const source = document.getElementById("worker").textContent;
    this.#url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.#worker = new Worker(this.#url);
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = () => this.#fail("the browser does not run the code of this page");
  }

  /** Call a function of the worker. @returns {Promise} its result, or a CallError */
  call(name, argument = null, report = () => {}) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, report });
      this.#worker.postMessage({ id, call: name, argument });
    });
  }

  /** End the worker; calls that it has not answered fail. */
  end() {
    this.#worker.terminate();
    URL.revokeObjectURL(this.#url);
    this.#fail("stopped");
  }

  #receive({ id, result, error, report }) {
    URL.revokeObjectURL(this.#url); // not before the worker runs: some browsers load it late
    const waiting = this.#waiting.get(id);
    if (report) {
      waiting.report(...report);
      return;
    }
    this.#waiting.delete(id);
    if (error) waiting.reject(new CallError(error));
    else waiting.resolve(result);
  }

  #fail(message) {
    for (const { reject } of this.#waiting.values()) reject(new CallError(message));
    this.#waiting.clear();
  }
}
