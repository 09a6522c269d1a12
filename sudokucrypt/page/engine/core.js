// What is compiled from C: streams, derivations, and the entropy coder of JPEG.

import { unbase64 } from "./bytes.js";
import { coreWasm } from "./core_wasm.js";

const PAGE = 65536; // bytes, of WebAssembly's memory

let compiled = null;

/** An instance of the core with a memory of its own, which goes with it. */
export function newCore() {
  compiled ??= new WebAssembly.Module(unbase64(coreWasm));
  return new WebAssembly.Instance(compiled).exports;
}

/** The memory of a core, grown to so many bytes. @returns {Uint8Array} */
export function memoryTo(core, end) {
  core.memory.grow(Math.max(0, Math.ceil((end - core.memory.buffer.byteLength) / PAGE)));
  return new Uint8Array(core.memory.buffer);
}
