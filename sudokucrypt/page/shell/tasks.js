// What the page does: decrypt files, encrypt files, make a key.

import { CallError } from "./calls.js";
import { originalName } from "./names.js";
import { enteredSecret } from "./secrets.js";

const SIDECARS = [".sudokucrypt.json", ".redaction"];

/** Do the same to each file; failures are told once for all, and the other files go on, while there is a worker. */
async function each(calls, files, word, feedback, work) {
  const results = [];
  const failures = new Map();
  for (const [i, file] of files.entries()) {
    const position = files.length > 1 ? ` (${i + 1} of ${files.length})` : "";
    const title = `${word} ${file.name}${position}`;
    feedback.progress(title, 0, 1);
    const report = (stage, done, total) => feedback.progress(`${title}: ${stage}`, done, total);
    try {
      results.push(await work(file, report));
    } catch (error) {
      if (!(error instanceof CallError) || calls.ended) throw error;
      failures.set(error.message, [...(failures.get(error.message) ?? []), file.name]);
    }
  }
  for (const [message, names] of failures) {
    const which = names.length === 1 ? names[0] : `${names.length} files`;
    feedback.error(`${which}: ${message}`);
  }
  return results;
}

/** Decrypting and encrypting begin with files and a secret. */
async function prepare(calls, files, feedback, isNew) {
  if (files.length === 0) throw new CallError("no file was chosen");
  const report = (stage, done, total) => feedback.progress(stage, done, total);
  await calls.call("useSecret", await enteredSecret(isNew), report);
}

/** Decrypt; a sidecar among the files belongs to the file of its name. */
export async function decrypt({ calls, files, feedback }) {
  const names = new Map(files.map((file) => [file.name, file]));
  const isSidecar = ({ name }) => SIDECARS.some((ending) => name.endsWith(ending));
  const pictures = files.filter((file) => !isSidecar(file));
  await prepare(calls, pictures, feedback, false);
  return each(calls, pictures, "Decrypting", feedback, async (file, report) => {
    const [sidecar = null] = SIDECARS.map((ending) => names.get(file.name + ending)).filter(Boolean);
    const result = await calls.call("decryptFile", { file, sidecar }, report);
    const name = result.name ?? `${originalName(file.name)}.${result.ending ?? "restored.png"}`;
    return { ...result, name, shown: true };
  });
}

/** Encrypt each file as a file. */
export async function encrypt({ calls, files, feedback, pad }) {
  await prepare(calls, files, feedback, true);
  return each(calls, files, "Encrypting", feedback, async (file, report) => {
    const made = await calls.call("encryptFile", { file, pad }, report);
    return { ...made, time: null, preview: null, notes: ["decrypted again and compared"], shown: false };
  });
}

/** Make a key file, or an identity file. */
export async function keygen({ calls, identity }) {
  if (identity) return [identityFile(await calls.call("newIdentity"))];
  const text = await calls.call("newKey");
  const notes = ["keep a copy in a safe place"];
  return [{ name: "my.key", time: null, blob: new Blob([text]), preview: null, notes, shown: false }];
}

function identityFile({ identity, recipient }) {
  const text = `# public key: ${recipient}\n${identity}\n`;
  const notes = [`keep it to yourself; give others the recipient ${recipient}`];
  return { name: "me.txt", time: null, blob: new Blob([text]), preview: null, notes, shown: false };
}
