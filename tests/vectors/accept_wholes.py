"""The generator of the vectors for pictures with frames that every reader must accept."""

from sudokucrypt.images import describe
from tests.vectors import cases_forged_pictures
from tests.vectors.common import Case, little
from tests.vectors.gallery import PICTURES
from tests.vectors.whole import Whole, padded, whole

_CONTEXT = "caf\u00e9"
_SCRAMBLED = "scramble-v1"

# Beside those of the gallery: what may stand in a description although no picture file has it.
_LINES = {
    "no format": b'{"format":"","frames":[{"shape":[6,7,3],"dtype":"uint8",'
    b'"mode":"rgb","transparent":[0]}]}',
    "numbers at their end": b'{"format":"x","frames":[{"shape":[6,7,3],"dtype":"uint8",'
    b'"mode":"rgb","transparent":[4294967295,0],"place":[0,2147483647],'
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
    bare = whole("plain", context=_CONTEXT, rounds=None)
    cases.append(_accepted("a picture without header", bare, header=None))
    for name, line in _LINES.items():
        made = whole("plain", extras=padded(line + b"\n"))
        cases.append(_accepted(name, made))
    return cases + _padded() + _selected() + cases_forged_pictures.accepted_pictures()


def _padded() -> list[Case]:
    """Return pictures with more padding than a writer takes."""
    cases = []
    for name, scheme in (
        ("two bits", _SCRAMBLED), ("file of 3", "encrypt-v1"), ("preview", _SCRAMBLED),
        ("preview of a file of 13", "encrypt-v1"),
    ):  # fmt: skip
        for more in (256, 512):
            extras = (describe(PICTURES[name]) or b"") + bytes(more)
            made = whole(name, scheme=scheme, extras=extras)
            cases.append(_accepted(f"{name} with {more} bytes of padding more", made))
    extras = (describe(PICTURES["two bits"]) or b"") + bytes(256)
    made = whole("two bits", context=_CONTEXT, extras=extras)
    return [*cases, _accepted("padding more under a context", made)]


def _selected() -> list[Case]:
    """Return pictures of which nothing, all, or little is selected, and what is so twice."""
    cases = []
    for unit in ("pixel", "sample"):
        for name, runs in (
            ("one", (41, 1)),
            ("all", (0, 42)),
            ("no", (42,)),
            ("two", (0, 1, 40, 1)),
        ):
            made = whole("plain", scheme=_SCRAMBLED, unit=unit, runs=runs)
            cases.append(_accepted(f"{unit}: {name} selected", made))
    twice = ((5, 6, 1, 1), (0, 0, 6, 7), (5, 6, 1, 1))
    cases.append(_accepted("the same region twice", whole("plain", regions=twice)))
    for name, regions in {
        "four times the canvas": ((0, 0, 6, 7),) * 4,
        "four canvases of single pixels": ((5, 6, 1, 1),) * 168,
    }.items():
        cases.append(_accepted(name, whole("plain", regions=regions)))
    # A canvas that its frames go beyond, to the right and below, and one that is larger.
    for name, regions in {
        "smaller canvas": ((0, 0, 5, 8),),
        "larger canvas": ((0, 7, 9, 6),),
        "canvas around a place": ((2, 3, 6, 6),),
    }.items():
        made = whole(name, scheme=_SCRAMBLED, regions=regions)
        cases.append(_accepted(f"scrambled, all of a {name}", made))
    beside = whole("animation", runs=(79, 1))
    cases.append(_accepted("nothing selected in some frames", beside))
    return cases
