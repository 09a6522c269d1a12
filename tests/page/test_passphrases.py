"""Keys from passphrases: engine and package derive equal keys, in Node and in a browser."""

import json
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.keys import Key, KeyDerivation, Passphrase
from sudokucrypt.page.assembling import join_code
from tests.page import build_core
from tests.page.node import run_node
from tests.reports.browser import Page

_ARGON2 = """
    const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    const results = [];
    for (const each of argument) {
        const cost = { ...each, secret: bytes(each.secret), associated: bytes(each.associated) };
        const digest = await argon2id(bytes(each.password), bytes(each.salt), cost, () => {});
        results.push(Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""));
    }
    return results;
"""
_DERIVE = """
    const results = [];
    for (const [kdf, text] of argument) {
        const stages = [];
        const refused = (error) => error.message;
        const hex = (key) => Array.from(key, (b) => b.toString(16).padStart(2, "0")).join("");
        const report = (...step) => stages.push(step);
        const result = await derive(kdf, text, report).then(hex, refused);
        const last = stages.at(-1) ?? ["deriving the key", 1, 1];
        if (last[0] !== "deriving the key" || last[1] !== last[2]) throw new Error(`${last}`);
        results.push(result);
    }
    return results;
"""
Case: TypeAlias = dict[str, int | str]


def _make_cases() -> list[Case]:
    """Return random costs and texts; the first case is the vector of RFC 9106, section 5.3."""
    generator = np.random.default_rng(20)
    sizes = {"memory": 32, "iterations": 3, "lanes": 4, "length": 32}
    vector = [b"\1" * 32, b"\2" * 16, b"\3" * 8, b"\4" * 12]
    names = ("password", "salt", "secret", "associated")
    cases: list[Case] = [{**sizes, **dict(zip(names, (d.hex() for d in vector), strict=True))}]
    for _ in range(50):
        lanes = int(generator.integers(1, 10))
        case: Case = {
            "memory": 8 * lanes + int(generator.choice([0, 1, int(generator.integers(1500))])),
            "iterations": int(generator.integers(1, 5)),
            "lanes": lanes,
            "length": int(
                generator.choice([4, 32, 63, 64, 65, 96, 97, int(generator.integers(4, 300))])
            ),
        }
        for name, least_length, most_length in zip(
            names, (0, 8, 0, 0), (300, 140, 70, 300), strict=True
        ):
            case[name] = generator.bytes(int(generator.integers(least_length, most_length))).hex()
        cases.append(case)
    return cases


def derive_by_library(case: Case) -> str:
    """Return the key that the argon2 library derives for a case."""

    def data(name: str) -> bytes:
        return bytes.fromhex(str(case[name]))

    argon2 = Argon2id(
        salt=data("salt"),
        length=int(case["length"]),
        iterations=int(case["iterations"]),
        lanes=int(case["lanes"]),
        memory_cost=int(case["memory"]),
        ad=data("associated"),
        secret=data("secret"),
    )
    return argon2.derive(data("password")).hex()


def _run_in_browser(tab: Page, folder: Path, entry: str, body: str, argument: object) -> object:
    """Return the value that the body of a function returns in a page from a file."""
    empty_page = folder / "empty.html"
    empty_page.write_text("<!doctype html><meta charset=utf-8>")
    tab.open(empty_page, width=390)
    text = json.dumps(argument)
    module = f"{join_code(entry)} const argument = {text}; {body}"
    return tab.value(f"(async () => {{ {module} }})()")


@pytest.mark.programs("node")
def test_argon2id_in_node() -> None:
    """In Node, the vector of RFC 9106 and 50 random cases equal the results of a library."""
    cases = _make_cases()
    expected = [derive_by_library(case) for case in cases]
    assert expected[0] == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"
    script = 'import { argon2id } from "./engine/argon2.js";' + _ARGON2
    assert run_node(script, cases) == expected


@pytest.mark.programs("chromium")
def test_argon2id_in_a_browser(tab: Page, tmp_path: Path) -> None:
    """In Chromium, in a page from a file, the same cases equal the results of a library."""
    cases = _make_cases()
    result = _run_in_browser(tab, tmp_path, "engine/argon2.js", _ARGON2, cases)
    assert result == [derive_by_library(case) for case in cases]


_SALT = "000102030405060708090a0b0c0d0e0f"


def _derive_by_package(kdf: str, text: str) -> str:
    """Return the key in hexadecimal digits, or the message of the refusal."""
    try:
        derivation = KeyDerivation.from_text(kdf)
        derivation.require_affordable()
        key: Key = derivation.derive(Passphrase(text))
    except SudokucryptError as error:
        return str(error)
    return key.to_bytes().hex()


_DERIVATIONS = [
    ("argon2id:m=64,t=1,p=1", "correct horse"),
    ("argon2id:m=8,t=1,p=1", "\u212b and e\u0301"),  # texts that NFC changes
    ("argon2id:m=256,t=2,p=16", "x" * 1000),
    ("scrypt:m=2,t=1,p=1", "correct horse"),
    ("scrypt:m=1024,t=1,p=3", "Zoë"),
    ("argon2id:m=7,t=1,p=1", "x"),
    ("argon2id:m=31,t=1,p=4", "x"),
    ("argon2id:m=64,t=1,p=17", "x"),
    ("argon2id:m=64,t=65,p=1", "x"),
    ("argon2id:m=64,t=1,p=65", "x"),
    ("argon2id:m=917505,t=1,p=1", "x"),
    ("argon2id:m=917504,t=5,p=1", "x"),
    ("argon2id:m=4194305,t=1,p=1", "x"),
    ("argon2id:m=064,t=1,p=1", "x"),
    ("argon2i:m=64,t=1,p=1", "x"),
    ("scrypt:m=1,t=1,p=1", "x"),
    ("scrypt:m=24,t=1,p=1", "x"),
    ("scrypt:m=1024,t=2,p=1", "x"),
    ("scrypt:m=1048576,t=1,p=1", "x"),
    ("scrypt:m=524288,t=1,p=3", "x"),
    ("argon2id:m=64,t=1,p=1", ""),
    ("argon2id:m=64,t=1,p=1", "a\0b"),
]


@pytest.mark.programs("node")
def test_derivations_equal_the_package() -> None:
    """For valid and refused parameters, keys and messages equal those of the package."""
    cases = [(f"{kdf}:{_SALT}", text) for kdf, text in _DERIVATIONS]
    script = 'import { derive } from "./engine/passphrases.js";' + _DERIVE
    assert run_node(script, cases) == [_derive_by_package(*case) for case in cases]


@pytest.mark.programs("chromium")
def test_costs_that_files_have(tab: Page, tmp_path: Path) -> None:
    """With default costs, Argon2id and scrypt give the keys of the package in Chromium."""
    costs = ("argon2id:m=262144,t=3,p=4", "scrypt:m=131072,t=1,p=1")
    cases = [(f"{kdf}:{_SALT}", "six words of a list of words") for kdf in costs]
    result = _run_in_browser(tab, tmp_path, "engine/passphrases.js", _DERIVE, cases)
    assert result == [_derive_by_package(*case) for case in cases]


@pytest.mark.programs(build_core.COMPILER, build_core.LINKER)
def test_the_core_is_reproducible() -> None:
    """Compiling the core again gives the same bytes."""
    assert build_core.compile_core() == build_core.extract_core(
        build_core.MODULE.read_text(encoding="ascii")
    )
