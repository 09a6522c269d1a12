"""JPEG: gray, RGB and CMYK, read only; it is lossy, so nothing of ours is ever stored in one."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

import numpy as np

from sudokucrypt.images.driver import Driver
from sudokucrypt.images.jpeg.metadata import Reader
from sudokucrypt.images.picture import Frame, Mode, Picture
from sudokucrypt.images.source import Source

FORMAT: Final = "JPEG"

_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
MOST_SCANS: Final = 32
"""How often a JPEG may go over its pixels; encoders take about ten scans."""

# Small pictures may have more.
_MOST_SCANNED = 2**31
# Baseline, extended and progressive frames with Huffman codes; DHT, JPG and DAC are no frames.
_READABLE_FRAMES = {0xC0, 0xC1, 0xC2}
_FRAMES = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Scan data end at a marker that is neither a stuffed zero, nor a restart, nor a fill byte.
_AFTER_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_MODES: dict[int, Mode] = {1: "gray", 3: "rgb", 4: "cmyk"}


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like a JPEG."""
    return data.startswith(b"\xff\xd8\xff")


def decode(source: Source) -> Picture:
    """Read a JPEG, the primary picture if there are several; orientation is not applied.

    Notes
    -----
    Every scan goes over all pixels, even one of a few bytes: their number is bounded.

    Decoders paint gray what is missing and only warn. Walking the segments finds every file that
    was cut. It does not find one that was cut and given a new end: nothing in a JPEG says how many
    bytes its samples take.

    Four channels are inverted, as Adobe's programs store them and Pillow reads them, whether the
    file names Adobe or not. What XMP has beyond one segment is left out.
    """
    from imagecodecs import jpeg8_decode

    reader = Reader()
    shape: tuple[int, ...] | None = None
    scans = 0
    for marker, body in _walk(source):
        if marker in _FRAMES:
            if shape is not None:
                raise source.damaged("it has two frames")
            shape = _read_frame(source, marker, body)
        elif marker == _SCAN:
            scans += 1
        elif marker != _END:
            reader.take(marker, bytes(body))
        elif body:
            reader.left_out["data after the picture"] = None
    if shape is None or not scans:
        raise source.damaged("it holds no picture")
    if scans > max(MOST_SCANS, _MOST_SCANNED // (shape[0] * shape[1])):
        raise source.unsupported(f"a JPEG of {scans} scans")
    pixels = source.run(jpeg8_decode, shape=shape, dtype="uint8")
    mode = _MODES[1 if pixels.ndim == 2 else pixels.shape[2]]
    if mode == "cmyk":
        np.invert(pixels, out=pixels)
    frame = Frame(pixels=pixels, mode=mode, metadata=reader.finish())
    return Picture(frames=(frame,), format=FORMAT, left_out=tuple(reader.left_out))


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
    if components not in (1, 3, 4):
        raise source.unsupported(f"a JPEG with {components} channels")
    return source.shape(rows, columns, components)


DRIVER: Final = Driver(
    name=FORMAT,
    suffixes=(".jpg", ".jpeg", ".jpe", ".jfif"),
    matches=matches,
    decode=decode,
    lossy=True,
)
