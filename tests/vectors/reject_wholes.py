"""The generator of the vectors for pictures with frames that every reader must reject."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from sudokucrypt import Key
from sudokucrypt.images import describe
from tests.vectors import cases_forged_pictures, cases_forged_selections
from tests.vectors.common import Case, Named, flipped
from tests.vectors.gallery import PICTURES, PREVIEW
from tests.vectors.reject_lines import faulty_extras, is_line
from tests.vectors.reject_selections import faulty_selections
from tests.vectors.whole import Whole, whole

_SCRAMBLED = "scramble-v1"
_CONTEXT = "caf\u00e9"
_OTHER = Key(bytes(range(1, 33)))


def _changed(made: Whole, **fields: Any) -> str:
    """Return the header with other fields, and the tag and seal that it had."""
    return replace(made.header, **fields).to_bytes().decode()


def _descriptions() -> Iterator[Named]:
    """Return faults of descriptions in pictures whose tag and seal are right.

    Most of these faults are in `reject.json`, where descriptions stand alone.
    """
    for number, (fault, name, extras) in enumerate(faulty_extras()):
        if number % 24 == 0 or not is_line(extras):
            yield fault, whole(name, scheme=_SCRAMBLED, extras=extras).case()
        if number % 48 == 0:
            yield f"encrypted: {fault}", whole(name, extras=extras).case()
        if number % 48 == 24:
            yield f"context: {fault}", whole(name, context=_CONTEXT, extras=extras).case()
    for name in (
        "sealed", "readable exif", "readable of a later frame", "file of 3", "preview",
        "preview of an animation",
    ):  # fmt: skip
        yield f"context: {name}", whole(name, context=_CONTEXT).case()
    for unit in ("pixel", "sample"):
        made = whole("file of 13", scheme=_SCRAMBLED, unit=unit)
        yield f"{_SCRAMBLED}: a file by {unit}s", made.case()
    yield "a file and a region", whole("file of 13", regions=((0, 0, 4, 5),)).case()
    yield "a file and a mask", whole("file of 13", runs=(0, 20)).case()
    for name in ("preview", "preview of an animation"):
        right = describe(PICTURES[name]) or b""
        for fault, preview in {"WAVE": b"RIFF\4\0\0\0WAVE", "SVG": b"<svg></svg>\n"}.items():
            extras = right.replace(PREVIEW[:12], preview)
            for scheme in ("encrypt-v1", _SCRAMBLED):
                made = whole(name, scheme=scheme, extras=extras)
                yield f"{scheme}: {name} that is {fault}", made.case()


def _frames() -> Iterator[Named]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        made = whole("small pages", scheme=scheme)
        first, *others = made.frames
        for name, frames in {
            "the first frame alone": [first],
            "no last frame": made.frames[:-1],
            "a frame more": [*made.frames, first],
            "a frame of another type": [first, others[0].view("int16"), *others[1:]],
            "a frame with its rows as columns": [first, others[0].reshape(3, 2, 3), *others[1:]],
            "frames in another order": [first, *others[::-1]],
            "another first frame": [first.reshape(4, 3), *others],
        }.items():
            yield f"{scheme}: {name}", made.case(frames=frames)
        bare = whole("small pages", scheme=scheme, extras=b"")
        yield f"{scheme}: several frames without description", bare.case()
        none = whole("plain", scheme=scheme, extras=_NO_FRAMES)
        yield f"{scheme}: a description of no frames", none.case()
        one = whole("two bits", scheme=scheme)
        yield f"{scheme}: two frames for one", one.case(frames=one.frames * 2)
        for field, value in (("shape", (8, 6)), ("shape", (48,)), ("dtype", "int8")):
            other = whole("two bits", scheme=scheme, stated=(field, value))
            yield f"{scheme}: a header of {field} {value}", other.case()
        turned = [first.reshape(3, 4, 1), *others]
        yield f"{scheme}: a third side of 1", made.case(frames=turned)
    made = whole("equal", context=_CONTEXT)
    yield "context: several frames without header", made.case(header=None)
    for field, value in (("shape", (8, 6)), ("dtype", "int8")):
        other = whole("two bits", context=_CONTEXT, stated=(field, value))
        yield f"context: a header of {field} {value}", other.case()


_NO_FRAMES = b'{"format":"","frames":[]}\n'.ljust(256, b"\0")


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
        unchanged = whole("plain", scheme=scheme, runs=(42,))
        outside = np.array(unchanged.frames[0])
        outside[0, 0, 0] ^= 1
        yield f"{scheme}: a bit where nothing is selected", unchanged.case(frames=[outside])


def _seals() -> Iterator[Named]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        parts = whole("plain", scheme=scheme, regions=((0, 0, 3, 3),))
        for name, regions in (("fewer", ((0, 0, 3, 2),)), ("no", None)):
            header = _changed(parts, regions=regions)
            yield f"{scheme}: {name} regions", parts.case(header=header)
        header = _changed(parts, regions=None, mask=b"\0\3\4\3\4\3\x19")
        yield f"{scheme}: the regions as a mask", parts.case(header=header)
        described = whole("cmyk", scheme=scheme)
        header = _changed(described, encrypted_metadata=None)
        yield f"{scheme}: no description", described.case(header=header)
        made = whole("transparent", scheme=scheme)
        extras = made.header.encrypted_metadata or b""
        for bit in (0, 100, -1):
            header = _changed(made, encrypted_metadata=flipped(extras, bit))
            yield f"{scheme}: bit {bit} of the extras", made.case(header=header)
        for name, changed in {
            "plain extras": made.extras,
            "extras of zeros": bytes(len(extras)),
            "extras with padding more": extras + bytes(256),
            "the extras cut": extras[:-16],
            "the extras of another picture": whole(
                "small pages", scheme=scheme
            ).header.encrypted_metadata,
        }.items():
            header = _changed(made, encrypted_metadata=changed)
            yield f"{scheme}: {name}", made.case(header=header)


def _keys() -> Iterator[Named]:
    for scheme in ("encrypt-v1", _SCRAMBLED):
        made = whole("two bits", scheme=scheme)
        yield f"{scheme}: another key", made.case(key=_OTHER.to_text())
        header = _changed(made, key_id=_OTHER.id)
        yield f"{scheme}: another key's id", made.case(key=_OTHER.to_text(), header=header)
        other = whole("two bits", scheme=scheme, salt=bytes(16)).own_key()
        yield f"{scheme}: another picture's key", made.case(key=None, picture_key=other)


def reject_pictures() -> list[Case]:
    """Pictures with frames, regions and descriptions that every reader must reject."""
    layers = {
        "description": _descriptions, "selection": faulty_selections, "frames": _frames,
        "tag": _tags, "seal": _seals, "key": _keys,
    }  # fmt: skip
    own = [
        {"name": f"{layer}: {name}", "layer": layer, **case}
        for layer, make in layers.items()
        for name, case in make()
    ]
    forged = (cases_forged_pictures, cases_forged_selections)
    return own + [case for room in forged for case in room.rejected_pictures()]
