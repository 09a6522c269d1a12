// The script of the page, which also runs as its worker.

import { main } from "./main.js";
import { worker } from "./worker.js";

/** Start what belongs here: the page, or its worker. */
export function app() {
  if (globalThis.document) main();
  else worker();
}
