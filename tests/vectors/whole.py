"""Small pictures of several frames, with a meaning or regions, and what is protected of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, ContextScheme, Part
from sudokucrypt.images import (
    Animation,
    Frame,
    Metadata,
    Palette,
    Picture,
    Resolution,
    Showing,
    describe,
)
from sudokucrypt.recipes.parts import Protection
from sudokucrypt.recipes.pictures import canvas_of
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.workers import Workers
from tests.vectors.common import KEY, SALT, Case, plain_image

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.formats import Header
    from sudokucrypt.typing import AnyArray, Region

TAGGED = {scheme.name: scheme for scheme in (ENCRYPT, SCRAMBLE)}
_COLORS = bytes(range(48))


def frame(label: str, shape: tuple[int, ...], dtype: str = "uint8", **meaning: Any) -> Frame:
    """Return a frame of the plain image for a label, cut to its bits."""
    pixels = plain_image(label, shape, dtype).astype(dtype)
    if "bits" in meaning:
        pixels &= 2 ** meaning["bits"] - 1
    natural = {1: "gray", 2: "gray-alpha", 3: "rgb", 4: "rgba"}
    meaning = {"mode": natural[[*shape, 1][2]], **meaning}
    return Frame(pixels=pixels, **meaning)


def _pages() -> Picture:
    shapes = (((7, 6), "uint8"), ((3, 8, 3), "uint16"), ((1, 1), "bool"), ((9, 7, 2), "float32"))
    frames = [frame(f"page {n}", *kind) for n, kind in enumerate(shapes)]
    return Picture(frames=tuple(frames), format="TIFF")


def _equal() -> Picture:
    return Picture(frames=(frame("equal", (7, 9)),) * 3, format="TIFF")


def _animation() -> Picture:
    shared, own = Palette(colors=_COLORS), Palette(colors=_COLORS[::-1], alphas=b"\0\x80")
    frames = (
        frame("drawn 0", (8, 10), mode="palette", bits=4, palette=shared,
              showing=Showing(duration=Fraction(1, 10))),
        frame("drawn 1", (5, 6), mode="palette", palette=own, row=6, column=7,
              transparent=(3,), showing=Showing(duration=Fraction(7, 100), disposal=2)),
        frame("drawn 2", (6, 7), mode="palette", palette=shared, column=4,
              showing=Showing(duration=Fraction(0), blend=1)),
    )  # fmt: skip
    about = Animation(rows=8, columns=10, loops=0, background=b"\1\0", palette=own)
    return Picture(frames=frames, format="GIF", animation=about)


def _sealed() -> Picture:
    said = Metadata(
        exif=b"II*\0",
        icc=bytes(3),
        xmp=b"",
        resolution=Resolution(columns=Fraction(72), rows=Fraction(100, 3), unit="inch"),
        texts=(("Title", 'Gr\u00f6\u00dfe "3\\4"\n\t\x7f'), ("", "\U0001f9e9\udfff/")),
        native=(("PNG gAMA", b"\n\0\xff"), ("", b"")),
    )
    return Picture(frames=(frame("sealed", (7, 6, 3), metadata=said),), format="PNG")


def _one(label: str, shape: tuple[int, ...], dtype: str = "uint8", **meaning: Any) -> Picture:
    return Picture(frames=(frame(label, shape, dtype, **meaning),), format="TIFF")


PICTURES: dict[str, Picture] = {
    "pages": _pages(),
    "equal": _equal(),
    "animation": _animation(),
    "sealed": _sealed(),
    "two bits": _one("two bits", (6, 8), bits=2),
    "cmyk": _one("cmyk", (6, 7, 4), "uint16", mode="cmyk"),
    "palette": _one("palette", (6, 7), mode="palette",
                    palette=Palette(colors=_COLORS, wide=True)),
    "no colors": _one("no colors", (6, 7), mode="palette"),
    "transparent": _one("transparent", (6, 7, 3), transparent=(1, 2, 255)),
    "no canvas": replace(_one("no canvas", (3, 4)), animation=Animation(rows=0, columns=9)),
    "plain": _one("plain", (6, 7, 3)),
}  # fmt: skip
"""Pictures by names."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A protected picture, and what restores it.

    Parameters
    ----------
    header : Header
        The header.
    frames : tuple of ndarray
        The protected frames.
    context : str or None
        The context text, for `scramble-context-v1`.
    plain : tuple of ndarray
        The plain frames.
    extras : bytes or None
        The description before it is masked.
    """

    header: Header
    frames: tuple[AnyArray, ...]
    context: str | None
    plain: tuple[AnyArray, ...]
    extras: bytes | None

    def case(self, **changes: Any) -> Case:
        """Return the fields of a case in which these parts are others."""
        fields: Case = {
            "header": self.header.to_bytes().decode(),
            "frames": self.frames,
            "key": KEY.to_text(),
            "context": self.context,
            **changes,
        }
        return fields | {"frames": [shown_frame(pixels) for pixels in fields["frames"]]}


def little(pixels: AnyArray) -> bytes:
    """Return the samples, lowest byte first."""
    return pixels.astype(pixels.dtype.newbyteorder("<")).tobytes()


def shown_frame(pixels: AnyArray) -> Case:
    """Return a frame in the form of a case."""
    samples = little(pixels).hex()
    return {"shape": list(pixels.shape), "dtype": pixels.dtype.name, "samples": samples}


@cache
def whole(
    name: str,
    *,
    scheme: str = "encrypt-v1",
    context: str | None = None,
    unit: str = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    salt: bytes | None = SALT,
    regions: tuple[Region, ...] | None = None,
    runs: tuple[int, ...] | None = None,
    extras: bytes | None = None,
    stated: tuple[str, bytes | tuple[Region, ...]] | None = None,
) -> Whole:
    """Return a picture that this package protects.

    `runs` are those of a mask. Under a right tag, `extras` stand in the header in place of what
    belongs there, none if they are empty, and a selection is stated that was not made.
    """
    picture = PICTURES[name]
    how = Protection(
        scheme=TAGGED[scheme] if context is None else ContextScheme(context),
        unit=unit,  # type: ignore[arg-type]
        block_size=block_size,
        rounds=rounds,
        salt=salt if context is None else None,
    )
    chosen = _selection(picture, regions, runs)
    parts = [
        Part(
            pixels=f.pixels,
            bits=f.bits,
            where=None if chosen is None else chosen.within(f.row, f.column, f.pixels.shape),
        )
        for f in picture.frames
    ]
    meant = describe(picture) if extras is None else extras or None
    draft = replace(how.draft(parts, KEY, selection=chosen), extras=meant)
    if stated is not None:
        draft = replace(draft, **dict([stated]))  # type: ignore[arg-type]
    with Workers(1) as workers:
        frames, header = how.scheme.protect(parts, KEY, draft, workers)
    return Whole(
        header=header,
        frames=tuple(frames),
        context=context,
        plain=tuple(f.pixels for f in picture.frames),
        extras=meant,
    )


def _selection(
    picture: Picture, regions: Sequence[Region] | None, runs: Sequence[int] | None
) -> Selection | None:
    canvas = canvas_of(picture, None)
    if runs is None:
        return Selection.chosen(canvas, regions, None)
    where = np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(canvas)
    return Selection.chosen(canvas, None, where, allow_none=True)
