"""PNG and animated PNG: every mode, depth and chunk; our header is in an iTXt chunk."""

from collections.abc import Iterator
from functools import partial
from io import BytesIO
from itertools import chain
from typing import BinaryIO

from sudokucrypt.images.picture import Animation, Frame, Metadata, Picture
from sudokucrypt.images.png import animation, metadata, modes
from sudokucrypt.images.png.chunks import (
    HEADER_KEYWORD,
    UNSOUND,
    assemble,
    heads,
    require_sound,
    walk_chunks,
)
from sudokucrypt.images.png.metadata import PLAIN
from sudokucrypt.images.png.modes import SampleFormat
from sudokucrypt.images.png.packing import packed
from sudokucrypt.images.png.scanlines import unpack
from sudokucrypt.images.source import STORED_HEADER_LIMIT, Source
from sudokucrypt.typing import Buffer

_SAMPLES = (b"IDAT", b"fcTL", b"fdAT")
_SINGLE = {b"acTL": "animation", b"PLTE": "palette", b"tRNS": "transparency"}

_ASIDE = {b"": "data after the picture", UNSOUND: "damaged data"}


def decode(source: Source) -> Picture:
    """Read a PNG; see `read_picture` for what is raised."""
    chunks = walk_chunks(source)
    contents = _Contents(source, SampleFormat.read(source, *next(chunks)))
    for kind, body in chunks:
        contents.take(kind, body)
    return contents.picture()


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


def unsupported_reasons(picture: Picture) -> Iterator[str]:
    """Yield what of a picture PNG cannot hold; what follows the first need not make sense."""
    of_frames = chain.from_iterable(map(modes.unsupported_reasons, picture.frames))
    return chain(of_frames, animation.unsupported_reasons(picture))


def unsupported_metadata(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata PNG cannot hold; our header takes no place from them."""
    del header
    return metadata.placed(frame)[1]


def encode(picture: Picture, compress: int, threads: int | None = None) -> Iterator[Buffer]:
    """Yield the parts of a PNG file; `compress` is 0..9."""
    return assemble(_chunks(picture, compress, threads))


def _chunks(picture: Picture, compress: int, threads: int | None) -> Iterator[tuple[bytes, Buffer]]:
    first, header = picture.frames[0], picture.header
    chunks_at, _ = metadata.placed(first)
    yield b"IHDR", SampleFormat.of(first).to_bytes()
    if header is not None:
        yield b"iTXt", b"".join([HEADER_KEYWORD, PLAIN, header])
    yield from animation.plan_chunk(picture)
    yield from chunks_at[metadata.FIRST] + chunks_at[metadata.PALETTE]
    yield from modes.meaning_chunks(first)
    yield from chunks_at[metadata.BEFORE]
    # With a header it is scrambled: filters, which expect neighbours to be alike, make it larger.
    pack = partial(packed, compress=compress, alike=header is None, threads=threads)
    yield from animation.frame_chunks(
        (frame, pack(frame.pixels, SampleFormat.of(frame))) for frame in picture.frames
    )
    yield from chunks_at[metadata.BEHIND]
    yield b"IEND", b""


class _Contents:
    """What is in a PNG, sorted by what it is about, nothing of it decoded yet.

    A chunk in the wrong place or of the wrong length is overlooked as libpng does it, as long as
    the samples can be had without it; `dropped` names it.
    """

    def __init__(self, source: Source, layout: SampleFormat) -> None:
        self._source = source
        self._layout = layout
        self._previous = b"IHDR"
        self._behind = False
        self._samples: list[tuple[bytes, memoryview]] = []
        self._single: dict[bytes, memoryview] = {}
        self._headers: list[bytes] = []
        self._notes = metadata.Notes(layout.mode)
        self._left_out: dict[str, None] = {}

    def take(self, kind: bytes, body: memoryview) -> None:
        dropped = None
        if kind in _SAMPLES:
            if kind == b"IDAT" and self._behind and self._previous != b"IDAT":
                raise self._source.damaged("its samples are not in one row of IDAT chunks")
            self._behind |= kind == b"IDAT"
            self._samples.append((kind, body))
        elif kind in (b"acTL", b"tRNS") or (kind == b"PLTE" and self._layout.mode == "palette"):
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

    def picture(self) -> Picture:
        source, layout = self._source, self._layout
        header = source.header(self._headers)
        animation, parts = self._parts()
        meaning = modes.read_meaning(layout, *map(self._single.get, (b"PLTE", b"tRNS")))
        frames = tuple(
            Frame(
                pixels=unpack(source, part.pieces, part.layout),
                mode=layout.mode,
                bits=layout.bits if layout.bits in (2, 4) else None,
                palette=meaning[0],
                transparent=meaning[1],
                row=part.row,
                column=part.column,
                showing=part.showing,
                metadata=Metadata() if index else self._notes.metadata(),
            )
            for index, part in enumerate(parts)
        )
        return Picture(
            frames=frames,
            format="PNG",
            animation=animation,
            header=header,
            dropped=tuple(self._left_out),
        )

    def _parts(self) -> tuple[Animation | None, list[animation.FramePart]]:
        if self._layout.mode == "palette" and b"PLTE" not in self._single:
            raise self._source.damaged("its palette is missing")
        plan = self._single.get(b"acTL")
        if plan is not None:
            return animation.read_animation(self._source, self._layout, plan, self._samples)
        pieces = [body for kind, body in self._samples if kind == b"IDAT"]
        if len(pieces) < len(self._samples):
            self._left_out["animation"] = None
        return None, [animation.FramePart(self._layout, pieces=pieces)]

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
