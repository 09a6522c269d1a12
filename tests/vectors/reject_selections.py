"""Selections, and texts of mask and extras, that no header may have or that fit no picture."""

import json
from collections.abc import Iterator

from tests.vectors.common import Named
from tests.vectors.whole import Whole, whole

_SCRAMBLED = "scramble-v1"
_CONTEXT = "caf\u00e9"
_REGIONS = (
    "null", "[0,0,1,1]", '[["0",0,1,1]]', "[[true,0,1,1]]", "[[null,0,1,1]]", '{"0":[0,0,1,1]}',
    '"0,0,1,1"', "[[0,0,1, 1]]",
)  # fmt: skip
_TEXTS = (
    "null", '["KgA="]', '"K"', '"Kg="', '" Kg=="', '"Kg== "', '"K g="', '"\\u004bg=="', '"===="',
    '"Kg==Kg=="',
)  # fmt: skip

# Masks on a canvas of 42 pixels: the lengths of their runs.
_MASKS = {
    "no end": "80", "too few pixels": "0029", "too many pixels": "002b",
    "one byte more than is needed": "00aa00", "two bytes more than are needed": "00aa8000",
    "six bytes": "00aa8080808000", "a run of 2^35": "00808080808001",
    "an empty run in the middle": "05000025", "an empty run at the end": "2a00",
    "only an empty run": "00",
}  # fmt: skip


def _with(made: Whole, name: str, value: str) -> str:
    """Return the header with another value, as JSON text, in a field."""
    fields = json.loads(made.header.to_bytes())
    return "{" + ",".join(
        f'"{field}":{value if field == name else json.dumps(old, separators=(",", ":"))}'
        for field, old in fields.items()
    ) + "}"  # fmt: skip


def _moved(made: Whole, name: str, behind: str) -> str:
    """Return the header with a field behind another one than the rules say."""
    fields = json.loads(made.header.to_bytes())
    value = fields.pop(name)
    items = [item for old in fields.items() for item in ([old, (name, value)] if old[0] == behind
                                                        else [old])]  # fmt: skip
    return json.dumps(dict(items), separators=(",", ":"))


def faulty_headers() -> Iterator[tuple[str, str]]:
    """Headers alone that no reader takes for their regions, mask or extras."""
    rectangle = whole("plain", regions=((0, 0, 1, 1),))
    runs = whole("plain", runs=(42,))
    sealed = whole("two bits")
    for value in _REGIONS:
        yield f"regions {value}", _with(rectangle, "regions", value)
    for value in _TEXTS:
        yield f"extras {value}", _with(sealed, "extras", value)
    for value in _TEXTS[:3]:
        yield f"mask {value}", _with(runs, "mask", value)
    both = rectangle.header.to_bytes().decode().replace(',"key_id"', ',"mask":"Kg==","key_id"')
    yield "regions and mask", both
    for name, behind in (("regions", "shape"), ("regions", "key_id")):
        yield f"{name} behind {behind}", _moved(rectangle, name, behind)
    yield "mask behind salt", _moved(runs, "mask", "salt")
    for behind in ("dtype", "key_id", "tag", "seal"):
        yield f"extras behind {behind}", _moved(sealed, "extras", behind)
    blocks = whole("plain", scheme=_SCRAMBLED, unit="block", block_size=2).header.to_bytes()
    for name, value in (("region", '"regions":[[0,0,1,1]]'), ("mask", '"mask":"Kg=="')):
        header = blocks.decode().replace(',"key_id"', f',{value},"key_id"')
        yield f"a {name} of blocks", header
        header = both.replace('"shape":[6,7,3]', '"shape":[42]').replace(',"mask":"Kg=="', "")
        header = header.replace('"regions":[[0,0,1,1]]', value)
        yield f"a {name} in one dimension", header


def faulty_selections() -> Iterator[Named]:
    """Pictures whose tag and seal are right, and whose selection fits no canvas."""
    for number, (name, runs) in enumerate(_MASKS.items()):
        scheme = ("encrypt-v1", _SCRAMBLED)[number % 2]
        made = whole("plain", scheme=scheme, stated=("mask", bytes.fromhex(runs)))
        yield f"{scheme}: a mask with {name}", made.case()
    for scheme in ("encrypt-v1", _SCRAMBLED):
        within = ((0, 0, 6, 7),)
        made = whole("smaller canvas", scheme=scheme, stated=("regions", within))
        yield f"{scheme}: a region within the first frame, beyond the canvas", made.case()
        made = whole("larger canvas", scheme=scheme, stated=("mask", b"\0\x2a"))
        yield f"{scheme}: a mask of the first frame on a larger canvas", made.case()
    for name, runs in _MASKS.items():
        made = whole("plain", context=_CONTEXT, stated=("mask", bytes.fromhex(runs)))
        yield f"context: a mask with {name}", made.case()
    for name, region in (("beyond the canvas", (5, 6, 2, 1)), ("too far right", (5, 6, 1, 2))):
        made = whole("plain", context=_CONTEXT, stated=("regions", (region,)))
        yield f"context: a region {name}", made.case()
    many = ((0, 0, 6, 7),) * 4 + ((5, 6, 1, 1),)
    made = whole("plain", context=_CONTEXT, stated=("regions", many))
    yield "context: more than four canvases", made.case()
