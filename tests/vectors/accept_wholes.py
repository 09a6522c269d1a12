"""The generator of the vectors for pictures with frames that every reader must accept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.vectors.whole import PICTURES, Whole, little, whole

if TYPE_CHECKING:
    from tests.vectors.common import Case

_CONTEXT = "caf\u00e9"

# Beside those of `PICTURES`: what may stand in a description although no picture file has it.
_LINES = {
    "no format": b'{"format":"","frames":[{"shape":[6,7,3],"dtype":"uint8",'
    b'"mode":"rgb","transparent":[0]}]}',
    "numbers at their end": b'{"format":"x","frames":[{"shape":[6,7,3],"dtype":"uint8",'
    b'"mode":"rgb","transparent":[4294967295,0],"place":[0,4294967295],'
    b'"showing":["99999999999999999999/99999999999999999998",4294967295,4294967295]}]}',
    "empty names": b'{"format":"x","frames":[{"shape":[6,7,3],"dtype":"uint8","mode":"rgb",'
    b'"metadata":{"exif":0,"texts":[["",""],["",""]],"native":[["",0],["",0]]}}]}',
    "a palette without colors": b'{"format":"x","palettes":[{"colors":0}],"frames":[{'
    b'"shape":[6,7,3],"dtype":"uint8","mode":"rgb","palette":0}]}',
}


def _accepted(name: str, made: Whole, **changes: str | None) -> Case:
    """Return a case with the plain frames and the description."""
    return {
        "name": name,
        **made.case(**changes),
        "plain": [little(pixels).hex() for pixels in made.plain],
        "extras": None if made.extras is None else made.extras.hex(),
    }


def accept_pictures() -> list[Case]:
    """Pictures with frames, regions and descriptions that every reader must accept."""
    cases = []
    for name in PICTURES:
        cases.append(_accepted(f"encrypted: {name}", whole(name)))
        cases.append(_accepted(f"scrambled: {name}", whole(name, scheme="scramble-v1")))
        cases.append(_accepted(f"under a context: {name}", whole(name, context=_CONTEXT)))
    bare = whole("plain", context=_CONTEXT, rounds=None)
    cases.append(_accepted("context without header", bare, header=None))
    for name, line in _LINES.items():
        cases.append(_accepted(name, whole("plain", extras=line + b"\n")))
    for unit in ("pixel", "sample"):
        for name, runs in (
            ("one", (41, 1)),
            ("all", (0, 42)),
            ("no", (42,)),
            ("two", (0, 1, 40, 1)),
        ):
            made = whole("plain", scheme="scramble-v1", unit=unit, runs=runs)
            cases.append(_accepted(f"{unit}: {name} selected", made))
    twice = ((5, 6, 1, 1), (0, 0, 6, 7), (5, 6, 1, 1))
    cases.append(_accepted("the same region twice", whole("plain", regions=twice)))
    beside = whole("animation", runs=(79, 1))
    cases.append(_accepted("nothing selected in some frames", beside))
    return cases
