"""Careless or hostile input takes bounded time and memory in the page, which continues to work."""

import io
import json
import random
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key, KeyDerivation, encrypt_bytes, redact_file
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import EmbeddedFile, kept_name
from sudokucrypt.keys import PROFILES, DerivationBudget
from sudokucrypt.recipes.naming import fold_name, make_safe_name
from tests.images.builders import encode_array
from tests.page.node import run_node

pytestmark = pytest.mark.programs("node")
KEY = Key(bytes(range(32)))
_NAMES_SCRIPT = """
    import { cleanName } from "./engine/files.js";
    import { distinctNames, safeName } from "./shell/names.js";
    const { kept, sealed } = argument;
    const safe = sealed.map((name) => safeName(name, "file"));
    return { kept: kept.map(cleanName), safe, distinct: distinctNames(safe) };
"""
_NAME_PARTS = (
    *("a", "B", ".", "..", " ", "-", "_", ":", "\\", "/", "|", "?", "*", "<", "\0", "\n", "\x7f"),
    *("\x85", "\u202e", "\u200d", "\u200c", "\u0645", "\U0001f469", "\ufeff", "\u2028", "é", "ß"),
    *("con", "NUL", "com1", "lpt\xb9", "CONIN$", "desktop.ini", "Autorun.INF", ".redaction"),
    *(
        ".sudokucrypt.json",
        ".png",
        ".tar.gz",
        "x" * 90,
        "é" * 70,
        "\u017f",
        "\u212a",
        "\u0301",
        ".profile",
    ),
)


def test_names_are_those_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """3,000 names are encrypted and saved as by the command line on Windows."""
    monkeypatch.setattr("sudokucrypt.storage.IS_WINDOWS", True)
    generator = random.Random(5)  # noqa: S311
    names = [
        "".join(generator.choices(_NAME_PARTS, k=generator.randint(1, 6))) for _ in range(3000)
    ]
    encrypted_names = [kept_name(name) for name in names]
    page_names: Any = run_node(_NAMES_SCRIPT, {"kept": names, "sealed": encrypted_names})
    assert page_names["kept"] == encrypted_names
    assert page_names["safe"] == [make_safe_name(name) for name in encrypted_names]
    assert len({fold_name(name) for name in page_names["distinct"]}) == len(names)
    assert all(len(name.encode()) <= 255 for name in page_names["distinct"])


_PROTECT_SCRIPT = """
    import { protect, restore } from "./engine/engine.js";
    import { hex } from "./engine/bytes.js";
    const results = [];
    for (const { name, type, time } of argument) {
        const secret = { kind: "key", bytes: Uint8Array.from({ length: 32 }, (_, i) => i) };
        const source = { name, type, time: BigInt(time), bytes: new Uint8Array(3) };
        const { bytes } = await protect(source, secret);
        const back = await restore(bytes, null, [secret]);
        results.push([back.name, back.type, back.time === null ? null : String(back.time)]);
    }
    return results;
"""


def test_names_types_and_times_of_any_file() -> None:
    """Invalid names, types and times of files are changed as by the command line, or left out."""
    unknown_type = "application/octet-stream"
    latest_time = 2**63 - 1
    files = [
        ("12:30\\a\x1f.jpg", "text/plain", 5, "12_30_a_.jpg", "text/plain", "5"),
        ("a", "text/plain;charset=utf-8", latest_time, "a", unknown_type, str(latest_time)),
        ("..", "Text/Plain", latest_time + 1, "_", unknown_type, None),
        ("é" * 200, "", -(2**63) - 1, "é" * 127, unknown_type, None),
    ]
    sources = [{"name": name, "type": type_, "time": str(time)} for name, type_, time, *_ in files]
    assert run_node(_PROTECT_SCRIPT, sources) == [list(file[3:]) for file in files]
    assert EmbeddedFile(name=files[3][3], size=0).name == kept_name(files[3][0])


_BUDGET_SCRIPT = """
    import { DerivationBudget } from "./engine/passphrases.js";
    const budget = new DerivationBudget();
    return argument.map(([kdf, opens]) => {
        try {
            budget.admit(kdf);
            if (opens) budget.confirm(kdf);
            return true;
        } catch {
            return false;
        }
    });
"""


