"""PNG: stills of every mode and depth; our header is in an iTXt chunk."""

import struct
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

import numpy as np

from sudokucrypt.errors import made_earlier
from sudokucrypt.images.picture import NATURAL_MODES, Picture, channels
from sudokucrypt.images.png import metadata, modes
from sudokucrypt.images.png.chunks import (
    HEADER_KEYWORD,
    UNSOUND,
    assemble,
    heads,
    require_sound,
    walk_chunks,
)
from sudokucrypt.images.png.metadata import PLAIN
from sudokucrypt.images.png.modes import PALETTE, SampleFormat
from sudokucrypt.images.png.packing import packed
from sudokucrypt.images.png.scanlines import unpack
from sudokucrypt.images.source import STORED_HEADER_LIMIT, Source
from sudokucrypt.typing import AnyArray, Buffer

_FRAMES = (b"fcTL", b"fdAT")
_SINGLE = {b"acTL": "animation", b"PLTE": "palette", b"tRNS": "transparency"}

_ASIDE = {b"": "data after the picture", UNSOUND: "damaged data"}

unsupported_reasons = modes.unsupported_reasons


def decode(source: Source) -> Picture:
    """Read a PNG; see `read_picture` for what is raised."""
    return _read(source).picture()


def decode_counted(source: Source) -> tuple[Picture, bool]:
    """Return a PNG with its samples as redactions of version 1.1 counted them.

    They took all palettes for RGBA, grays of 2 and 4 bits for numbers up to 3 and 15, and no notice
    of a transparent color. Also returned is whether the last two make a difference to `decode`.
    """
    return _read(source).counted()


def _read(source: Source) -> "Contents":
    chunks = walk_chunks(source)
    contents = Contents(source, SampleFormat.read(source, *next(chunks)))
    for kind, body in chunks:
        contents.take(kind, body)
    return contents


def header_of(source: Source) -> bytes | None:
    """Return the header in a file; no sample is decoded."""
    return header_in(source, BytesIO(source.data), len(source.data))


def header_in(source: Source, file: BinaryIO, size: int) -> bytes | None:
    """Return the header in an open file of this size, of which little more is read."""
    headers: list[bytes] = []
    for kind, length in heads(source, file, size):
        start = file.read(min(length, len(HEADER_KEYWORD))) if kind == b"iTXt" else b""
        if start == HEADER_KEYWORD:
            # One that is too long, or not the first, is refused whatever it says.
            most = len(HEADER_KEYWORD + PLAIN) + (0 if headers else STORED_HEADER_LIMIT + 1)
            body = start + file.read(min(length, most) - len(start))
            if length == len(body):
                require_sound(source, kind, body, file.read(4))
            headers.append(_header_of_chunk(source, body))
    return source.header(headers)


def _header_of_chunk(source: Source, body: bytes) -> bytes:
    """Return what a chunk holds that begins like the one with our header."""
    if not body.startswith(HEADER_KEYWORD + PLAIN):
        # Only the form that we write will do.
        raise source.bad_header("it is compressed or in a language")
    return body[len(HEADER_KEYWORD + PLAIN) :]


def lost_metadata(picture: Picture) -> tuple[str, ...]:
    """Return the names of the metadata that PNG cannot hold."""
    return metadata.metadata_chunks(picture.metadata)[2]


def encode(picture: Picture, compress: int, threads: int | None = None) -> Iterator[Buffer]:
    """Yield the parts of a PNG file; `compress` is 0..9."""
    return assemble(_chunks(picture, compress, threads))


def _chunks(picture: Picture, compress: int, threads: int | None) -> Iterator[tuple[bytes, Buffer]]:
    header, layout = picture.header, SampleFormat.of(picture)
    first, before, _ = metadata.metadata_chunks(picture.metadata)
    yield b"IHDR", layout.to_bytes()
    if header is not None:
        yield b"iTXt", b"".join([HEADER_KEYWORD, PLAIN, header])
    yield from first
    yield from before
    # With a header it is scrambled: filters, which expect neighbours to be alike, make it larger.
    alike = header is None
    for part in packed(picture.pixels, layout, compress=compress, alike=alike, threads=threads):
        yield b"IDAT", part
    yield b"IEND", b""


