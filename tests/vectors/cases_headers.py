"""Headers alone that every reader of headers takes or refuses, their limits above all.

A header within a picture shows little of its reader: what is changed there is refused for its
seal. These cases have no picture; what their salt, tag and seal protect does not matter.
"""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

Case = dict[str, Any]
Changes = dict[str, str | None]
KDF_SALT = "00" * 16
MOST = 2147483647
MAX_BYTES = 33554432
MAX_OTHER_BYTES = 65536

FIELDS: dict[str, str | None] = {
    "sudokucrypt": "1", "scheme": '"encrypt-v1"', "unit": '"pixel"', "block_size": None,
    "rounds": "8", "shape": "[6,7]", "dtype": '"uint8"', "regions": None, "mask": None,
    "key_id": '"f2e7b1ee"', "kdf": None, "salt": f'"{"01" * 16}"', "extras": None,
    "tag": f'"{"02" * 32}"', "seal": f'"{"03" * 32}"',
}  # fmt: skip
"""The fields of a header that is taken, in their order, as JSON texts; None where there is none."""

_SCRAMBLED: Changes = {"scheme": '"scramble-v1"'}
_BLOCKS: Changes = {**_SCRAMBLED, "unit": '"block"', "block_size": "2"}
CONTEXT: Changes = {
    "scheme": '"scramble-context-v1"',
    "salt": None,
    "tag": None,
    "seal": None,
}
_KDF = f'"scrypt:m=16,t=1,p=1:{KDF_SALT}"'


def line(**changes: str | None) -> str:
    """Return a header with other texts in some fields."""
    fields = {**FIELDS, **changes}
    return "{" + ",".join(f'"{name}":{text}' for name, text in fields.items() if text) + "}"


def _case(name: str, header: str, fill: dict[str, int] | None = None) -> Case:
    return {"name": f"header alone: {name}", "what": "header", "header": header, "fill": fill}


def _regions(length: int, extras: int | None = None) -> tuple[str, dict[str, int]]:
    """Return a header of so many bytes, filled by regions, beside the text of extras."""
    beside: Changes = {} if extras is None else {"extras": '""'}
    count, left = divmod(length - len(line(regions="[]", **beside)) + 1, len("[0,0,1,1],"))
    if extras is not None:
        beside = {"extras": '"*"'}
    # Digits of the shape reach the exact length.
    header = line(regions='"*"', shape=f"[1{'0' * left},7]", **beside)
    return header, {"regions": count, **({} if extras is None else {"extras": extras})}


