"""JPEG: gray, RGB and CMYK as samples, and the header of a JPEG that was scrambled as such.

References
----------
.. [1] Exif 2.32 (CIPA DC-008), 4.5: application segment 1.
.. [2] ICC.1:2022, B.4: a profile in several application segments 2.
.. [3] Adobe, "XMP Specification Part 3", 1.1.3.
.. [4] "JPEG File Interchange Format", version 1.02: application segment 0.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from sudokucrypt.images.jpeg.header import header_piece, joined_header
from sudokucrypt.images.jpeg.segments import (
    END,
    EXIF,
    FRAMES,
    JFIF,
    PROFILE,
    READABLE_FRAMES,
    SCAN,
    XMP,
    Segment,
    after_fill,
    check_scans,
    require_readable,
    walk_segments,
)
from sudokucrypt.images.picture import (
    Glance,
    Metadata,
    Mode,
    Picture,
    Resolution,
    channels,
)
from sudokucrypt.images.source import Source

if TYPE_CHECKING:
    from sudokucrypt.images.jpeg.coefficients import JpegFile
    from sudokucrypt.typing import AnyArray

_JPEG_LS: Final = 0xF7  # its frame; no other program takes it for a JPEG
# Before the frame; a photograph has about ten.
_MOST_SEGMENTS: Final = 256
_MODES: dict[int, Mode] = {1: "gray", 3: "rgb", 4: "cmyk"}

# Pillow's mode, and how it takes the samples of that.
_DECODED: Final = {1: ("L", "L"), 3: ("RGB", "RGB"), 4: ("CMYK", "CMYK;I")}

_JFIF_LENGTH = 14  # without the samples of a thumbnail
_COMMENT: Final = 0xFE
_APPLICATIONS = range(0xE0, 0xF0)
_LEFT_OUT: Final[tuple[tuple[int, bytes, str | None], ...]] = (
    (0xE0, b"JFIF\0", None),
    (0xE0, b"JFXX\0", "previews"),
    (0xE1, b"Exif\0", "EXIF"),
    (0xE1, b"http://ns.adobe.com/xmp/extension/\0", "extended XMP"),
    (0xE1, b"http://ns.adobe.com/", "XMP"),
    (0xE2, b"MPF\0", "other pictures"),
    (0xEB, b"JP", "JUMBF"),
    (0xED, b"Photoshop 3.0\0", "IPTC and Photoshop data"),
    (0xEE, b"Adobe", None),
)
# The third is the centimeter in truth.
_UNITS: tuple[None, Literal["inch"], Literal["meter"]] = (None, "inch", "meter")


def decode(source: Source) -> Picture:
    """Read a JPEG, the primary picture if there are several; orientation is not applied.

    Decoders paint gray what is missing and only warn. Walking the segments finds every file that
    was cut, but none that was given a new end: nothing in a JPEG says how many bytes its samples
    take.
    """
    from PIL import Image

    shape, reader = _walked(source)
    # Inks are as Adobe's programs store them, whether the file names Adobe or not.
    mode, stored = _DECODED[shape[2] if len(shape) > 2 else 1]

    def decode_samples(data: bytes) -> AnyArray:
        # Not by Pillow's plugin, which would read the metadata too.
        return np.array(Image.frombytes(mode, (shape[1], shape[0]), data, "jpeg", stored, ""))

    return _picture(source, source.run(decode_samples, source.data, shape), reader)


def glance(source: Source, side: int) -> Glance:
    """Return what a JPEG shows at a half, a quarter or an eighth, which saves most of the work."""
    from PIL.JpegImagePlugin import JpegImageFile

    (rows, columns, *_), reader = _walked(source)
    scale = side / max(rows, columns)

    def scaled(data: bytes) -> AnyArray:
        image = JpegImageFile(io.BytesIO(data))
        image.draft(None, (max(1, int(columns * scale)), max(1, int(rows * scale))))
        return np.array(image)

    return Glance(_picture(source, source.call(scaled, source.data), reader), rows * columns)


def _walked(source: Source) -> tuple[tuple[int, ...], _MetadataReader]:
    """Return the shape of the samples and what the segments say, after a check of all of them."""
    reader = _MetadataReader()
    shape: tuple[int, ...] | None = None
    scans = 0
    for segment in walk_segments(source):
        marker, body = segment.marker, segment.body
        if marker in FRAMES:
            if shape is not None:
                raise source.damaged("it has two frames")
            shape = _read_frame(source, marker, body)
        elif marker == SCAN:
            scans += 1
        elif marker != END:
            reader.take(marker, bytes(body), late=scans > 0)
        elif body:
            reader.dropped["data after the picture"] = None
    if shape is None or not scans:
        raise source.damaged("it holds no picture")
    check_scans(source, scans, shape[0] * shape[1])
    return shape, reader


def _picture(source: Source, pixels: AnyArray, reader: _MetadataReader) -> Picture:
    return Picture(
        pixels=pixels,
        mode=_MODES[channels(pixels)],
        format="JPEG",
        metadata=reader.finish(),
        header=joined_header(source, reader.header),
        dropped=tuple(reader.dropped),
    )


def metadata_of(file: JpegFile) -> Metadata:
    """Return the metadata in the segments of a file."""
    reader, late = _MetadataReader(), False
    for part in file.parts:
        if isinstance(part, Segment):
            reader.take(part.marker, part.body, late=late)
        else:
            late = True
    return reader.finish()


def head_metadata(source: Source) -> Metadata:
    """Return the metadata before the first scan of a file."""
    reader = _MetadataReader()
    for segment in walk_segments(source, whole=False):
        reader.take(segment.marker, bytes(segment.body))
    return reader.finish()


def header_in_jpeg(data: bytes, name: str) -> bytes | None:
    """Return the header in a JPEG, which messages call `name`, without decoding the picture.

    Parameters
    ----------
    data : bytes
        The content of a JPEG file.
    name : str
        What messages call the file.
    """
    return header_of(Source(data, name, 0))


def header_of(source: Source) -> bytes | None:
    """Return the header in a file; no sample is decoded."""
    head = walk_segments(source, whole=False)
    pieces = (header_piece(segment.marker, bytes(segment.body)) for segment in head)
    return joined_header(source, filter(None, pieces))


def find_frame(data: bytes, start: int) -> int | None:
    """Return where the frame segment is to which segments lead from the start of a JPEG."""
    position = start + 2
    for _ in range(_MOST_SEGMENTS):
        position = max(position, after_fill(data, position) - 1)
        head = data[position : position + 4]
        if len(head) < 4 or head[0] != 0xFF:
            return None
        if head[1] in FRAMES or head[1] == _JPEG_LS:
            break
        length = int.from_bytes(head[2:], "big")
        if length < 2 or head[1] < 0xC0:
            return None
        position += 2 + length
    return position


def stream_shape(data: bytes) -> tuple[int, int, int] | None:
    """Return rows, columns and channels that a JPEG claims, if it is one that is read here."""
    start = find_frame(data, 0)
    frame = b"" if start is None else data[start : start + 10]
    if len(frame) < 10 or frame[1] not in READABLE_FRAMES or frame[4] != 8:
        return None
    rows, columns, components = struct.unpack_from(">HHB", frame, 5)
    return rows, columns, components


def _read_frame(source: Source, marker: int, body: memoryview) -> tuple[int, ...]:
    require_readable(source, marker)
    if len(body) < 6:
        raise source.damaged("its frame segment is too short")
    bits, rows, columns, components = struct.unpack_from(">BHHB", body)
    if bits != 8:
        raise source.unsupported(f"a JPEG with {bits}-bit samples")
    if components not in (1, 3, 4):
        raise source.unsupported(f"a JPEG with {components} channels")
    return source.shape(rows, columns, components)


@dataclass
class _MetadataReader:
    """Collects what segments say, one after the other."""

    dropped: dict[str, None] = field(default_factory=dict)
    header: list[bytes] = field(default_factory=list)
    _exif: list[bytes] = field(default_factory=list)
    _profile: list[tuple[int, int, bytes]] = field(default_factory=list)
    _xmp: bytes | None = None
    _resolution: Resolution | None = None

    def take(self, marker: int, body: bytes, *, late: bool = False) -> None:
        """Collect what a segment says; viewers overlook EXIF that is `late`, after samples."""
        if (piece := header_piece(marker, body)) is not None:
            self.header.append(piece)
        elif marker == _COMMENT:
            self.dropped["text"] = None
        elif marker == 0xE0 and body.startswith(JFIF[1]):
            self._resolution = self._resolution or _density(body[len(JFIF[1]) :])
            if len(body) > _JFIF_LENGTH:
                self.dropped["previews"] = None
        elif marker == 0xE1 and body.startswith(EXIF[1]) and not late:
            self._exif.append(body[len(EXIF[1]) :])
        elif marker == 0xE1 and body.startswith(XMP[1]) and self._xmp is None:
            self._xmp = body[len(XMP[1]) :]
        elif marker == 0xE2 and body.startswith(PROFILE[1]) and len(body) >= len(PROFILE[1]) + 2:
            index, count = body[len(PROFILE[1]) : len(PROFILE[1]) + 2]
            self._profile.append((index, count, body[len(PROFILE[1]) + 2 :]))
        else:
            matching = (n for at, start, n in _LEFT_OUT if marker == at and body.startswith(start))
            unknown = f"APP{marker - 0xE0} segment" if marker in _APPLICATIONS else None
            if name := next(matching, unknown):
                self.dropped[name] = None

    def finish(self) -> Metadata:
        parts = sorted(self._profile)
        expected = [(index, len(parts)) for index in range(1, len(parts) + 1)]
        whole = [part[:2] for part in parts] == expected
        if not whole:
            self.dropped["ICC profile"] = None
        return Metadata(
            # Programs that do not fit into one segment go on in the next, as Pillow reads it.
            exif=b"".join(self._exif) or None,
            icc=(whole and b"".join(part for _, _, part in parts)) or None,
            xmp=self._xmp or None,
            resolution=self._resolution,
        )


def _density(body: bytes) -> Resolution | None:
    if len(body) < 7:
        return None
    unit, columns, rows = struct.unpack_from(">BHH", body, 2)
    if not columns or not rows or unit > 2 or (unit == 0 and columns == rows):
        return None
    factor = 100 if unit == 2 else 1
    return Resolution(
        columns=Fraction(columns * factor), rows=Fraction(rows * factor), unit=_UNITS[unit]
    )