class Contents:
    """What is in a PNG, sorted by what it is about, nothing of it decoded yet.

    A chunk in the wrong place or of the wrong length is overlooked as libpng does it, as long as
    the samples can be had without it; `dropped` names it.
    """

    def __init__(self, source: Source, layout: SampleFormat) -> None:
        self._source = source
        self._layout = layout
        self._previous = b"IHDR"
        self._behind = False
        self._samples: list[memoryview] = []
        # Kinds of the chunks of an animation, and whether its first frame is the picture itself.
        self._frames: list[bytes] = []
        self._shown = False
        self._single: dict[bytes, memoryview] = {}
        self._headers: list[bytes] = []
        self._notes = metadata.Notes()
        self._left_out: dict[str, None] = {}

    def take(self, kind: bytes, body: memoryview) -> None:
        """Take the next chunk behind IHDR."""
        dropped = None
        if kind == b"IDAT":
            if self._behind and self._previous != b"IDAT":
                raise self._source.damaged("its samples are not in one row of IDAT chunks")
            self._behind = True
            self._samples.append(body)
        elif kind in _FRAMES:
            self._shown |= not self._behind
            self._frames.append(kind)
        elif kind in (b"acTL", b"tRNS") or (kind == b"PLTE" and self._layout.color_type == PALETTE):
            dropped = self._take_single(kind, body)
        elif kind == b"iTXt" and bytes(body[: len(HEADER_KEYWORD)]) == HEADER_KEYWORD:
            self._headers.append(_header_of_chunk(self._source, bytes(body)))
        elif kind in _ASIDE:
            dropped = _ASIDE[kind] if body else None
        elif kind[:1].islower() or kind == b"PLTE":
            dropped = self._notes.take(kind, bytes(body), behind=self._behind)
        elif kind != b"IEND":
            raise self._source.damaged(f"it has an unexpected {kind.decode()} chunk")
        if dropped is not None:
            self._left_out[dropped] = None
        self._previous = kind

    def picture(self, blank: AnyArray | None = None) -> Picture:
        """Return the picture, with samples that are given where they are to stay in the file."""
        header = self._source.header(self._headers)
        self._require_still(header)
        if blank is not None:
            return self._of(blank, header)
        colors, transparency = map(self._single.get, (b"PLTE", b"tRNS"))
        # A palette gets opacity beside its colors, and a transparent color one channel more.
        numbered = self._layout.color_type == PALETTE
        seen = 4 if numbered else self._layout.channels + (transparency is not None)
        stored = unpack(self._source, self._samples, self._layout, seen)
        return self._of(modes.expand(stored, self._layout, colors, transparency), header)

    def counted(self) -> tuple[Picture, bool]:
        """Return what `decode_counted` does."""
        self._require_still(None)
        layout, colors, alphas = self._layout, *map(self._single.get, (b"PLTE", b"tRNS"))
        numbered = layout.color_type == PALETTE
        pixels = unpack(self._source, self._samples, layout, 4 if numbered else layout.channels)
        if numbered:
            pixels = modes.color_table(colors or b"", alphas or b"")[pixels.astype(np.uint8)]
        return self._of(pixels), not numbered and (layout.bits in (2, 4) or alphas is not None)

    def _of(self, pixels: AnyArray, header: bytes | None = None) -> Picture:
        return Picture(
            pixels=pixels,
            mode=NATURAL_MODES[channels(pixels)],
            format="PNG",
            metadata=self._notes.metadata(),
            header=header,
            dropped=tuple(self._left_out),
        )

    def _require_still(self, header: bytes | None) -> None:
        """Raise an error for an animation, and for a file that lacks its palette."""
        if self._layout.color_type == PALETTE and b"PLTE" not in self._single:
            raise self._source.damaged("its palette is missing")
        plan = self._single.get(b"acTL")
        if plan is None:
            self._left_out |= {"animation": None} if self._frames else {}
            return
        if len(plan) != 8:
            raise self._source.damaged("its acTL chunk has a wrong length")
        (promised,) = struct.unpack_from(">I", plan)
        if promised != 1 or self._frames != [b"fcTL"] or not self._shown:
            raise made_earlier("an animation") if header else self._source.several("an animation")

    def _take_single(self, kind: bytes, body: memoryview) -> str | None:
        """Keep what comes once before the samples, or return what to call it."""
        held, twice = self._single, kind in self._single
        fits = modes.fits_transparency(self._layout, held.get(b"PLTE"), body)
        if self._behind or (kind == b"tRNS" and (twice or not fits)):
            return _SINGLE[kind]
        if kind == b"PLTE" and (twice or not modes.is_palette(body)):
            raise self._source.damaged("its palette occurs twice, or has a wrong length")
        if twice:
            raise self._source.damaged("it has two acTL chunks")
        held[kind] = body
        return None
