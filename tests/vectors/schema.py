"""The schema of the vector files, which `generate` writes to `schema.json`."""

from typing import Any

from tests.vectors.schema_parts import ALONE, DEFS, ONE, PICTURE, PROTECTED, or_null, ref

Schema = dict[str, Any]

_LIST = {"type": "array", "minItems": 1}
_TABLE = {"type": "array", "items": ref("number")}


def _obj(**fields: Schema) -> Schema:
    """Return the schema of an object that has these fields and no others."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _file(case: Schema) -> Schema:
    """Return the schema of a file of such cases."""
    return _obj(about={"type": "string"}, cases={**_LIST, "items": case})


_SUBKEY = _obj(
    level={"enum": ["master", "picture", "passphrase"]},
    use=ref("name"),
    context=or_null("hexadecimal"),
    subkey={"type": "string", "pattern": "^([0-9a-f]{8}|[0-9a-f]{64})$"},
)
_KEY = _obj(
    secret=ref("subkey"),
    text={"type": "string", "pattern": "^SUDOKUCRYPT-KEY-1[0-9A-Z]{58}$"},
    id={"type": "string", "pattern": "^[0-9a-f]{8}$"},
    picture_text={"type": "string", "pattern": "^SUDOKUCRYPT-PICTURE-KEY-1[0-9A-Z]{58}$"},
    salt={"type": "string", "pattern": "^[0-9a-f]{32}$"},
    picture_key=ref("subkey"),
    subkeys={**_LIST, "items": _SUBKEY},
)
_DRAWS = [
    _obj(
        label=ref("name"),
        bounds=_TABLE,
        stream={"type": "string", "pattern": "^([0-9a-f]{8})+$"},
        below=_TABLE,
        shuffles={"type": "array", "items": _TABLE},
    ),
    _obj(
        label={"type": "null"},
        words={"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1}},
        bounds=_TABLE,
        below=_TABLE,
        used=ref("number"),
    ),
    _obj(
        label=ref("name"),
        block=ref("number"),
        stream={"type": "string", "pattern": "^[0-9a-f]{128}$"},
    ),
]
_GRID = _obj(
    box=ref("box"),
    context=ref("hexadecimal"),
    alpha=_TABLE,
    beta=_TABLE,
    sigma=_TABLE,
    digits={
        "description": "The first two rows.",
        "type": "array",
        "items": _TABLE,
        "minItems": 2,
        "maxItems": 2,
    },
)
_LAYOUT = _obj(count={"type": "integer", "minimum": 36}, box=ref("box"), spares=ref("number"))
_ROUNDS = _obj(
    shapes={**_LIST, "items": ref("shape")},
    unit=ref("unit"),
    block_size=ref("block_size"),
    chosen={
        "description": "How many pixels of each frame are selected, if not all.",
        "oneOf": [_TABLE, {"type": "null"}],
    },
    rounds={"type": "integer", "minimum": 1, "maximum": 255},
)
_MAP = _obj(
    count={"type": "integer", "minimum": 1},
    rounds=ref("chosen_rounds"),
    nonce=ref("hexadecimal"),
    permutation={"oneOf": [_TABLE, ref("digest")]},
)
_IMAGE = {"label": ref("name"), "rounds": ref("chosen_rounds"), "salt": ref("salt")}
_MADE = {
    "shape": ref("shape"),
    "dtype": ref("dtype"),
    "plain": ref("bytes"),
    "picture_key": or_null("subkey"),
    "header": ref("header"),
}
_SCRAMBLED = _obj(
    **_IMAGE,
    unit=ref("unit"),
    block_size=ref("block_size"),
    context=or_null("any"),
    **_MADE,
    scrambled=ref("bytes"),
)
_ENCRYPTED = _obj(
    **_IMAGE, passphrase=or_null("any"), kdf=or_null("kdf"), **_MADE, encrypted=ref("bytes")
)
_NAMED = {"name": ref("name")}
_PLAIN = {"plain": {**_LIST, "items": ref("hexadecimal")}}
_CONTAINER = _obj(
    **_NAMED,
    picture={"description": "The whole file.", **ref("hexadecimal")},
    named=or_null("hexadecimal"),
    beside=or_null("hexadecimal"),
    header={
        "description": "The header that counts, if there is one.",
        "oneOf": [ref("header"), {"type": "null"}],
    },
    refused={"type": "boolean"},
    context=or_null("any"),
    plain={"oneOf": [_PLAIN["plain"], {"type": "null"}]},
    extras=or_null("extras"),
)


def _accepted() -> Schema:
    gives = {"picture": {"plain": ref("hexadecimal")}, "key": {"secret": ref("subkey")}}
    return {"oneOf": [_obj(**_NAMED, **kind, **gives.get(what, {})) for what, kind in ALL.items()]}


def _rejected() -> Schema:
    layer = {"layer": ref("layer")}
    return {"oneOf": [_obj(**_NAMED, **layer, **kind) for kind in ALL.values()]}


ALL = {**ALONE, "picture": ONE}
_FILES = {
    "keys": _KEY,
    "draws": {"oneOf": _DRAWS},
    "grids": _GRID,
    "layouts": _LAYOUT,
    "rounds": _ROUNDS,
    "permutations": _MAP,
    "images": _SCRAMBLED,
    "encryptions": _ENCRYPTED,
    "frames": _obj(**PROTECTED, regions={"type": "null"}, runs={"type": "null"}),
    "regions": {
        "oneOf": [
            _obj(**PROTECTED, regions=ref("region_list"), runs={"type": "null"}),
            _obj(**PROTECTED, regions={"type": "null"}, runs=ref("runs")),
        ]
    },
    "accept": _accepted(),
    "reject": _rejected(),
    "accept_pictures": _obj(**_NAMED, **PICTURE, **_PLAIN, extras=or_null("extras")),
    "reject_pictures": _obj(**_NAMED, layer=ref("layer"), **PICTURE),
    "containers": _CONTAINER,
}

SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Vectors of sudokucrypt",
    "description": "Every NAME.json beside this file is of the kind #/$defs/NAME.",
    "oneOf": [ref(name) for name in _FILES],
    "$defs": {**DEFS, **{name: _file(case) for name, case in _FILES.items()}},
}
"""The schema of all files, by their names."""
