// Calls of a page with a folder to its own server: list, read, write, and wait for its end.

import { CallError } from "./calls.js";

const ENDED = "the program behind this page has ended; start 'sudokucrypt open' again";

/** Calls to the folder, with the secret of the session, which is only in the memory of this page. */
export class FolderCalls {
  #headers;
  isOver = false; // whether the program has ended

  /** Redeem the token of the address, which can be done once. */
  static async begin(token) {
    const again = "this page was opened or loaded before: end 'sudokucrypt open' with Ctrl-C and start it again";
    const answer = await ask("redeem", { "X-Token": token }, null, again);
    const { secret, ...known } = await answer.json();
    const calls = new FolderCalls();
    calls.#headers = { "X-Secret": secret };
    // Read now: later, another program may answer at this address.
    calls.source = await (await fetch("/page.html")).text();
    if (known.folder !== null) calls.ended = calls.#hold();
    return Object.assign(calls, known);
  }

  /** Wait for the end of the program: a later program at its port must get no data. @returns {Promise<string>} */
  async #hold() {
    try {
      await (await ask("hold", this.#headers)).blob();
    } catch {
      // It ends so, too.
    }
    this.isOver = true;
    return ENDED;
  }

  async #ask(call, headers = {}, body = null) {
    if (this.isOver) throw new CallError(ENDED);
    return ask(call, { ...this.#headers, ...headers }, body);
  }

  /** @returns {Promise<{files: [number, string, number, number][], left: string[]}>} */
  async list() {
    return (await this.#ask("list")).json();
  }

  /** Bytes of a file, from the first up to the end that is named. @returns {Promise<Blob>} */
  async read(number, first = 0, end = null) {
    const range = end === null ? {} : { Range: `bytes=${first}-${end - 1}` };
    return (await this.#ask(`read/${number}`, range)).blob();
  }

  /** Write a new file. @returns {Promise<?string>} its name, or null where one has this name */
  async write(name, blob) {
    const answer = await this.#ask("write", { "X-Name": encodeURIComponent(name) }, blob);
    return (await answer.json()).name;
  }
}

/** Call the server; `refused` says what an answer without a reason means. */
async function ask(call, headers, body = null, refused = ENDED) {
  let answer;
  try {
    answer = await fetch(`/${call}`, { method: "POST", headers, body });
  } catch {
    throw new CallError(ENDED);
  }
  if (answer.ok) return answer;
  throw new CallError(answer.status === 422 ? await answer.text() : refused);
}
