"""JPEG as a row of segments: gray, RGB and CMYK as samples, and the header in a scrambled one.

::

    FF D8 | FF marker length body | ... | FF DA length body coded data | ... | FF D9 | the rest

A marker may have more bytes FF before it. Coded data end at the first marker that is neither a
stuffed zero, nor a restart, nor such a fill byte. Our header is in segments of its own: its text
without extras, a line feed, and the extras.

References
----------
.. [1] ITU-T T.81 (1992), annex B, https://www.w3.org/Graphics/JPEG/itu-t81.pdf
.. [2] Exif 2.32 (CIPA DC-008), 4.5: application segment 1.
.. [3] ICC.1:2022, B.4: a profile in several application segments 2.
.. [4] Adobe, "XMP Specification Part 3", 1.1.3.
.. [5] "JPEG File Interchange Format", version 1.02: application segment 0.
"""

from __future__ import annotations

import io
import re
import struct
from base64 import b64encode
from binascii import a2b_base64
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.driver import Source, most_parts
from sudokucrypt.images.picture import (
    Glance,
    Metadata,
    Mode,
    Picture,
    Resolution,
    channels,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sudokucrypt.typing import AnyArray, Buffer


START: Final = b"\xff\xd8"
END, SCAN, HUFFMAN, QUANTIZERS, RESTARTS = 0xD9, 0xDA, 0xC4, 0xDB, 0xDD

# DHT, JPG and DAC are no frames.
FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Baseline, extended and progressive frames with Huffman codes.
_READABLE_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})
_ARITHMETIC: Final = frozenset({0xC9, 0xCA})
_FRAME_HEAD: Final = struct.Struct(">BHHB")

LONGEST_BODY: Final = 65533
"""Most bytes of a segment after its length."""

# How often a JPEG may go over its pixels; encoders take about ten scans.
MOST_SCANS: Final = 32

# What a file with a DNL segment is called.
OPEN_ROWS: Final = "a JPEG that states its number of rows only at its end"

_MOST_SCANNED: Final = 2**31  # pixels of all scans together; small pictures may have more scans
_NOT_FILL: Final = re.compile(rb"[^\xff]|\Z")  # it is found anywhere
_AFTER_CODED: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


# Marker and first bytes of the segments of metadata.
JFIF: Final = (0xE0, b"JFIF\0")
EXIF: Final = (0xE1, b"Exif\0\0")
XMP: Final = (0xE1, b"http://ns.adobe.com/xap/1.0/\0")
PROFILE: Final = (0xE2, b"ICC_PROFILE\0")


@dataclass(frozen=True)
class Segment:
    """A marker and what it says."""

    marker: int  #: The second byte of the marker, such as 0xC4 for Huffman tables.
    body: bytes  #: What follows the length, at most 65533 bytes.
    fill: int = 0  #: How many fill bytes precede the marker.

    def to_bytes(self) -> bytes:
        """Return fill bytes, marker, length and body."""
        length = len(self.body) + 2
        start = b"\xff" * (self.fill + 1) + bytes([self.marker])
        return start + length.to_bytes(2, "big") + self.body


@dataclass(frozen=True)
class ScannedSegment:
    """A segment where it lies in a file; marker and fill are as `Segment` has them."""

    marker: int
    body: memoryview  # what follows the length; all that follows the marker if it is the end
    fill: int
    coded: memoryview  # the coded data behind the start of a scan, empty for any other segment


def walk_segments(source: Source, *, whole: bool = True) -> Iterator[ScannedSegment]:
    """Yield every segment of a file up to its end, or only those before the first scan.

    Raises `InvalidImageError` if the file ends before its end marker, or something else is between
    two segments.
    """
    data = source.data
    view = memoryview(data)
    position = 2
    most = most_parts(len(data))
    for _ in range(most):
        start = position
        position = _NOT_FILL.search(data, position).start()  # type: ignore[union-attr]
        if position - start > most:  # Pillow reads each by itself
            raise source.refuse_many_parts("fill bytes")
        if position >= len(data):
            raise source.report_cut()
        marker, fill = data[position], position - start - 1
        if fill < 0 or marker <= 0x01 or 0xD0 <= marker <= 0xD8:
            raise source.report_damage(f"there is no segment at byte {start}")
        position += 1
        if marker in (SCAN, END) and not whole:
            return
        if marker == END:
            yield ScannedSegment(marker, view[position:], fill, view[:0])
            return
        length = int.from_bytes(view[position : position + 2], "big")
        if position + max(length, 2) > len(data):
            raise source.report_cut()
        if length < 2:
            raise source.report_damage(f"the segment at byte {position} has no length")
        body = view[position + 2 : position + length]
        position += length
        coded = position
        if marker == SCAN:
            position = _end_of_coded(source, position)
        yield ScannedSegment(marker, body, fill, view[coded:position])
    raise source.refuse_many_parts("segments")


