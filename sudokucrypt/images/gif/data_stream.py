"""GIF as a row of blocks: a screen, extensions, and images of their own size.

::

    "GIF89a" | columns rows flags background aspect | palette
    | 0x21 label sub-blocks | ... | 0x2C column row columns rows flags | palette | bits sub-blocks
    | ... | 0x3B

Sub-blocks are up to 255 bytes behind their length; one of length zero ends them.

References
----------
.. [1] CompuServe, "Graphics Interchange Format, Version 89a", 1990,
   https://www.w3.org/Graphics/GIF/spec-gif89a.txt
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sudokucrypt.images.picture import Palette
from sudokucrypt.images.source import Source

# Labels of extensions: how the next image is shown, text for the reader, what begins with the name
# of a program, and text that is drawn as letters.
CONTROL, COMMENT, APPLICATION, PLAIN_TEXT = 0xF9, 0xFE, 0xFF, 0x01
TRAILER: Final = bytes([0x3B])  # the last byte of a file
# Logical screen and image descriptor, of GIF89a.
_SCREEN = struct.Struct("<HHBBB")
_IMAGE = struct.Struct("<HHHHB")
_INTRODUCER, _SEPARATOR = 0x21, 0x2C
_HAS_PALETTE, _INTERLACED, _SIZE = 0x80, 0x40, 0x07
# A few bytes make a block: a small file could list millions, each of which is an object.
_MAX_BLOCKS = 2**19


@dataclass(frozen=True)
class Screen:
    """What comes before all blocks: canvas, its background and the palette of most images."""

    rows: int
    columns: int
    background: int = 0
    aspect: int = 0
    palette: Palette | None = None

    def to_bytes(self) -> bytes:
        """Return the beginning of a file; a palette has 2, 4, ... or 256 colors."""
        flags = 0x70 | _palette_flags(self.palette)
        screen = _SCREEN.pack(self.columns, self.rows, flags, self.background, self.aspect)
        return b"GIF89a" + screen + _colors(self.palette)


@dataclass(frozen=True)
class Image:
    """One image: its rectangle on the canvas, its palette, and its coded samples."""

    row: int
    column: int
    rows: int
    columns: int
    coded: bytes | memoryview
    interlaced: bool = False
    palette: Palette | None = None

    def to_bytes(self) -> bytes:
        """Return the block without the coded samples, which follow it."""
        flags = _palette_flags(self.palette) | (_INTERLACED if self.interlaced else 0)
        sides = (self.column, self.row, self.columns, self.rows)
        return bytes([_SEPARATOR]) + _IMAGE.pack(*sides, flags) + _colors(self.palette)


@dataclass(frozen=True, kw_only=True)
class Extension:
    """A label, and sub-blocks with their end."""

    label: int
    raw: bytes | memoryview

    @classmethod
    def of(cls, label: int, *parts: bytes) -> "Extension":
        """Return the extension whose sub-blocks hold these parts, each beginning a new one."""
        return cls(label=label, raw=b"".join(map(split, parts)) + b"\0")

    def content(self, start: int = 0) -> bytes:
        """Return what the sub-blocks from a position on hold together."""
        content_bytes = bytearray()
        while size := self.raw[start]:
            content_bytes += self.raw[start + 1 : start + 1 + size]
            start += 1 + size
        return bytes(content_bytes)

    def to_bytes(self) -> bytes:
        """Return the block."""
        return bytes([_INTRODUCER, self.label]) + self.raw


def read_screen(source: Source) -> tuple[Screen, int]:
    """Return what comes before all blocks, and where they begin."""
    start = 6 + _SCREEN.size
    if len(source.data) < start:
        raise source.cut_short()
    columns, rows, flags, background, aspect = _SCREEN.unpack_from(source.data, 6)
    palette, end = _read_palette(source, flags, start)
    return Screen(rows, columns, background, aspect, palette), end


def walk_blocks(source: Source, position: int) -> Iterator[Image | Extension | memoryview]:
    """Yield every block from a position on, and at last what follows the file."""
    data = memoryview(source.data)
    for _ in range(_MAX_BLOCKS):
        # Some programs write one end of sub-blocks too many.
        while position < len(data) and data[position] == 0:
            position += 1
        if position + 1 >= len(data) and data[position:] != TRAILER:
            raise source.cut_short()
        kind = data[position]
        if kind == TRAILER[0]:
            yield data[position + 1 :]
            return
        if kind == _INTRODUCER:
            end = _end(source, position + 2)
            yield Extension(label=data[position + 1], raw=data[position + 2 : end])
        elif kind == _SEPARATOR:
            image, end = _read_image(source, position + 1)
            yield image
        else:
            raise source.damaged(f"there is no block at byte {position}")
        position = end
    raise source.unsupported(f"a GIF with more than {_MAX_BLOCKS} blocks")


def is_whole(raw: bytes) -> bool:
    """Return whether these bytes are sub-blocks with their end, and nothing else."""
    position = 0
    while position < len(raw) and raw[position]:
        position += 1 + raw[position]
    return position == len(raw) - 1


def split(data: bytes) -> bytes:
    """Return the sub-blocks that hold these bytes, without their end."""
    parts = (data[start : start + 255] for start in range(0, len(data), 255))
    return b"".join(bytes([len(part)]) + part for part in parts)


def _read_image(source: Source, position: int) -> tuple[Image, int]:
    start = position + _IMAGE.size
    if len(source.data) <= start:
        raise source.cut_short()
    column, row, columns, rows, flags = _IMAGE.unpack_from(source.data, position)
    palette, start = _read_palette(source, flags, start)
    end = _end(source, start + 1)
    coded = memoryview(source.data)[start:end]
    return Image(row, column, rows, columns, coded, bool(flags & _INTERLACED), palette), end


def _read_palette(source: Source, flags: int, start: int) -> tuple[Palette | None, int]:
    """Return the palette that the flags announce, and where it ends."""
    if not flags & _HAS_PALETTE:
        return None, start
    end = start + (6 << (flags & _SIZE))
    if end > len(source.data):
        raise source.cut_short()
    return Palette(colors=source.data[start:end]), end


def _end(source: Source, position: int) -> int:
    data, size = source.data, 1
    while size:
        if position >= len(data):
            raise source.cut_short()
        size = data[position]
        position += 1 + size
    return position


def _palette_flags(palette: Palette | None) -> int:
    if palette is None:
        return 0
    return _HAS_PALETTE | ((len(palette.colors) // 3).bit_length() - 2)


def _colors(palette: Palette | None) -> bytes:
    return b"" if palette is None else palette.colors
