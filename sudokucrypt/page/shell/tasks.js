// What the page does: decrypt files, encrypt files, make a key.

import { CallError } from "./calls.js";
import { originalName, SIDECARS } from "./names.js";
import { writeAlbum } from "./album.js";
import { collectLayers } from "./cover.js";
import { drawPassphrase, readSecret } from "./secrets.js";

/** Do the same to each file; failures are told once for all, and the other files go on, while there is a worker. */
async function runEach(calls, files, word, feedback, work) {
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
    feedback.error(`${which}: ${message}`, names);
  }
  return results;
}

/** Give the worker the secret that was entered, or else drawn. @returns {Promise<object>} the secret */
export async function giveSecret(calls, feedback, isNew, draw = null) {
  const entered = await readSecret(isNew, draw);
  await calls.call("useSecret", entered, feedback.progress);
  return entered;
}

/** Decrypting and encrypting begin with files and a secret. */
async function prepare(calls, files, ...others) {
  if (files.length === 0) throw new CallError("no file was chosen");
  return giveSecret(calls, ...others);
}

/** Decrypt; a sidecar among the files belongs to the file of its name. */
export async function decrypt({ calls, files, feedback }) {
  const names = new Map(files.map((file) => [file.name, file]));
  const isSidecar = ({ name }) => SIDECARS.some((ending) => name.endsWith(ending));
  const pictures = files.filter((file) => !isSidecar(file));
  await prepare(calls, pictures, feedback, false);
  return runEach(calls, pictures, "Decrypting", feedback, async (file, report) => {
    const [sidecar = null] = SIDECARS.map((ending) => names.get(file.name + ending)).filter(Boolean);
    const result = await calls.call("decryptFile", { file, sidecar }, report);
    const name = result.name ?? `${originalName(file.name)}.${result.ending ?? "restored.png"}`;
    return { ...result, name, shown: true };
  });
}

const toResult = (made, ...notes) => ({ time: null, preview: null, shown: false, ...made, notes });

/** Encrypt each file as a file; scramble pictures on request. */
export async function encrypt({ calls, files, feedback, pad, scrambles }) {
  await prepare(calls, files, feedback, true);
  return runEach(calls, files, "Encrypting", feedback, async (file, report) => {
    if (scrambles && /\.(png|jpe?g)$/i.test(file.name)) {
      return toResult(await calls.call("scrambleFile", { file }, report), "restored again");
    }
    return toResult(await calls.call("encryptFile", { file, pad }, report), "decrypted again and compared");
  });
}

/** Cover the areas that were drawn on the one picture. */
export async function coverAreas({ calls, files, feedback, smooth }) {
  if (files.length !== 1) throw new CallError("choose one picture");
  const layers = await collectLayers(files[0], () => readSecret(true));
  const note = layers.every(({ permanent }) => permanent) ? "covered for ever" : "all covers lifted again and compared";
  return runEach(calls, files, "Covering", feedback, async (file, report) => {
    const made = await calls.call("coverFile", { file, layers, style: smooth ? "surroundings" : "black" }, report);
    return toResult({ ...made, type: made.name.endsWith(".png") ? "image/png" : "image/jpeg", shown: true }, note);
  });
}

/** Put encrypted files into one page; without a passphrase or recipients, words are made. */
export async function give({ calls, files, feedback, pad, title, source }) {
  const entered = await prepare(calls, files, feedback, true, drawPassphrase);
  let failed = false;
  const told = { ...feedback, error: (...said) => (failed = true) && feedback.error(...said) };
  const made = await runEach(calls, files, "Encrypting", told, (file, step) => calls.call("encryptFile", { file, pad }, step));
  if (failed) return [];
  const name = `${title || "album"}.html`;
  const blob = await writeAlbum(await source(), made.map((each) => each.blob), title);
  const words = entered.drawn ? [`the words that open it: ${entered.passphrase}`, "send them another way"] : [];
  return [toResult({ name, blob }, `${files.length} files`, ...words)];
}

const textFile = (name, text, note) => [toResult({ name, blob: new Blob([text]) }, note)];

/** Make a key file, an identity file or words, or lock a key file. */
export async function keygen({ calls, feedback, kind, keyFile, words }) {
  if (kind === "identity") {
    const { identity, recipient } = await calls.call("makeIdentity");
    return textFile("me.txt", `# public key: ${recipient}\n${identity}\n`, `keep it to yourself; give others the recipient ${recipient}`);
  }
  if (kind === "words") {
    const drawn = drawPassphrase();
    return textFile("words.txt", `${drawn}\n`, drawn);
  }
  if (kind === "lock") {
    if (!keyFile || !words) throw new CallError("choose a key file, and enter a passphrase");
    const text = await calls.call("lockKey", { text: await keyFile.text(), passphrase: words }, feedback.progress);
    return textFile(keyFile.name, text, "opens with its passphrase only; then remove the other copies");
  }
  return textFile("my.key", await calls.call("newKey"), "keep a copy in a safe place");
}
