"""JPEG: gray and color, read only; it is lossy, so nothing of ours is ever stored in one."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.source import Source

FORMAT: Final = "JPEG"

_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
# Baseline, extended and progressive frames with Huffman codes; DHT, JPG and DAC are no frames.
_READABLE_FRAMES = {0xC0, 0xC1, 0xC2}
_FRAMES = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Scan data end at a marker that is neither a stuffed zero, nor a restart, nor a fill byte.
_AFTER_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_LEFT_OUT = (
    (0xE1, b"Exif\0", "EXIF"),
    (0xE1, b"http://ns.adobe.com/", "XMP"),
    (0xE2, b"ICC_PROFILE\0", "ICC profile"),
    (0xE2, b"MPF\0", "other pictures"),
    (0xFE, b"", "text"),
    (_END, b"", "data after the picture"),
)
_HARMLESS = ((0xE0, b"JFIF\0"), (0xEE, b"Adobe"))


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a JPEG."""
    return data.startswith(b"\xff\xd8\xff")


def decode(source: Source) -> Picture:
    """Read a JPEG, the primary picture if there are several; orientation is not applied.

    Notes
    -----
    Decoders paint gray what is missing and only warn. Walking the segments finds every file that
    was cut. It does not find one that was cut and given a new end: nothing in a JPEG says how many
    bytes its samples take.
    """
    from imagecodecs import jpeg8_decode

    shape: tuple[int, ...] | None = None
    scans = 0
    left_out: dict[str, None] = {}
    for marker, body in _walk(source):
        if marker in _FRAMES:
            if shape is not None:
                raise source.damaged("it has two frames")
            shape = _read_frame(source, marker, body)
        elif marker == _SCAN:
            scans += 1
        elif name := _name(marker, body):
            left_out[name] = None
    if shape is None or not scans:
        raise source.damaged("it holds no picture")
    pixels = source.run(jpeg8_decode, shape=shape, dtype="uint8")
    return Picture.plain(pixels, format=FORMAT, left_out=tuple(left_out))


def _walk(source: Source) -> Iterator[tuple[int, memoryview]]:
    """Yield marker and body of every segment; the body of the end marker is what follows it."""
    data = source.data
    view = memoryview(data)
    position = 2
    while True:
        fill_end = position
        while data[fill_end : fill_end + 1] == b"\xff":
            fill_end += 1
        if fill_end >= len(data):
            raise source.cut_short()
        marker = data[fill_end]
        if fill_end == position or marker <= 0x01 or 0xD0 <= marker <= _START:
            raise source.damaged(f"there is no segment at byte {position}")
        position = fill_end + 1
        if marker == _END:
            yield marker, view[position:]
            return
        length = int.from_bytes(view[position : position + 2], "big")
        if position + max(length, 2) > len(data):
            raise source.cut_short()
        if length < 2:
            raise source.damaged(f"the segment at byte {position} has no length")
        yield marker, view[position + 2 : position + length]
        position += length
        if marker == _SCAN:
            after = _AFTER_SCAN.search(data, position)
            if after is None:
                raise source.cut_short()
            position = after.start()


def _read_frame(source: Source, marker: int, body: memoryview) -> tuple[int, ...]:
    """Return the shape that a frame segment promises."""
    if marker not in _READABLE_FRAMES:
        raise source.unsupported("a lossless, hierarchical or arithmetically coded JPEG")
    if len(body) < 6:
        raise source.damaged("its frame segment is too short")
    bits, rows, columns, components = struct.unpack_from(">BHHB", body)
    if bits != 8:
        raise source.unsupported(f"a JPEG with {bits}-bit samples")
    if components == 4:
        raise source.unsupported("a JPEG in CMYK colors")
    if components not in (1, 3):
        raise source.unsupported(f"a JPEG with {components} channels")
    return source.shape(rows, columns, components)


def _name(marker: int, body: memoryview) -> str | None:
    """Return what to call a segment that is not kept, if it matters."""
    for known, start, name in _LEFT_OUT:
        if marker == known and body[: len(start)] == start:
            return name if body else None
    is_application = 0xE0 <= marker <= 0xEF
    known_harmless = any(marker == m and body[: len(start)] == start for m, start in _HARMLESS)
    return "other data" if is_application and not known_harmless else None
