"""Headers alone with one fault: in the form, the version, the scheme, or the key derivation.

In a picture such a header would be refused for its seal, whatever else is wrong with it.
"""

import json
from collections.abc import Iterator

from tests.vectors.common import Case
from tests.vectors.images import KDF_SALT
from tests.vectors.pictures import (
    SCRYPT,
    Picture,
    context_picture,
    header_of,
    picture,
)

Fault = tuple[str, str, Case]
SYNTAX = "header syntax"
_HEXADECIMAL = {"salt": 32, "tag": 64, "seal": 64}
"""Digits of the fields that are hexadecimal."""

# Values in place of those of the encrypted picture: not of the type, range or case of the table.
_VALUES = {
    "scheme": ['""', "1", '["encrypt-v1"]', '"Encrypt-v1"', '"encrypt_v1"', '"encrypt-v1\\n"'],
    "unit": ["1", '"Pixel"', '"pixel "', '["pixel"]', '"\\u0070ixel"'],
    "rounds": ["8e0", "+8", "[8]", "NaN", "0x8"],
    "shape": ['"6x7"', "[-6,7]", '["6",7]', "[[6,7]]", '{"0":6,"1":7}'],
    "dtype": ['"<u1"', '"complex64"', '"int"', '["uint8"]'],
    "key_id": ['"g2e7b1ee"', '["00000000"]', '"0000000\\n"'],
    "kdf": [
        '""', "8", f'["{SCRYPT}"]', f'"Scrypt:m=16,t=1,p=1:{KDF_SALT}"',
        f'"scrypt:m=16;t=1;p=1:{KDF_SALT}"', f'"scrypt:m=16, t=1, p=1:{KDF_SALT}"',
        f'"scrypt::{KDF_SALT}"', f'":m=16,t=1,p=1:{KDF_SALT}"',
        f'"{"s" * 33}:m=16,t=1,p=1:{KDF_SALT}"', f'"scrypt:m={"1" * 63}:{KDF_SALT}"',
        f'"scrypt:m=16,t=1,p=1:{KDF_SALT[2:]}"', f'"scrypt:m=16,t=1,p=1:{KDF_SALT}00"',
        f'"scrypt:m=16,t=1,p=1:{KDF_SALT.upper()}"', f'"scrypt:m=16,t=1,p=1:{KDF_SALT}:"',
        f'"scrypt:m=16,t=1,p=1:{KDF_SALT}\\n"', '"scrypt:m=16,t=1,p=1"',
    ],
}  # fmt: skip
_VERSIONS = ["0", "2", "-1", "1.0", '"1"', "true", "[1]", "null"]
_SCHEMES = ["encrypt-v0", "encrypt-v2", "scramble-v2", "encrypt", "scramble-context-v2", "x"]


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
        yield f"{name} is missing", _joined(items[:i] + items[i + 1 :])
        yield f"{name} is doubled", _joined([*items[: i + 1], *items[i:]])
        if name != "sudokucrypt":
            yield f"{name} is null", _with(whole, name, "null")
        if i % 5 == 0:
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
    yield "block_size behind rounds", _replaced(whole, '"shape"', '"block_size":2,"shape"')


def _digits(whole: Picture) -> Iterator[tuple[str, str]]:
    """Return faults in the fields that are hexadecimal digits, each in turn."""
    fields = json.loads(header_of(whole))
    for name, count in _HEXADECIMAL.items():
        digits = fields[name]
        for fault, value in {
            "a list": f'["{digits}"]',
            "a line feed behind": f'"{digits}\\n"',
            "an escaped digit": f'"\\u003{digits[0]}{digits[1:]}"',
            "a space within": f'"{digits[:-2]} {digits[-1]}"',
            f"{count - 1} digits": f'"{digits[:-1]}"',
        }.items():
            yield f"{name}: {fault}", _with(whole, name, value)


def _of_schemes() -> Iterator[tuple[str, str]]:
    locked = picture(kdf=SCRYPT)
    for value in ("null", *_VALUES["kdf"]):
        yield f"kdf {value}", _with(locked, "kdf", value)
    salt, kdf = (f'"{name}":{dict(_items(locked))[name]}' for name in ("salt", "kdf"))
    yield "kdf after salt", _replaced(locked, f"{kdf},{salt}", f"{salt},{kdf}")
    whole = context_picture()
    fields = dict(_items(picture()))
    added = {name: f',"{name}":{fields[name]}' for name in _HEXADECIMAL}
    for names in (("salt",), ("tag",), ("seal",), ("salt", "tag"), ("salt", "tag", "seal")):
        more = "".join(added[name] for name in names)
        yield f"context and {', '.join(names)}", f"{header_of(whole)[:-1]}{more}}}"
    yield "context and kdf", f'{header_of(whole)[:-1]},"kdf":"{SCRYPT}"}}'


def _blocks() -> Iterator[tuple[str, str]]:
    whole = picture(scheme="scramble-v1", unit="block", block_size=2)
    for value in ("0", "-2", "65536", "2.0", '"2"', "null", "true"):
        yield f"block_size {value}", _with(whole, "block_size", value)
    yield "blocks without block_size", _replaced(whole, '"block_size":2,', "")


def faults() -> Iterator[Fault]:
    """Headers with one fault."""
    whole = picture()
    makers = (_fields(whole), _text(whole), _digits(whole), _of_schemes(), _blocks())
    for name, header in (fault for maker in makers for fault in maker):
        yield f"header: {name}", SYNTAX, _alone(header)
    for name, values in _VALUES.items():
        for value in values if name != "kdf" else ():
            yield f"{name} {value}", SYNTAX, _alone(_with(whole, name, value))
    for value in _VERSIONS:
        yield f"version {value}", "version", _alone(_with(whole, "sudokucrypt", value))
    for name in ("extra", "Rounds", "kdf2", "recipients", ""):
        header = _replaced(whole, '"rounds"', f'"{name}":1,"rounds"')
        yield f"field {name!r}", "version", _alone(header)
    for name in _SCHEMES:
        header = _with(whole, "scheme", f'"{name}"')
        yield f"scheme {name}", "scheme", _alone(header)


def _alone(header: str) -> Case:
    return {"what": "header", "header": header, "fill": None}
