"""PNG and animated PNG: every mode, depth and chunk; our header is in an iTXt chunk."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.driver import Driver, Writer
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import Frame, Picture
from sudokucrypt.images.png import animation, metadata, modes
from sudokucrypt.images.png.chunks import SIGNATURE, assemble, walk
from sudokucrypt.images.png.contents import Contents
from sudokucrypt.images.png.lines import unpack
from sudokucrypt.images.png.modes import Layout, meaning_chunks, read_meaning
from sudokucrypt.images.png.pack import packed
from sudokucrypt.images.png.text import HEADER_START, PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import Buffer

FORMAT: Final = "PNG"


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a PNG."""
    return data.startswith(SIGNATURE)


def decode(source: Source) -> Picture:
    """Read a PNG; see `read_picture` for what is raised."""
    chunks = walk(source)
    layout = Layout.read(source, *next(chunks))
    contents = Contents(source, layout)
    for kind, body in chunks:
        contents.take(kind, body)
    header = source.header(contents.headers)
    animation, parts = contents.parts()
    palette, transparent = read_meaning(layout, contents.colors, contents.transparency)
    frames = tuple(
        Frame(
            pixels=unpack(source, part.pieces, part.layout),
            mode=layout.mode,
            bits=layout.bits if layout.bits in (2, 4) else None,
            palette=palette,
            transparent=transparent,
            row=part.row,
            column=part.column,
            showing=part.showing,
            metadata=Metadata() if number else contents.notes.metadata(),
        )
        for number, part in enumerate(parts)
    )
    return Picture(
        frames=frames,
        format=FORMAT,
        animation=animation,
        header=header,
        left_out=tuple(contents.left_out),
    )


def obstacle(picture: Picture) -> str | None:
    """Tell what of a picture PNG cannot hold, or return none."""
    of_frames = chain.from_iterable(map(modes.obstacles, picture.frames))
    return next(chain(of_frames, animation.obstacles(picture)), None)


def leftover(frame: Frame, *, header: bool) -> Metadata:
    """Return what of a frame's metadata PNG cannot hold; our header takes no place from them."""
    del header
    return metadata.leftover(frame)


def encode(picture: Picture, compress: int) -> Iterator[Buffer]:
    """Yield the parts of a PNG file; `compress` is 0..9.

    A picture with a header is scrambled: filters, which expect neighbours to be alike, would
    only make it larger.
    """
    return assemble(_chunks(picture, compress))


def _chunks(picture: Picture, compress: int) -> Iterator[tuple[bytes, Buffer]]:
    first, header = picture.frames[0], picture.header
    places = metadata.metadata_chunks(first)
    yield b"IHDR", Layout.of(first).to_bytes()
    if header is not None:
        yield b"iTXt", b"".join([HEADER_START, PLAIN, header])
    yield from animation.plan_chunk(picture)
    yield from places[metadata.FIRST] + places[metadata.PALETTE]
    yield from meaning_chunks(first)
    yield from places[metadata.BEFORE]
    alike = header is None
    yield from animation.frame_chunks(
        (frame, packed(frame.pixels, Layout.of(frame), compress=compress, alike=alike))
        for frame in picture.frames
    )
    yield from places[metadata.BEHIND]
    yield b"IEND", b""


DRIVER: Final = Driver(
    name=FORMAT,
    suffixes=(".png", ".apng"),
    matches=matches,
    decode=decode,
    writer=Writer(encode=encode, obstacle=obstacle, leftover=leftover),
)
