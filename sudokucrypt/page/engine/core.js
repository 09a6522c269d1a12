// The core, compiled from C: streams, passes, checksums, derivations, and the entropy coder of JPEG.

import { Refused, makeView, zeros } from "./bytes.js";
import { coreWasm } from "./core_wasm.js";
import { inflateNow } from "./inflating.js";

const PAGE = 65536; // bytes, of WebAssembly's memory
const BUFFER = 32768; // bytes, as in core/streams.c
const MOST_KEPT = 256 * PAGE; // most bytes of a core that is reused by the next call

// Digits of base 85 that replace "<", ">", a backslash and a backtick.
const OTHER_DIGITS = { "!": 20, "#": 22, $: 52, "%": 56 };
const FIRST_DIGIT = 40;

let compiled = null;
let keptCore = null;

/** The bytes of the compiled core, decoded from five digits for each four bytes. */
function decodeCore() {
  const data = zeros((coreWasm.length / 5) * 4);
  for (let i = 0; i < data.length; i += 4) {
    const digits = [...coreWasm.substr(1.25 * i, 5)].map((letter) => OTHER_DIGITS[letter] ?? letter.charCodeAt(0) - FIRST_DIGIT);
    makeView(data).setUint32(i, digits.reduce((number, digit) => 85 * number + digit, 0));
  }
  return data;
}

/** An instance of the core with a memory of its own. */
export function makeCore() {
  if (typeof WebAssembly === "undefined") {
    throw new Refused("this browser runs no WebAssembly (perhaps a mode that blocks it), which this page needs");
  }
  compiled ??= new WebAssembly.Module(inflateNow(decodeCore()));
  return new WebAssembly.Instance(compiled).exports;
}

/** Grow the memory of a core to at least `end` bytes. @returns {Uint8Array} */
export function growMemory(core, end) {
  core.memory.grow(Math.max(0, Math.ceil((end - core.memory.buffer.byteLength) / PAGE)));
  return new Uint8Array(core.memory.buffer);
}

let streams = null;

/**
 * The core of all streams and checksums, and its buffer. It never grows, so that these stay where
 * they are.
 * @returns {{core: object, state: Uint32Array, words: Uint32Array, bytes: Uint8Array}}
 */
export function getStreams() {
  if (streams === null) {
    const core = makeCore();
    const { buffer } = core.memory;
    const start = core.chacha_stream();
    const words = new Uint32Array(buffer, start, BUFFER / 4);
    streams = { core, state: new Uint32Array(buffer, core.chacha_state(), 16), words, bytes: new Uint8Array(buffer, start, BUFFER) };
  }
  return streams;
}

/**
 * Call a function with a core and `size` bytes of its memory. Browsers reserve gigabytes of
 * addresses for each memory, so that one core serves all calls that need little.
 * @param {(core: object, memory: Uint8Array) => T} work which must not wait @returns {T}
 */
export function useMemory(size, work) {
  const core = keptCore ?? makeCore();
  const start = core.blocks();
  const memory = growMemory(core, start + size);
  keptCore = memory.length > MOST_KEPT ? null : core;
  return work(core, memory.subarray(start, start + size));
}
