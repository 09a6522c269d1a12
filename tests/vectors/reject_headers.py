"""Headers with one fault: in the form, the version, the scheme, or the key derivation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.vectors.common import Case
from tests.vectors.pictures import (
    KDF_SALT,
    SCRYPT,
    Picture,
    context_picture,
    header_of,
    picture,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

Fault = tuple[str, str, Case]
SYNTAX = "header syntax"
_ALWAYS = ("sudokucrypt", "scheme", "unit", "rounds", "shape", "dtype", "key_id", "tag")

# Values in place of those of the encrypted picture: not of the type, range or case of the table.
_VALUES = {
    "scheme": ['""', "1", '["encrypt-v1"]', '"Encrypt-v1"', '"encrypt_v1"', '"encrypt-v1\\n"'],
    "unit": ['""', "1", '"row"', '"Pixel"', '"pixel "', '["pixel"]', '"\\u0070ixel"', '"sample"'],
    "rounds": ["0", "-1", "256", "8.0", "8e0", "08", "+8", '"8"', "[8]", "true", "NaN", "0x8"],
    "shape": [
        "[]",
        "42",
        '"6x7"',
        "[6,0]",
        "[-6,7]",
        "[6,2147483648]",
        "[6,7,1,1]",
        "[6.0,7]",
        '["6",7]',
        "[true,42]",
        "[[6,7]]",
        "[6, 7]",
        '{"0":6,"1":7}',
    ],
    "dtype": ['""', "8", '"<u1"', '"UINT8"', '"uint128"', '"complex64"', '"int"', '["uint8"]'],
    "key_id": ['""', "12345678", '"f2e7b1e"', '"f2e7b1eee"', '"F2E7B1EE"', '"g2e7b1ee"'],
    "salt": [
        '""',
        "0",
        '"000102030405060708090a0b0c0d0e"',
        '"000102030405060708090a0b0c0d0e0f10"',
        '"000102030405060708090A0B0C0D0E0F"',
        '"0001020304050607 08090a0b0c0d0e0"',
        '"000102030405060708090a0b0c0d0e0f\\n"',
        '"\\u003000102030405060708090a0b0c0d0e0f"',
    ],
    "tag": ['""', "0"],
    "kdf": [
        '""',
        "8",
        f'["{SCRYPT}"]',
        f'"Scrypt:m=16,t=1,p=1:{KDF_SALT}"',
        f'"scrypt:m=16;t=1;p=1:{KDF_SALT}"',
        f'"scrypt:m=16, t=1, p=1:{KDF_SALT}"',
        f'"scrypt::{KDF_SALT}"',
        f'":m=16,t=1,p=1:{KDF_SALT}"',
        f'"{"s" * 33}:m=16,t=1,p=1:{KDF_SALT}"',
        f'"scrypt:m={"1" * 63}:{KDF_SALT}"',
        f'"scrypt:m=16,t=1,p=1:{KDF_SALT[2:]}"',
        f'"scrypt:m=16,t=1,p=1:{KDF_SALT}00"',
        f'"scrypt:m=16,t=1,p=1:{KDF_SALT.upper()}"',
        f'"scrypt:m=16,t=1,p=1:{KDF_SALT}:"',
        f'"scrypt:m=16,t=1,p=1:{KDF_SALT}\\n"',
        '"scrypt:m=16,t=1,p=1"',
    ],
}
_VERSIONS = ["0", "2", "-1", "1.0", '"1"', "true", "[1]", "null"]
_SCHEMES = ["encrypt-v0", "encrypt-v2", "scramble-v2", "encrypt", "scramble-context-v2", "x"]
_KDFS = [
    *(f"argon2id:{numbers}" for numbers in ("m=7,t=1,p=1", "m=15,t=1,p=2", "m=511,t=1,p=64")),
    *(f"argon2id:{numbers}" for numbers in ("m=1048577,t=1,p=1", "m=8,t=65,p=1")),
    *(f"argon2id:{numbers}" for numbers in ("m=1024,t=1,p=65", "m=0,t=1,p=1")),
    *(f"argon2id:{numbers}" for numbers in ("m=8,t=0,p=1", "m=8,t=1,p=0", "m=08,t=1,p=1")),
    *(f"argon2id:{numbers}" for numbers in ("t=1,m=8,p=1", "m=8,t=1", "m=8,t=1,p=1,v=19")),
    *(f"argon2id:{numbers}" for numbers in ("m=8,t=1,p=", "m=8,t=1,p=x", "8,1,1")),
    "argon2id:m=99999999999999999999,t=1,p=1",
    *(f"scrypt:{numbers}" for numbers in ("m=1,t=1,p=1", "m=0,t=1,p=1", "m=24,t=1,p=1")),
    *(f"scrypt:{numbers}" for numbers in ("m=2097152,t=1,p=1", "m=16,t=2,p=1")),
    *(f"scrypt:{numbers}" for numbers in ("m=16,t=1,p=65", "m=16,t=1,p=0", "m=16,t=0,p=1")),
    *(f"scrypt:{numbers}" for numbers in ("n=16,r=8,p=1", "m=016,t=1,p=1", "m=4,t=1,p=1,r=8")),
    *(f"{function}:m=8,t=1,p=1" for function in ("argon2i", "argon2d", "argon2", "pbkdf2")),
]


def _items(whole: Picture) -> list[tuple[str, str]]:
    fields = json.loads(header_of(whole))
    return [(name, json.dumps(value, separators=(",", ":"))) for name, value in fields.items()]


def _joined(items: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f'"{name}":{value}' for name, value in items) + "}"


def _with(whole: Picture, name: str, value: str) -> str:
    """Return the header with another value, as JSON text, in the field `name`."""
    items = [(field, value if field == name else old) for field, old in _items(whole)]
    changed = _joined(items)
    assert changed != header_of(whole)
    return changed


def _replaced(whole: Picture, old: str, new: str) -> str:
    assert header_of(whole).count(old) == 1
    return header_of(whole).replace(old, new)


def _fields(whole: Picture) -> Iterator[tuple[str, str]]:
    items = _items(whole)
    for i, (name, value) in enumerate(items):
        if name in _ALWAYS:
            yield f"{name} is missing", _joined(items[:i] + items[i + 1 :])
        yield f"{name} is doubled", _joined([*items[: i + 1], *items[i:]])
        if i > 0:
            swapped = [*items[: i - 1], items[i], items[i - 1], *items[i + 1 :]]
            yield f"{name} before {items[i - 1][0]}", _joined(swapped)
        if name != "sudokucrypt":
            yield f"{name} is null", _with(whole, name, "null")
        escaped = f"\\u{ord(name[0]):04x}{name[1:]}"
        yield f"{name} is escaped", _joined([*items[:i], (escaped, value), *items[i + 1 :]])


def _text(whole: Picture) -> Iterator[tuple[str, str]]:
    header = header_of(whole)
    yield "nothing", ""
    yield "null", "null"
    yield "a list", f"[{header}]"
    yield "a string", json.dumps(header)
    yield "an empty object", "{}"
    yield "no last brace", header[:-1]
    yield "two headers", header * 2
    yield "line feed at the end", header + "\n"
    yield "zero byte at the end", header + "\0"
    yield "space in front", " " + header
    yield "byte order mark", "\ufeff" + header
    yield "comma at the end", header[:-1] + ",}"
    yield "single quotes", header.replace('"', "'")
    yield "space after a colon", _replaced(whole, '"rounds":', '"rounds": ')
    yield "space after a comma", _replaced(whole, ',"rounds"', ', "rounds"')
    yield "tab before the last brace", header[:-1] + "\t}"
    yield "a letter outside of ASCII", _replaced(whole, '"pixel"', '"p\u00edxel"')
    yield "block_size without blocks", _replaced(whole, '"rounds"', '"block_size":2,"rounds"')
    for digits in (62, 66):
        tag = (json.loads(header)["tag"] * 2)[:digits]
        yield f"tag of {digits} digits", _with(whole, "tag", f'"{tag}"')
    tag = json.loads(header)["tag"]
    yield "tag in upper case", _with(whole, "tag", f'"{tag.upper()}"')
    yield "tag with a letter g", _with(whole, "tag", f'"{tag[:-1]}g"')


def _blocks() -> Iterator[Fault]:
    whole = picture(scheme="scramble-v1", unit="block", block_size=2)
    for value in ("0", "-2", "65536", "2.0", '"2"', "null", "true"):
        yield f"block_size {value}", SYNTAX, whole.case(header=_with(whole, "block_size", value))
    header = _replaced(whole, '"block_size":2,', "")
    yield "blocks without block_size", SYNTAX, whole.case(header=header)


def _of_schemes() -> Iterator[Fault]:
    locked = picture(kdf=SCRYPT)
    for value in ("null", *_VALUES["kdf"]):
        yield f"kdf {value}", SYNTAX, locked.case(header=_with(locked, "kdf", value))
    salt, kdf = (f'"{name}":{dict(_items(locked))[name]}' for name in ("salt", "kdf"))
    header = _replaced(locked, f"{kdf},{salt}", f"{salt},{kdf}")
    yield "kdf after salt", SYNTAX, locked.case(header=header)
    header = _replaced(locked, f"{salt},", "")
    yield "kdf without salt", SYNTAX, locked.case(header=header)

    whole = context_picture()
    fields = dict(_items(picture()))
    for name in ("salt", "tag"):
        header = header_of(whole)[:-1] + f',"{name}":{fields[name]}}}'
        yield f"context and {name}", SYNTAX, whole.case(header=header)
    header = header_of(whole)[:-1] + f',"kdf":"{SCRYPT}"}}'
    yield "context and kdf", SYNTAX, whole.case(header=header)


def faults() -> Iterator[Fault]:
    """Headers with one fault."""
    whole = picture()
    for name, header in (*_fields(whole), *_text(whole)):
        yield f"header: {name}", SYNTAX, whole.case(header=header)
    for name, values in _VALUES.items():
        for value in values if name != "kdf" else ():
            yield f"{name} {value}", SYNTAX, whole.case(header=_with(whole, name, value))
    yield from _blocks()
    yield from _of_schemes()

    for value in _VERSIONS:
        yield f"version {value}", "version", whole.case(header=_with(whole, "sudokucrypt", value))
    for name in ("extra", "Rounds", "kdf2", ""):
        header = _replaced(whole, '"rounds"', f'"{name}":1,"rounds"')
        yield f"field {name!r}", "version", whole.case(header=header)
    for name in _SCHEMES:
        yield f"scheme {name}", "scheme", whole.case(header=_with(whole, "scheme", f'"{name}"'))
    locked = picture(kdf=SCRYPT)
    for text in _KDFS:
        header = _with(locked, "kdf", f'"{text}:{KDF_SALT}"')
        yield f"kdf {text}", "kdf limits", locked.case(header=header)
