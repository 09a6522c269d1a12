"""Run the operations of the page's engine in Node, with all that they return and report."""

from collections.abc import Iterable
from typing import Any

from sudokucrypt import Identity
from sudokucrypt.keys import Key, PictureKey
from tests.page.node import run_node, to_text

_SCRIPT = """
    import { asksPassphrase, cover, peek, protect, restore, scramble } from "./engine/engine.js";
    import { base64, Refused, unbase64 } from "./engine/bytes.js";
    import { makePassphrase } from "./engine/keys.js";
    let drawn = 0;
    crypto.getRandomValues = (array) => array.fill(++drawn);
    const read = (text) => (text === null || text === undefined ? null : unbase64(text));
    const readSecret = (given) => {
        if (!given) return null;
        const { kind, text, folded, kdf } = given;
        if (kind === "passphrase") return { ...makePassphrase(text, folded), kdf };
        const bytes = unbase64(given.bytes);
        return kind === "identity" ? { kind, identities: [bytes] } : { kind, bytes };
    };
    const write = (value) => {
        if (value instanceof Uint8Array) return base64(value);
        if (typeof value === "bigint") return String(value);
        if (Array.isArray(value)) return value.map(write);
        if (value === null || typeof value !== "object") return value;
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, write(each)]));
    };
    const results = [];
    for (const { work, file, name = "a", about = {}, secrets = [], sidecar, options = {}, layers,
                 frame } of argument) {
        const [given, reports, taken] = [secrets.map(readSecret), [], []];
        const report = (...values) => reports.push(values);
        const bytes = read(file);
        const time = about.time === undefined ? null : BigInt(about.time);
        const source = { name, type: "", ...about, time, bytes };
        const budget = {
            take: (size) => taken.push(size),
            giveBack: (size) => taken.push(-size),
        };
        const known = { ...options };
        if (options.preview) known.preview = read(options.preview);
        if (frame) known.decode = async () => ({ ...frame, data: read(frame.data) });
        const sealed = layers?.map((layer) => ({ ...layer, secret: readSecret(layer.secret) }));
        const works = {
            asksPassphrase: () => asksPassphrase(bytes),
            cover: () => cover(source, sealed, known, report),
            peek: () => peek(bytes, given, report),
            protect: () => protect(source, given[0] ?? null, known, report),
            restore: () => restore(bytes, read(sidecar), given, report, budget),
            scramble: () => scramble(source, given[0] ?? null, known, report),
        };
        try {
            results.push({ made: write(await works[work]()), reports, taken });
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            results.push({ refused: error.message, reports, taken });
        }
    }
    return results;
"""


def make_secret(secret: object, **more: object) -> dict[str, object]:
    """Return a secret for a work: a key of some kind, or a passphrase with what is added."""
    if isinstance(secret, str):
        return {"kind": "passphrase", "text": secret, "folded": None, "kdf": None, **more}
    assert isinstance(secret, (Identity, Key, PictureKey))
    kinds = {Identity: "identity", PictureKey: "picture"}
    return {"kind": kinds.get(type(secret), "key"), "bytes": to_text(secret.to_bytes())}


def make_work(work: str, file: bytes, *secrets: object, **more: object) -> dict[str, Any]:
    """Return a work on a file with keys, identities, and secrets of `make_secret`."""
    given = [each if isinstance(each, dict) else make_secret(each) for each in secrets]
    return {"work": work, "file": to_text(file), "secrets": given, **more}


def run_works(works: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what each work made, or the message of its refusal, and the reports in between."""
    results = run_node(_SCRIPT, [*works])
    assert isinstance(results, list)
    return results
