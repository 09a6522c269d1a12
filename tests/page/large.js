// A file of any size through the engine, in Node: from a file, into a file. Its argument: the work
// ("protect" or "open"), the paths `source` and `target`, a key, and what is changed between the readings.

import { open } from "node:fs/promises";
import { openLarge, protectLarge } from "./engine/large.js";
import { readSecrets } from "./engine/keys.js";

const handle = await open(argument.source, argument.changes ? "r+" : "r");
const { size } = await handle.stat();
let [reads, verified] = [0, 0];
const read = async (start, end) => {
  reads++;
  if (reads === argument.changes?.read) {
    const { at, byte } = argument.changes;
    if (byte === null) await handle.truncate(at);
    else await handle.write(Uint8Array.of(byte), 0, 1, at);
  }
  const bytes = new Uint8Array(end - start);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
};
const target = await open(argument.target, "w");
let [written, fault] = [0, null];
const write = async (bytes) => {
  if (written + bytes.length > (argument.room ?? Infinity)) throw new Error("the disk is full");
  await target.write(bytes);
  written += bytes.length;
};
const [secret] = await readSecrets([argument.key]);
const source = { size, read, name: argument.name ?? "a.bin", type: "application/x-a", time: 1n };
let made = null;
try {
  if (argument.work === "protect") made = await protectLarge(source, secret, argument.options ?? {}, write);
  else {
    const opened = await openLarge(source, null, [secret]);
    verified = reads;
    if (opened !== null) await opened.writeTo(write);
    made = opened;
  }
} catch (error) {
  fault = error.message;
}
await target.close();
await handle.close();
// Not `resourceUsage`, which counts what the process that started this one held before.
const most = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1] / 1024;
return { fault, made: made && { name: made.name, size: made.size, type: made.type }, written, counted: reads, verified, most };
