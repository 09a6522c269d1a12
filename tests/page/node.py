"""Run the JavaScript modules of the page in Node."""

import json
import shutil
import subprocess
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sudokucrypt
from sudokucrypt.typing import AnyArray

_PAGE = Path(sudokucrypt.__file__).parent / "page"


def write_program(script: str, folder: Path) -> Path:
    """Write the body of an async function as a program for Node, next to a copy of the page.

    The program reads `argument` and prints the returned value, both as JSON. The body begins with
    its imports, such as from ``./engine/x.js``.
    """
    for folder_name in ("engine", "shell"):
        shutil.copytree(_PAGE / folder_name, folder / folder_name, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')  # without it, .js files are CommonJS
    lines = [line.strip() for line in script.splitlines()]
    imports = [line for line in lines if line.startswith("import ")]
    statements = "\n".join(line for line in lines if line not in imports)
    call = "console.log(JSON.stringify(await run(JSON.parse(readFileSync(0)))));"
    reader = 'import { readFileSync } from "node:fs";'
    text = "\n".join([reader, *imports, f"async function run(argument) {{ {statements} }}", call])
    program = folder / "test.js"
    program.write_text(text, encoding="utf-8")
    return program


def run_node(script: str, argument: object) -> object:
    """Return the value that a function body returns for `argument`; see `write_program`."""
    with tempfile.TemporaryDirectory(prefix="sudokucrypt-node-") as name:
        folder = Path(name)
        program = write_program(script, folder)
        data = json.dumps(argument).encode()
        process = subprocess.run(
            ["node", program.name], cwd=folder, input=data, capture_output=True, check=False
        )
        assert process.returncode == 0, process.stderr.decode()
        result: object = json.loads(process.stdout)
        return result


_CALLS_SCRIPT = """
    import { Refused } from "./engine/bytes.js";
    const decode = async (value) => {
        if (value === null || typeof value !== "object") return value;
        if (Array.isArray(value)) {
            const members = [];
            for (const member of value) members.push(await decode(member));
            return members;
        }
        if ("bytes" in value) return Uint8Array.from(Buffer.from(value.bytes, "base64"));
        if ("integer" in value) return BigInt(value.integer);
        if ("call" in value) return perform(value.call, await decode(value.arguments));
        return Object.fromEntries(await decode(Object.entries(value)));
    };
    const perform = async (name, values) => {
        const [module, member, inner] = name.split(".");
        const [object, ...others] = values;
        if (module === "") {
            const found = object[member];
            return typeof found === "function" ? object[member](...others) : found;
        }
        const found = (await import(`./engine/${module}.js`))[member];
        const target = inner ? found[inner] : found;
        if (typeof target !== "function") return target;
        return /^class/.test(String(target)) ? new target(...values) : target(...values);
    };
    const encode = (value) => {
        if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
        if (ArrayBuffer.isView(value) || value instanceof Map) return encode([...value]);
        if (Array.isArray(value)) return value.map(encode);
        if (typeof value === "bigint") return { integer: String(value) };
        if (value === null || typeof value !== "object") return value;
        const members = Object.entries(value).map(([name, member]) => [name, encode(member)]);
        return Object.fromEntries(members);
    };
    const results = [];
    for (const call of argument) {
        try {
            results.push(encode((await decode(call)) ?? null));
        } catch (error) {
            const text = JSON.stringify(call).slice(0, 500);
            if (!(error instanceof Refused)) throw new Error(text, { cause: error });
            results.push({ refused: error.message });
        }
    }
    return results;
"""


@dataclass(frozen=True)
class Call:
    """A call of a member of a module, such as ``files.chooseShape`` or ``media.Samples.open``, of a
    class, or of a member of the first argument, such as ``.digest``; arguments may be calls."""

    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Refusal:
    """The message with which the engine refuses its input."""

    message: str


def call(name: str, *arguments: Any) -> Call:
    """Return a call for `run_calls`."""
    return Call(name, arguments)


def run_calls(calls: Iterable[Call]) -> list[Any]:
    """Return the results of calls of the engine, or its refusals; any other error fails.

    Arrays of bytes are bytes, and maps and other arrays are lists.
    """
    result = run_node(_CALLS_SCRIPT, [_encode(call) for call in calls])
    assert isinstance(result, list)
    return [_decode(value) for value in result]


def make_frame(pixels: AnyArray) -> dict[str, Any]:
    """Return a frame of the engine: samples in C order, each lowest byte first."""
    data = pixels.astype(pixels.dtype.newbyteorder("<")).tobytes()
    return {"shape": list(pixels.shape), "dtype": str(pixels.dtype), "data": data}


def to_text(data: bytes | bytearray) -> str:
    """Return bytes as base64, the form in which a script for `run_node` takes them."""
    return b64encode(data).decode()


def from_text(text: str) -> bytes:
    """Return the bytes of base64, the form in which such a script returns them."""
    return b64decode(text)


def _encode(value: Any) -> Any:
    if isinstance(value, Call):
        return {"call": value.name, "arguments": _encode(value.arguments)}
    if isinstance(value, (list, tuple)):
        return [_encode(member) for member in value]
    if isinstance(value, dict):
        return {name: _encode(member) for name, member in value.items()}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": to_text(value)}
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(member) for member in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"bytes": str(text)}:  # the member of a key is a dict
            return from_text(text)
        case {"refused": message}:
            return Refusal(message)
        case {"integer": number}:
            return int(number)
    return {name: _decode(member) for name, member in value.items()}
