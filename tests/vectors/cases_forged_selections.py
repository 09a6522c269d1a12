"""Pictures whose selection does not fit the canvas, and that are refused for this alone.

What a reader without the check would select is protected, and nothing else: pixels in runs or
rectangles that go beyond the canvas, which end with a row or go on in the next one.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tests.kit.reference.frames import Frame
from tests.kit.reference.header import Header
from tests.kit.reference.selection import Canvas, pixels_of_frame, read_mask, write_mask
from tests.vectors.cases_forged import TAGGED
from tests.vectors.cases_forged_pictures import CANVAS, GRAY, extras_of, frames_of, header_of, made
from tests.vectors.line_cases import line

Case = dict[str, Any]
STILL = Canvas(rows=6, columns=7)
MOVING = Canvas(rows=8, columns=5)


def _selected(header: Header, canvas: Canvas, *, wrapped: bool) -> set[int]:
    """Return the pixels of the canvas that are selected, without a look at its size."""
    places: set[int] = set()
    for row, column, rows, columns in header.regions or ():
        last = column + columns if wrapped else min(column + columns, canvas.columns)
        for r in range(row, min(row + rows, canvas.rows)):
            places.update(r * canvas.columns + c for c in range(column, min(last, 99)))
    first = 0
    for turn, length in enumerate(read_mask(header.mask) if header.mask else ()):
        if turn % 2:
            places.update(range(first, first + length))
        first += length
    return places


def _case(
    name: str, frames: Sequence[Frame], header: Header, canvas: Canvas, *, wrapped: bool
) -> Case:
    selected = _selected(header, canvas, wrapped=wrapped)
    pixels = [pixels_of_frame(f.shape, (0, 0), canvas=canvas, selected=selected) for f in frames]
    return made(name, frames, header, pixels=pixels)


def _both(name: str, frames: Sequence[Frame], header: Header, canvas: Canvas) -> Iterator[Case]:
    """Return a case, and its twin where going on in the next row selects other pixels."""
    yield _case(name, frames, header, canvas, wrapped=False)
    if _selected(header, canvas, wrapped=False) != _selected(header, canvas, wrapped=True):
        yield _case(f"{name}, going on in the next row", frames, header, canvas, wrapped=True)


def _selections() -> Iterator[Case]:
    still, moving = frames_of(1), frames_of(2, (8, 5))
    animated = extras_of(line(GRAY.replace("6,7", "8,5"), more=CANVAS))
    nowhere = extras_of(line(GRAY, more='"animation":{"rows":0,"columns":9},', frames=1))
    whole, small = (0, 0, 6, 7), (0, 0, 8, 5)
    for scheme in TAGGED:
        for name, regions in {
            "four canvases and a pixel": ((whole,) * 4 + ((5, 6, 1, 1),)),
            "169 pixels of 42": ((0, 0, 1, 1),) * 169,
            "five canvases": (whole,) * 5,
            "a row below": ((5, 0, 2, 1),),
            "a column beyond": ((0, 6, 1, 2),),
            "below": ((6, 0, 1, 1),),
            "beyond": ((0, 7, 1, 1),),
            "a right one and one beyond": ((0, 0, 1, 1), (0, 7, 1, 1)),
            "one beyond and a right one": ((0, 7, 1, 1), (0, 0, 1, 1)),
            "all beyond": ((0, 0, 2147483647, 2147483647),),
        }.items():
            header = header_of(still, scheme, None, regions=regions)
            yield from _both(f"regions: {name}", still, header, STILL)
        for runs in ([41], [0, 41], [0, 43], [41, 2], [1], [0, 1, 40], [43], [0, 42, 1]):
            header = header_of(still, scheme, None, mask=write_mask(runs))
            yield from _both(f"a mask of the runs {runs}", still, header, STILL)
        animations: dict[str, dict[str, Any]] = {
            "regions beyond the canvas": {"regions": ((7, 4, 2, 1),)},
            "regions right of the canvas": {"regions": ((0, 4, 1, 2),)},
            "four canvases and a pixel": {"regions": (small,) * 4 + ((0, 0, 1, 1),)},
            "a mask of 39 pixels": {"mask": write_mask([0, 39])},
            "a mask of 41 pixels": {"mask": write_mask([0, 41])},
        }
        for name, fields in animations.items():
            header = header_of(moving, scheme, animated, **fields)
            yield from _both(f"animated: {name}", moving, header, MOVING)
        for name, value in (("regions", ((0, 0, 1, 1),)), ("mask", b"\0")):
            header = header_of(still, scheme, nowhere, **{name: value})
            yield made(f"{name} on a canvas without pixels", still, header, pixels=[[]])


def rejected_pictures() -> list[Case]:
    """Pictures that are refused for their selection alone."""
    return [{**case, "layer": "selection"} for case in _selections()]