@pytest.mark.parametrize("seed", range(4))
def test_as_many_derivations_as_on_the_command_line(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For random sequences of headers, page and command line derive the same keys."""
    monkeypatch.setattr("sudokucrypt.keys.passphrase.PROFILES", PROFILES)
    generator = random.Random(seed)  # noqa: S311
    costs = ("argon2id:m=262144,t=3,p=4", "argon2id:m=64,t=1,p=1", "scrypt:m=131072,t=1,p=1",
             "argon2id:m=524288,t=1,p=4", "argon2id:m=262144,t=4,p=4", "scrypt:m=262144,t=1,p=2",
             "scrypt:m=65536,t=1,p=2")  # fmt: skip
    cases = [
        (f"{generator.choice(costs)}:{generator.randrange(90):032x}", generator.random() < 0.2)
        for _ in range(120)
    ]
    budget, expected_results = DerivationBudget(), []
    for text, is_opened in cases:
        derivation = KeyDerivation.from_text(text)
        try:
            budget.charge(derivation)
        except SudokucryptError:
            expected_results.append(False)
            continue
        expected_results.append(True)
        if is_opened:
            budget.refund(derivation)
    assert 0 < sum(expected_results) < len(expected_results)
    assert run_node(_BUDGET_SCRIPT, cases) == expected_results


_RUN_SCRIPT = """
    import { protect, restore } from "./engine/engine.js";
    import { deriveOnce, makePassphrase } from "./engine/keys.js";
    let steps = 0;
    const report = (stage) => (steps += stage === "deriving the key");
    const words = "lend trace april dove gulf iron";
    const counts = [];
    const made = [];
    const secret = makePassphrase(words);
    for (const name of ["a", "b", "c"]) {
        const source = { name, type: "", time: null, bytes: new Uint8Array(9) };
        made.push((await protect(source, secret, {}, report)).bytes);
        counts.push(steps);
    }
    const other = makePassphrase("Lend Trace April Dove Gulf Iron", words);
    for (const bytes of made) await restore(bytes, null, [other], report);
    counts.push(steps);
    const { Instance } = WebAssembly;
    WebAssembly.Instance = class { constructor() { throw new RangeError(); } };
    const kdf = `argon2id:m=64,t=1,p=1:${"0".repeat(32)}`;
    const first = await deriveOnce(kdf, words, report).then(() => "key", (e) => e.message);
    WebAssembly.Instance = Instance;
    const second = await deriveOnce(kdf, words, report).then(() => "key", (e) => e.message);
    return { counts, first, second };
"""


def test_one_derivation_for_a_run() -> None:
    """Files of one run share a derivation, and another spelling takes one more."""
    result: Any = run_node(_RUN_SCRIPT, None)
    assert result["counts"] == [48, 48, 48, 96]
    assert (result["first"], result["second"]) == ("there is not enough memory", "key")


_COST_SCRIPT = """
    import { restore, SampleBudget } from "./engine/engine.js";
    import { Refused, unhex } from "./engine/bytes.js";
    let inflated = 0;
    const { DecompressionStream } = globalThis;
    globalThis.DecompressionStream = class extends DecompressionStream {
        constructor(kind) { super(kind); inflated++; }
    };
    const budget = new SampleBudget();
    const messages = [];
    for (const [file, key] of argument) {
        const secret = { kind: "key", bytes: unhex(key) };
        try {
            await restore(unhex(file), null, [secret], () => {}, budget);
            messages.push("restored");
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            messages.push(error.message);
        }
    }
    return { messages, inflated };
"""


def test_keys_come_before_pictures(tmp_path: Any) -> None:
    """A redacted picture is not inflated for a key of none of its layers."""
    picture = encode_array(np.zeros((600, 800, 3), np.uint8), "PNG")
    (tmp_path / "in.png").write_bytes(picture)
    from sudokucrypt import Layer

    redact_file(tmp_path / "in.png", tmp_path / "out.png", [Layer(key=KEY, regions=[(0, 0, 9, 9)])])
    data = (tmp_path / "out.png").read_bytes().hex()
    result: Any = run_node(_COST_SCRIPT, [[data, "ff" * 32]])
    assert result == {
        "messages": ["the key or passphrase lifts no layer of this picture"],
        "inflated": 0,
    }
    result = run_node(_COST_SCRIPT, [[data, KEY.to_bytes().hex()]])
    assert result["messages"] == ["restored"]


def test_samples_before_a_key_have_one_budget() -> None:
    """In a run, at most 512 MiB of pictures without a valid header are inflated."""
    file = io.BytesIO()
    Image.new("P", (7000, 7000)).save(file, "PNG", bits=1)  # 196 MB as RGBA
    picture_hex = file.getvalue().hex()
    valid_file = encrypt_bytes(b"file", KEY).hex()
    key = KEY.to_bytes().hex()
    result: Any = run_node(_COST_SCRIPT, [[picture_hex, key]] * 4 + [[valid_file, key]])
    refused = ["is not protected" in message for message in result["messages"]]
    assert refused == [True, True, False, False, False]
    assert all("open it alone" in message for message in result["messages"][2:4])
    assert (result["messages"][4], result["inflated"]) == ("restored", 2)


_WITHOUT_WEBASSEMBLY = """
    delete globalThis.WebAssembly;
    const { restore } = await import("./engine/engine.js");
    const { Refused, unhex } = await import("./engine/bytes.js");
    const secret = { kind: "key", bytes: new Uint8Array(32) };
    const error = await restore(unhex(argument), null, [secret]).catch((caught) => caught);
    return [error instanceof Refused, error.message];
"""


def test_a_browser_without_webassembly_is_told() -> None:
    """Without WebAssembly, an error names what is missing."""
    result: Any = run_node(_WITHOUT_WEBASSEMBLY, encrypt_bytes(b"x", KEY).hex())
    assert result[0]
    assert "WebAssembly" in result[1]


_CALLS_SCRIPT = """
    import { CallError, Calls } from "./shell/calls.js";
    const made = [];
    globalThis.document = { getElementById: () => ({ textContent: "" }) };
    globalThis.Worker = class {
        sent = [];
        constructor() { made.push(this); }
        postMessage(message) { this.sent.push(message); }
        terminate() { this.ended = true; }
    };
    const settled = (promise) => promise.then((value) => ["gave", value], (error) => {
        return [error instanceof CallError, error.message];
    });
    const results = [];
    const answered = (worker, result) => {
        worker.onmessage({ data: { id: worker.sent.at(-1).id, result } });
    };
    const end = { stop: (calls) => calls.end(), error: (_, worker) => worker.onerror() };
    for (const [how, when] of argument) {
        const calls = new Calls();
        const worker = made.at(-1);
        const waiting = [];
        for (let i = 0; i < 5; i++) {
            if (i === when) end[how](calls, worker);
            waiting.push(settled(calls.call("x")));
            if (i % 2 === 0 && i < when) answered(worker, i);
        }
        if (when >= 5) end[how](calls, worker);
        if (when > 1) worker.onmessage({ data: { id: 2, result: "late" } });
        results.push([calls.ended, worker.ended, ...(await Promise.all(waiting))]);
    }
    return results;
"""


def test_calls_to_a_dead_worker_settle() -> None:
    """When a worker ends, earlier calls are answered or fail, and later calls fail."""
    cases = [(ending, step) for ending in ("stop", "error") for step in range(6)]
    results: Any = run_node(_CALLS_SCRIPT, cases)
    for (ending, step), (ended, was_dropped, *calls) in zip(cases, results, strict=True):
        assert ended
        assert was_dropped
        reason = "stopped" if ending == "stop" else "the browser does not run the code of this page"
        for number, (outcome, value) in enumerate(calls):
            answered = number % 2 == 0 and number < step
            assert (outcome, value) == ("gave", number) if answered else outcome is True, (
                ending,
                step,
                number,
            )
            assert answered or str(value).startswith(reason)


def test_words_are_normalized_equally() -> None:
    """Page and command line normalize words equally."""
    from sudokucrypt import Passphrase
    from sudokucrypt.page.assembling import join_code

    module = join_code("shell/secrets.js")
    words = ["lend", "trace", "april"]
    texts = [
        "Lend Trace",
        "lend trace",
        " lend\u00a0\u2003TRACE\t",
        "lend trac",
        "LEND",
        "",
        "\ufeff",
    ]
    script = f"""
        const folded = new Function("texts", "words", {json.dumps(module)} +
            "return texts.map((text) => foldWords(text, words));");
        return folded(argument.texts, argument.words);
    """
    expected_words = []
    for text in texts:
        spellings = list(Passphrase(text or "x").iterate_spellings())
        expected_words.append(spellings[1].to_bytes().decode() if len(spellings) > 1 else None)
    assert run_node(script, {"texts": texts, "words": words}) == expected_words
