"""The kinds of values in the vector files, and the cases that several files share."""

from typing import Any

Schema = dict[str, Any]

_LIST = {"type": "array", "minItems": 1}


def ref(name: str) -> Schema:
    """Return a reference to a kind."""
    return {"$ref": f"#/$defs/{name}"}


def or_null(name: str) -> Schema:
    """Return the schema of a kind or null."""
    return {"oneOf": [ref(name), {"type": "null"}]}


_LAYERS = [
    "header syntax",
    "version",
    "scheme",
    "unit",
    "kdf limits",
    "key",
    "seal",
    "tag",
    "shape",
    "context",
    "passphrase",
    "text",
    "key text",
    "key file",
    "description",
    "selection",
    "frames",
    "file",
]

DEFS: dict[str, Schema] = {
    "any": {"type": "string"},
    "number": {"type": "integer", "minimum": 0},
    "name": {"type": "string", "minLength": 1},
    "hexadecimal": {"type": "string", "pattern": "^([0-9a-f]{2})*$"},
    "subkey": {"description": "32 bytes", "type": "string", "pattern": "^[0-9a-f]{64}$"},
    "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
    "bytes": {
        "description": "At most 512 bytes as they are, more as their SHA-256.",
        "anyOf": [{"type": "string", "pattern": "^([0-9a-f]{2}){0,512}$"}, ref("digest")],
    },
    "salt": {
        "description": "16 bytes, or null for a deterministic salt, or none under a context.",
        "oneOf": [{"type": "string", "pattern": "^[0-9a-f]{32}$"}, {"type": "null"}],
    },
    "chosen_rounds": {
        "description": "Null for the default rounds.",
        "oneOf": [{"type": "integer", "minimum": 1, "maximum": 255}, {"type": "null"}],
    },
    "box": {
        "description": "Rows and columns of a box.",
        "type": "array",
        "items": {"type": "integer", "minimum": 2},
        "minItems": 2,
        "maxItems": 2,
    },
    "shape": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1},
        "minItems": 1,
        "maxItems": 3,
    },
    "dtype": {
        "enum": [
            "bool",
            *(f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)),
            *(f"float{bits}" for bits in (16, 32, 64)),
        ]
    },
    "unit": {"enum": ["pixel", "sample", "block"]},
    "block_size": {
        "oneOf": [{"type": "integer", "minimum": 1, "maximum": 65535}, {"type": "null"}]
    },
    "kdf": {
        "type": "string",
        "pattern": "^(argon2id|scrypt):m=[0-9]+,t=[0-9]+,p=[0-9]+:[0-9a-f]{32}$",
    },
    "header": {
        "description": "A header that is right.",
        "type": "string",
        "pattern": '^\\{"sudokucrypt":1,"scheme":"[a-z0-9-]+",[ -~]*"\\}$',
    },
    "layer": {"description": "What must refuse the case.", "enum": _LAYERS},
    "extras": {
        "description": "The description of a picture: its line, its blobs and its padding.",
        "type": "string",
        "pattern": "^([0-9a-f]{512})+$",
    },
    "region": {
        "description": "Row, column, rows, columns.",
        "type": "array",
        "prefixItems": [ref("number")] * 2 + [{"type": "integer", "minimum": 1}] * 2,
        "items": False,
        "minItems": 4,
    },
    "region_list": {**_LIST, "items": ref("region")},
    "runs": {
        "description": "Pixels of the mask that are not selected, that are, and so on.",
        **_LIST,
        "items": ref("number"),
    },
    "stored": {
        "description": "A frame at hand.",
        "type": "object",
        "properties": {"shape": ref("shape"), "dtype": ref("dtype"), "samples": ref("hexadecimal")},
        "required": ["shape", "dtype", "samples"],
        "additionalProperties": False,
    },
    "protected": {
        "description": "A frame before and after.",
        "type": "object",
        "properties": {
            "shape": ref("shape"),
            "dtype": ref("dtype"),
            "plain": ref("hexadecimal"),
            "protected": ref("bytes"),
        },
        "required": ["shape", "dtype", "plain", "protected"],
        "additionalProperties": False,
    },
}

_SECRETS = {"key": or_null("any"), "picture_key": or_null("any"), "context": or_null("any")}

PICTURE: dict[str, Schema] = {
    "header": or_null("any"),
    "frames": {**_LIST, "items": ref("stored")},
    **_SECRETS,
}
"""The fields of a picture that is read."""

ONE: dict[str, Schema] = {
    "what": {"const": "picture"},
    "header": or_null("any"),
    "shape": ref("shape"),
    "dtype": ref("dtype"),
    "pixels": ref("hexadecimal"),
    "passphrase": or_null("any"),
    **_SECRETS,
}
"""The fields of a single image that is read."""

_COUNT = {"oneOf": [ref("number"), {"type": "null"}]}

ALONE: dict[str, dict[str, Schema]] = {
    "key": {
        "what": {"const": "key"},
        "level": {"enum": ["master", "picture"]},
        "content": or_null("any"),
        "bytes": {
            "description": "The content of a file that is not UTF-8.",
            **or_null("hexadecimal"),
        },
        "passphrase": or_null("any"),
    },
    "header": {
        "what": {"const": "header"},
        "header": ref("any"),
        "fill": {
            "description": "What stands in place of the text * of a field: so many zero bytes as "
            "extras, so many bytes 1 as a mask, or so many regions [0,0,1,1].",
            "oneOf": [
                {
                    "type": "object",
                    "properties": dict.fromkeys(("extras", "mask", "regions"), ref("number")),
                    "minProperties": 1,
                    "additionalProperties": False,
                },
                {"type": "null"},
            ],
        },
    },
    "extras": {
        "what": {"const": "extras"},
        "line": ref("any"),
        "blobs": ref("hexadecimal"),
        "padding": {
            "description": "As it is, or the number of its zero bytes.",
            "oneOf": [ref("hexadecimal"), ref("number")],
        },
        "fill": {
            "description": "So many letters a stand in place of the one * of the line.",
            **_COUNT,
        },
    },
    "kdf": {"what": {"const": "kdf"}, "text": ref("any")},
}
"""The fields of a thing that is read alone."""

PROTECTED: dict[str, Schema] = {
    "label": ref("name"),
    "scheme": {"enum": ["encrypt-v1", "scramble-v1", "scramble-context-v1"]},
    "unit": ref("unit"),
    "block_size": ref("block_size"),
    "rounds": ref("chosen_rounds"),
    "context": or_null("any"),
    "salt": ref("salt"),
    "line": {"oneOf": [{"type": "string", "pattern": "^[\\x20-\\x7e]+$"}, {"type": "null"}]},
    "blobs": or_null("hexadecimal"),
    "frames": {**_LIST, "items": ref("protected")},
    "picture_key": or_null("subkey"),
    "header": ref("header"),
}
"""The fields of a picture that is protected, but for what is selected of it."""
