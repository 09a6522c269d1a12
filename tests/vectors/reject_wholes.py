"""The generator of the vectors for pictures with frames that every reader must reject."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sudokucrypt import Key
from tests.vectors.common import Case
from tests.vectors.reject_lines import faulty_extras
from tests.vectors.whole import Whole, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

Named = tuple[str, Case]
_SCRAMBLED = "scramble-v1"
_CONTEXT = "caf\u00e9"
_OTHER = Key(bytes(range(1, 33)))

_REGIONS = (
    "[]", "null", "[[]]", "[0,0,1,1]", "[[0,0,1]]", "[[0,0,1,1,1]]", "[[-1,0,1,1]]", "[[0,0,0,1]]",
    "[[0,0,1,0]]", "[[0,0,1,2147483648]]", "[[0.0,0,1,1]]", '[["0",0,1,1]]', "[[true,0,1,1]]",
    "[[0,0,1,true]]", "[[null,0,1,1]]", '{"0":[0,0,1,1]}', '"0,0,1,1"', "[[0,0,1, 1]]", "1",
)  # fmt: skip
_TEXTS = (
    '""', "null", "1", "[]", '["KgA="]', '"K"', '"Kg"', '"Kg="', '"Kh=="', '"Kg==\\n"', '" Kg=="',
    '"Kg== "', '"K g="', '"-_=="', '"\\u004bg=="', '"===="', '"Kg==Kg=="',
)  # fmt: skip

# Masks on a canvas of 42 pixels: the lengths of their runs.
_MASKS = {
    "no end": "80",
    "too few pixels": "0029",
    "too many pixels": "002b",
    "one byte more than is needed": "00aa00",
    "two bytes more than are needed": "00aa8000",
    "six bytes": "00aa8080808000",
    "a run of 2^35": "00808080808001",
    "an empty run in the middle": "05000025",
    "an empty run at the end": "2a00",
    "only an empty run": "00",
}
_BEYOND = ((5, 6, 2, 1), (5, 6, 1, 2), (6, 0, 1, 1), (0, 7, 1, 1), (0, 0, 7, 7), (2147483647,) * 4)


def _changed(made: Whole, **fields: Any) -> str:
    """Return the header with other fields and the tag that it had."""
    return replace(made.header, **fields).to_bytes().decode()


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


def _flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def _syntax() -> Iterator[Named]:
    rectangle = whole("plain", regions=((0, 0, 1, 1),))
    runs = whole("plain", runs=(42,))
    sealed = whole("sealed")
    for value in _REGIONS:
        yield f"regions {value}", rectangle.case(header=_with(rectangle, "regions", value))
    for value in _TEXTS:
        yield f"mask {value}", runs.case(header=_with(runs, "mask", value))
        yield f"extras {value}", sealed.case(header=_with(sealed, "extras", value))
    both = rectangle.header.to_bytes().decode().replace(',"key_id"', ',"mask":"Kg==","key_id"')
    yield "regions and mask", rectangle.case(header=both)
    for name, behind in (("regions", "shape"), ("regions", "key_id")):
        header = _moved(rectangle, name, behind)
        yield f"{name} behind {behind}", rectangle.case(header=header)
    yield "mask behind salt", runs.case(header=_moved(runs, "mask", "salt"))
    for behind in ("dtype", "key_id", "tag"):
        header = _moved(sealed, "extras", behind)
        yield f"extras behind {behind}", sealed.case(header=header)
    blocks = whole("plain", scheme=_SCRAMBLED, unit="block", block_size=2)
    header = _changed(blocks).replace(',"key_id"', ',"regions":[[0,0,1,1]],"key_id"')
    yield "a region of blocks", blocks.case(header=header)
    header = _changed(blocks).replace(',"key_id"', ',"mask":"Kg==","key_id"')
    yield "a mask of blocks", blocks.case(header=header)


def _descriptions() -> Iterator[Named]:
    for number, (fault, name, extras) in enumerate(faulty_extras()):
        yield fault, whole(name, scheme=_SCRAMBLED, extras=extras).case()
        if number % 5 == 0:
            yield f"encrypted: {fault}", whole(name, extras=extras).case()
            yield f"context: {fault}", whole(name, context=_CONTEXT, extras=extras).case()


def _selections() -> Iterator[Named]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        for name, runs in _MASKS.items():
            made = whole("plain", scheme=scheme, stated=("mask", bytes.fromhex(runs)))
            yield f"{scheme}: a mask with {name}", made.case()
        for region in _BEYOND:
            made = whole("plain", scheme=scheme, stated=("regions", ((0, 0, 1, 1), region)))
            yield f"{scheme}: a region {region} beyond the canvas", made.case()
        made = whole("animation", scheme=scheme, stated=("regions", ((0, 9, 1, 2),)))
        yield f"{scheme}: a region beyond the canvas of an animation", made.case()
        for field, value in (("regions", ((0, 0, 1, 1),)), ("mask", b"\0")):
            made = whole("no canvas", scheme=scheme, stated=(field, value))
            yield f"{scheme}: {field} on a canvas without pixels", made.case()


def _frames() -> Iterator[Named]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        made = whole("pages", scheme=scheme)
        first, *others = made.frames
        for name, frames in {
            "the first frame alone": [first],
            "no last frame": made.frames[:-1],
            "a frame more": [*made.frames, first],
            "a frame of another type": [first, others[0].view("int16"), *others[1:]],
            "a frame with its rows as columns": [first, others[0].reshape(8, 3, 3), *others[1:]],
            "frames in another order": [first, *others[::-1]],
            "another first frame": [first.reshape(6, 7), *others],
        }.items():
            yield f"{scheme}: {name}", made.case(frames=frames)
        bare = whole("pages", scheme=scheme, extras=b"")
        yield f"{scheme}: several frames without description", bare.case()
        none = whole("plain", scheme=scheme, extras=b'{"format":"","frames":[]}\n')
        yield f"{scheme}: a description of no frames", none.case()
        one = whole("two bits", scheme=scheme)
        yield f"{scheme}: two frames for one", one.case(frames=one.frames * 2)
        header = _changed(one, shape=(8, 6))
        yield f"{scheme}: a header of another shape", one.case(header=header)
        header = _changed(one, dtype="int8")
        yield f"{scheme}: a header of another type", one.case(header=header)
    made = whole("equal", context=_CONTEXT)
    yield "context: several frames without header", made.case(header=None)


def _tags() -> Iterator[Named]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        made = whole("equal", scheme=scheme)
        first, second, third = made.frames
        for number in range(3):
            frames = [np.array(frame) for frame in made.frames]
            frames[number][6, 8] ^= 1
            yield f"{scheme}: a bit of frame {number}", made.case(frames=frames)
        yield f"{scheme}: two frames exchanged", made.case(frames=[second, first, third])
        yield f"{scheme}: equal frames", made.case(frames=[first, first, first])
        parts = whole("plain", scheme=scheme, regions=((0, 0, 3, 3),))
        outside = np.array(parts.frames[0])
        outside[5, 6, 2] ^= 128
        yield f"{scheme}: a bit outside of the regions", parts.case(frames=[outside])
        for name, regions in (("fewer", ((0, 0, 3, 2),)), ("no", None)):
            header = _changed(parts, regions=regions)
            yield f"{scheme}: {name} regions", parts.case(header=header)
        header = _changed(parts, regions=None, mask=b"\0\3\4\3\4\3\x19")
        yield f"{scheme}: the regions as a mask", parts.case(header=header)
        described = whole("cmyk", scheme=scheme)
        header = _changed(described, extras=None)
        yield f"{scheme}: no description", described.case(header=header)
    made = whole("two bits", scheme=_SCRAMBLED)
    extras = made.header.extras or b""
    header = _changed(made, extras=extras.replace(b'"bits":2', b'"bits":4'))
    yield "another number of bits", made.case(header=header)
    for scheme, bits in ((_SCRAMBLED, (-1,)), ("encrypt-v1", (0, 100, -1))):
        made = whole("sealed", scheme=scheme)
        extras = made.header.extras or b""
        for bit in bits:
            header = _changed(made, extras=_flipped(extras, bit % (8 * len(extras))))
            yield f"{scheme}: bit {bit} of the extras", made.case(header=header)


def _keys() -> Iterator[Named]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        made = whole("animation", scheme=scheme)
        yield f"{scheme}: another key", made.case(key=_OTHER.to_text())
        header = _changed(made, key_id=_OTHER.id)
        yield f"{scheme}: another key's id", made.case(key=_OTHER.to_text(), header=header)


def reject_pictures() -> list[Case]:
    """Pictures with frames, regions and descriptions that every reader must reject."""
    layers = {
        "header syntax": _syntax,
        "description": _descriptions,
        "selection": _selections,
        "frames": _frames,
        "tag": _tags,
        "key": _keys,
    }
    return [
        {"name": f"{layer}: {name}", "layer": layer, **case}
        for layer, make in layers.items()
        for name, case in make()
    ]