def _end_of_coded(source: Source, position: int) -> int:
    if after := _AFTER_CODED.search(source.data, position):
        return after.start()
    raise source.report_cut()


def read_frame_head(source: Source, marker: int, body: Buffer) -> tuple[int, int, int]:
    """Return rows, columns and components that a frame segment claims.

    Raises `UnsupportedError` for a frame that no program here decodes.
    """
    kind = "a lossless, hierarchical or arithmetically coded JPEG"
    if marker in _ARITHMETIC:  # saved as another format, it could not be restored any more
        raise source.refuse_kind(kind, hint="recode it with 'jpegtran -copy all', without loss")
    if marker not in _READABLE_FRAMES:
        raise source.refuse_kind(kind)
    if len(body) < _FRAME_HEAD.size:
        raise source.report_damage("its frame segment is too short")
    bits, rows, columns, components = _FRAME_HEAD.unpack_from(body)
    if bits != 8:
        raise source.refuse_kind(f"a JPEG with {bits}-bit samples")
    return rows, columns, components


def check_scans(source: Source, scans: int, pixels: int) -> None:
    """Raise `UnsupportedError` for more scans than a picture of this number of pixels may have.

    Every scan goes over all pixels, even one of a few bytes.
    """
    if scans > max(MOST_SCANS, _MOST_SCANNED // pixels):
        raise source.refuse_kind(f"a JPEG of {scans} scans")


# APP11, which programs copy or drop, but do not change.
_MARKER: Final = 0xEB
_START: Final = b"sudokucrypt\0"
_EXTRAS: Final = re.compile(rb'(?<="extras":")[A-Za-z0-9+/=]*(?=")')
# What is sealed is written as bytes behind the header: Base64 would make the file a third larger.
_NO_EXTRAS: Final = b'"extras":""'


def header_segments(header: bytes) -> Iterator[Segment]:
    """Yield the segments that hold a header."""
    match = _EXTRAS.search(header)
    text = header if match is None else header[: match.start()] + header[match.end() :]
    data = text + b"\n" + (b"" if match is None else a2b_base64(match[0]))
    room = LONGEST_BODY - len(_START)
    for at in range(0, len(data), room):
        yield Segment(_MARKER, _START + data[at : at + room])


def header_piece(marker: int, body: bytes) -> bytes | None:
    """Return the part of our header in a segment, or None for any other segment."""
    return body[len(_START) :] if marker == _MARKER and body.startswith(_START) else None


def joined_header(source: Source, pieces: Iterable[bytes]) -> bytes | None:
    """Return the header from its pieces, none if there are none; `FormatError` if it is damaged."""
    data = b"".join(pieces)
    if not data:
        return None
    text, feed, description = data.partition(b"\n")
    before, gap, after = text.partition(_NO_EXTRAS)
    if not feed or bool(gap) != bool(description):
        raise source.refuse_header("it is not as a JPEG holds it")
    return source.header([before + gap[:-1] + b64encode(description) + gap[-1:] + after])


_MODES: dict[int, Mode] = {1: "gray", 3: "rgb", 4: "cmyk"}

# Pillow's mode, and how it takes the samples of that.
_DECODED: Final = {1: ("L", "L"), 3: ("RGB", "RGB"), 4: ("CMYK", "CMYK;I")}

_JFIF_LENGTH = 14  # without the samples of a thumbnail
_COMMENT: Final = 0xFE
_APPLICATIONS = range(0xE0, 0xF0)
_FIRST_NOTE: Final = _APPLICATIONS.start  # of the markers that say anything but how to decode
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
    reader = MetadataReader()
    reader.walk(source)
    from PIL import Image  # after what shows how large the picture is

    shape = reader.shape
    # Inks are as Adobe's programs store them, whether the file names Adobe or not.
    mode, stored = _DECODED[shape[2] if len(shape) > 2 else 1]

    def decode_samples(data: bytes) -> AnyArray:
        # Not by Pillow's plugin, which would read the metadata too.
        return np.array(Image.frombytes(mode, (shape[1], shape[0]), data, "jpeg", stored, ""))

    return _picture(source, source.call(decode_samples, source.data), reader)


def glance(
    source: Source,
    side: int,
    find_thumbnail: Callable[[bytes, tuple[int, ...]], Picture | None] | None = None,
) -> Glance:
    """Decode a JPEG at a half, a quarter or an eighth of its size, which saves most of the work.

    A thumbnail that `find_thumbnail` returns for its EXIF data and its shape is shown instead, even
    if the file was cut after its frame.
    """
    reader, fault = MetadataReader(), None
    try:
        reader.walk(source)
    except SudokucryptError as error:
        fault = error
    rows, columns = reader.shape[:2] or (0, 0)
    if find_thumbnail and rows and reader.exif:
        small = find_thumbnail(b"".join(reader.exif), reader.shape)
        if small is not None:
            return Glance(replace(small, metadata=reader.finish()), rows * columns)
    if fault is not None:
        raise fault
    from PIL.JpegImagePlugin import JpegImageFile

    scale = side / max(rows, columns)

    def decode_scaled(data: bytes) -> AnyArray:
        image = JpegImageFile(io.BytesIO(data))
        image.draft(None, (max(1, int(columns * scale)), max(1, int(rows * scale))))
        return np.array(image)

    return Glance(_picture(source, source.call(decode_scaled, source.data), reader), rows * columns)


def _picture(source: Source, pixels: AnyArray, reader: MetadataReader) -> Picture:
    return Picture(
        pixels=pixels,
        mode=_MODES[channels(pixels)],
        format="JPEG",
        metadata=reader.finish(),
        header=joined_header(source, reader.header),
        dropped=tuple(reader.dropped),
    )


def head_metadata(source: Source) -> Metadata:
    """Return the metadata before the first scan of a file."""
    reader = MetadataReader()
    for segment in walk_segments(source, whole=False):
        if segment.marker >= _FIRST_NOTE:
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
    pieces = [
        header_piece(_MARKER, bytes(segment.body)) or b""
        for segment in walk_segments(source, whole=False)
        if segment.marker == _MARKER
    ]
    return joined_header(source, pieces)


def stream_shape(data: bytes) -> tuple[int, int, int] | None:
    """Return rows, columns and channels that a JPEG claims, or None if it is not read here."""
    source = Source(data, "the picture", 0)
    with suppress(SudokucryptError):
        for segment in walk_segments(source, whole=False):
            if segment.marker in FRAMES:
                return read_frame_head(source, segment.marker, segment.body)
    return None


@dataclass
class MetadataReader:
    """Collects the metadata in segments, one after the other, and the shape of the samples."""

    shape: tuple[int, ...] = ()
    dropped: dict[str, None] = field(default_factory=dict)
    header: list[bytes] = field(default_factory=list)
    exif: list[bytes] = field(default_factory=list)  # of the segments before the first scan
    _profile: list[tuple[int, int, bytes]] = field(default_factory=list)
    _xmp: bytes | None = None
    _resolution: Resolution | None = None

    def walk(self, source: Source) -> None:
        """Collect all of a file, and check it; what precedes damage has been collected then."""
        scans = 0
        for segment in walk_segments(source):
            marker, body = segment.marker, segment.body
            if marker in FRAMES:
                if self.shape:
                    raise source.report_damage("it has two frames")
                rows, columns, components = read_frame_head(source, marker, body)
                if components not in _MODES:
                    raise source.refuse_kind(f"a JPEG with {components} channels")
                self.shape = source.shape(rows, columns, components)
            elif marker == SCAN:
                scans += 1
            elif marker >= _FIRST_NOTE:
                self.take(marker, bytes(body), late=scans > 0)
            elif marker == END and body:
                self.dropped["data after the picture"] = None
        if not self.shape or not scans:
            raise source.report_damage("it holds no picture")
        check_scans(source, scans, self.shape[0] * self.shape[1])

    def take(self, marker: int, body: bytes, *, late: bool = False) -> None:
        """Collect the metadata of a segment; EXIF that is `late`, after samples, is overlooked."""
        if marker == _MARKER and (piece := header_piece(marker, body)) is not None:
            self.header.append(piece)
        elif marker == _COMMENT:
            self.dropped["text"] = None
        elif marker == 0xE0 and body.startswith(JFIF[1]):
            self._resolution = self._resolution or _density(body[len(JFIF[1]) :])
            if len(body) > _JFIF_LENGTH:
                self.dropped["previews"] = None
        elif marker == 0xE1 and body.startswith(EXIF[1]) and not late:
            self.exif.append(body[len(EXIF[1]) :])
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
        """Return the metadata that were taken."""
        parts = sorted(self._profile)
        expected = [(index, len(parts)) for index in range(1, len(parts) + 1)]
        whole = [part[:2] for part in parts] == expected
        if not whole:
            self.dropped["ICC profile"] = None
        return Metadata(
            # Programs that do not fit into one segment go on in the next, as Pillow reads it.
            exif=b"".join(self.exif) or None,
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