def _most(length: int) -> tuple[str, dict[str, int]]:
    """Return a header of so many bytes, filled by extras."""
    rest = length - len(line(extras='""'))
    for digits in range(1, 6):  # the other digits of a length 10..0 make up for groups of four
        header = line(extras='"*"', shape=f"[6,{'7' * digits}]")
        if (rest - digits + 1) % 4 == 0:
            return header, {"extras": (rest - digits + 1) // 4 * 3}
    raise AssertionError


def _one(field: str, text: str) -> Changes:
    return {field: text}


def _good() -> Iterator[Case]:
    good: tuple[Changes, ...] = (
        {}, _SCRAMBLED, _BLOCKS, CONTEXT, {"kdf": _KDF}, {**_SCRAMBLED, "unit": '"sample"'},
        {"extras": '"AA=="'}, {"mask": '"Kg=="'}, {"regions": "[[0,0,1,1],[0,0,1,1]]"},
        {**CONTEXT, "unit": '"block"', "block_size": "65535"}, {**CONTEXT, "extras": '"AA=="'},
        {**_BLOCKS, "block_size": "65535"}, {**_BLOCKS, "block_size": "1"},
        {"rounds": "1"}, {"rounds": "255"}, {"rounds": "17"},
        {"shape": f"[{MOST}]"}, {"shape": f"[1,1,{MOST}]"}, {"shape": f"[{MOST},{MOST},{MOST}]"},
        {"shape": "[65536,65536,4]"}, {"shape": "[1]"},
        {"regions": f"[[{MOST},{MOST},1,1]]"}, {"regions": f"[[0,0,{MOST},{MOST}]]"},
        {"kdf": f'"{"z0" * 16}:{"a=9," * 16}:{"f" * 32}"'}, {"kdf": f'"a:0:{KDF_SALT}"'},
        {"kdf": f'"argon2id:m=99999999999,t=0,p=0:{KDF_SALT}"'},
        *(_one("mask", f'"{mask}"') for mask in (
            "gICAgAE=", "gICAgAg=", "/////38=", "ACo=", "AAE=")),
        *(_one("dtype", f'"{name}"') for name in (
            "bool", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16",
            "float32", "float64")),
    )  # fmt: skip
    for changes in good:
        text = line(**changes)
        yield _case(", ".join(f"{n} {v:.40}" for n, v in changes.items() if v) or "bare", text)
    yield _case("65536 bytes", *_regions(MAX_OTHER_BYTES))
    yield _case("65536 bytes beside extras", *_regions(MAX_OTHER_BYTES, 3))
    yield _case("65536 bytes and 16 MiB of extras", *_regions(MAX_OTHER_BYTES, 12582912))
    yield _case("a mask of 80000 letters", line(mask='"*"'), {"mask": 60000})
    yield _case("33554432 bytes", *_most(MAX_BYTES))


def _bad() -> Iterator[Case]:
    values = {
        "rounds": ("0", "256", "-1", "8.0", "08", "true", '"8"', "1e1"),
        "shape": ("[]", "[0]", "[6,7,1,1]", f"[{MOST + 1}]", "[true]", "[6.0,7]", "6", "[6, 7]"),
        "dtype": ('"uint128"', '"UINT8"', "8", '""'),
        "unit": ('"row"', '"sample"', '"block"', '""'),
        "key_id": ('"F2E7B1EE"', '"f2e7b1e"', '"f2e7b1eee"', '"f2e7b1eg"', '""', "12345678"),
        "salt": (None, f'"{"0A" * 16}"', f'"{"01" * 15}"', f'"{"01" * 17}"', f'"{"g" * 32}"', "0"),
        "tag": (None, f'"{"0A" * 32}"', f'"{"01" * 31}"', f'"{"01" * 33}"', f'"{"g" * 64}"'),
        "seal": (None, f'"{"0A" * 32}"', f'"{"01" * 31}"', f'"{"01" * 33}"', f'"{"g" * 64}"',
                 f'"{"01" * 16}"', '""', "[]"),
        "block_size": ("2", "0", "[]", '""'),
        "extras": ('""', '"AA"', '"AAAA\\n"', '"AB=="', '"A-_A"', "[]", "1"),
        "mask": ('""', '"gICAgIAB"', '"qgA="', '"gICAgAA="', '"BQAl"', '"KgA="', '"gA=="',
                 '"AA="', '"KoA="'),
        "regions": (
            "[]", "[[]]", "[[0,0,1]]", "[[0,0,1,1,1]]", "[[-1,0,1,1]]", "[[0,-1,1,1]]", "1",
            "[[0,0,0,1]]", "[[0,0,1,0]]", f"[[{MOST + 1},0,1,1]]", f"[[0,{MOST + 1},1,1]]",
            f"[[0,0,{MOST + 1},1]]", f"[[0,0,1,{MOST + 1}]]", "[[0,0,1,true]]", "[[0,0,1.0,1]]"),
        "kdf": (
            '""', '"scrypt"', f'":m=1:{KDF_SALT}"', f'"scrypt::{KDF_SALT}"', f'{_KDF[:-1]}\\n"',
            f'"{"a" * 33}:m=1:{KDF_SALT}"', f'"a:{"1" * 65}:{KDF_SALT}"', f'"A:m=1:{KDF_SALT}"',
            f'"a:m=1:{"0A" * 16}"', f'"a:m=1:{KDF_SALT}0"', f'"a:m=1:{KDF_SALT[1:]}"', "8"),
        "scheme": ('"encrypt-v2"', '"Encrypt-v1"', '""', "1"),
        "sudokucrypt": ("0", "2", "1.0", "true", '"1"'),
    }  # fmt: skip
    for field, texts in values.items():
        for text in texts:
            name = f"no {field}" if text is None else f"{field} {text:.40} of {len(text)}"
            yield _case(name, line(**{field: text}))
    for size in ("0", "65536", "-1", "2.0", "true", None):
        yield _case(f"blocks of {size}", line(**{**_BLOCKS, "block_size": size}))
    one: Changes = {"regions": "[[0,0,1,1]]"}
    mask: Changes = {"mask": '"Kg=="'}
    faults: dict[str, Changes] = {
        "regions and mask": one | mask,
        "regions of blocks": {**_BLOCKS, **one},
        "a mask of blocks": {**_BLOCKS, **mask},
        "regions in one dimension": {**one, "shape": "[42]"},
        "a mask in one dimension": {**mask, "shape": "[42]"},
        "no salt and tag": {"salt": None, "tag": None},
        "no salt and seal": {"salt": None, "seal": None},
        "no tag and seal": {"tag": None, "seal": None},
        "no salt, tag and seal": {"salt": None, "tag": None, "seal": None},
        "scrambled without salt, tag and seal": {**CONTEXT, **_SCRAMBLED},
        "a derivation without them": {**CONTEXT, **_SCRAMBLED, "kdf": _KDF},
        "context and kdf": {**CONTEXT, "kdf": _KDF},
        "context and all": {"scheme": '"scramble-context-v1"'},
        **{f"context and {n}": {**CONTEXT, n: FIELDS[n]} for n in ("salt", "tag", "seal")},
    }
    for name, changes in faults.items():
        yield _case(name, line(**changes))
    full = json.loads(line(kdf=_KDF, extras='"AA=="', regions="[[0,0,1,1]]"))
    names = list(full)
    for first, second in pairwise(names):
        order = [*names[: names.index(first)], second, first, *names[names.index(second) + 1 :]]
        text = json.dumps({name: full[name] for name in order}, separators=(",", ":"))
        yield _case(f"{second} before {first}", text)
    blocks = line(**_BLOCKS).replace('"block_size":2,"rounds":8', '"rounds":8,"block_size":2')
    yield _case("rounds before block_size", blocks)
    whole = line()
    for name, text in {
        "a line feed behind": whole + "\n",
        "a space in front": " " + whole,
        "a space behind a comma": whole.replace(',"rounds"', ', "rounds"'),
        "a field twice": whole.replace('"rounds":8', '"rounds":8,"rounds":8'),
        "another field": whole.replace('"rounds"', '"recipients":[],"rounds"'),
        "an escaped letter": whole.replace('"pixel"', '"\\u0070ixel"'),
        "nothing": "",
        "a list": f"[{whole}]",
        "null": whole.replace('"key_id"', '"kdf":null,"key_id"'),
    }.items():
        yield _case(name, text)
    yield _case("65537 bytes", *_regions(MAX_OTHER_BYTES + 1))
    yield _case("65537 bytes beside extras", *_regions(MAX_OTHER_BYTES + 1, 3))
    yield _case("33554433 bytes", *_most(MAX_BYTES + 1))


def accepted() -> list[Case]:
    """Headers that a reader of headers takes."""
    return list(_good())


def rejected() -> list[Case]:
    """Headers that a reader of headers refuses."""
    return [{**case, "layer": "header syntax"} for case in _bad()]
