"""The chunks of a PNG, sorted by what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.images.png.animation import Part, read_animation
from sudokucrypt.images.png.metadata import Notes
from sudokucrypt.images.png.modes import fits_transparency, is_palette
from sudokucrypt.images.png.text import HEADER_START, PLAIN

if TYPE_CHECKING:
    from sudokucrypt.images.picture import Animation
    from sudokucrypt.images.png.modes import Layout
    from sudokucrypt.images.source import Source

_SAMPLES = (b"IDAT", b"fcTL", b"fdAT")


class Contents:
    """What is in a PNG, nothing of it decoded yet.

    A chunk in the wrong place or of the wrong length is overlooked as libpng does it, as long as
    the samples can be had without it; `left_out` names it.

    Parameters
    ----------
    source : Source
        What to complain about.
    layout : Layout
        What the IHDR chunk says.
    """

    def __init__(self, source: Source, layout: Layout) -> None:
        self._source = source
        self._layout = layout
        self._previous = b"IHDR"
        self._behind = False
        self._plan: memoryview | None = None
        self._samples: list[tuple[bytes, memoryview]] = []
        self.colors: memoryview | None = None
        self.transparency: memoryview | None = None
        self.headers: list[bytes] = []
        self.notes = Notes(layout.mode)
        self.left_out: dict[str, None] = {}

    def take(self, kind: bytes, body: memoryview) -> None:
        """Put a chunk where it belongs."""
        if kind in _SAMPLES:
            self._take_samples(kind, body)
        elif kind == b"acTL":
            self._take_plan(body)
        elif kind == b"PLTE" and self._layout.mode == "palette":
            self._take_colors(body)
        elif kind == b"tRNS":
            self._take_transparency(body)
        elif kind == b"iTXt" and bytes(body[: len(HEADER_START)]) == HEADER_START:
            self.headers.append(self._read_header(body))
        elif kind == b"":
            self._leave_out("data after the picture" if body else None)
        elif kind[:1].islower() or kind == b"PLTE":
            self._leave_out(self.notes.take(kind, bytes(body), behind=self._behind))
        elif kind != b"IEND":
            raise self._source.damaged(f"it has an unexpected {kind.decode()} chunk")
        self._previous = kind

    def parts(self) -> tuple[Animation | None, list[Part]]:
        """Return the frames and what they share."""
        if self._layout.mode == "palette" and self.colors is None:
            raise self._source.damaged("its palette is missing")
        if self._plan is not None:
            return read_animation(self._source, self._layout, self._plan, self._samples)
        pieces = [body for kind, body in self._samples if kind == b"IDAT"]
        if len(pieces) < len(self._samples):
            self._leave_out("animation")
        return None, [Part(self._layout, pieces=pieces)]

    def _take_samples(self, kind: bytes, body: memoryview) -> None:
        if kind == b"IDAT":
            if self._behind and self._previous != b"IDAT":
                raise self._source.damaged("its samples are not in one row of IDAT chunks")
            self._behind = True
        self._samples.append((kind, body))

    def _take_plan(self, body: memoryview) -> None:
        if self._behind:
            self._leave_out("animation")
        elif self._plan is not None:
            raise self._source.damaged("it has two acTL chunks")
        else:
            self._plan = body

    def _take_colors(self, body: memoryview) -> None:
        if self._behind:
            self._leave_out("palette")
        elif self.colors is not None or not is_palette(body):
            raise self._source.damaged("its palette is there twice, or of a wrong length")
        else:
            self.colors = body

    def _take_transparency(self, body: memoryview) -> None:
        fits = fits_transparency(self._layout, self.colors, body)
        if self._behind or self.transparency is not None or not fits:
            self._leave_out("transparency")
        else:
            self.transparency = body

    def _read_header(self, body: memoryview) -> bytes:
        """Return the text of our iTXt chunk; only the form that we write will do."""
        rest = bytes(body[len(HEADER_START) :])
        if not rest.startswith(PLAIN):
            raise self._source.bad_header("it is compressed or in a language")
        return rest[len(PLAIN) :]

    def _leave_out(self, name: str | None) -> None:
        if name is not None:
            self.left_out[name] = None
