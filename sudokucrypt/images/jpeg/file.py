"""JPEG files as sequences of segments: samples, metadata, and the header of a scrambled JPEG.

::

    FF D8 | FF marker length body | ... | FF DA length body coded data | ... | FF D9 | the rest

A marker may have more bytes FF, called fill bytes, before it. Coded data end at the first FF that
is followed by neither a stuffed zero, nor a restart marker, nor a fill byte. The header of this
package is in segments of its own: its text without extras, a line feed, and the extras.

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
from sudokucrypt.images.driver import Source, get_part_limit
from sudokucrypt.images.picture import (
    Metadata,
    Mode,
    Picture,
    PicturePreview,
    Resolution,
    channels,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sudokucrypt.typing import AnyArray, Buffer


START_OF_IMAGE: Final = b"\xff\xd8"
END_MARKER, SCAN_MARKER, HUFFMAN_MARKER, QUANTIZER_MARKER, RESTART_INTERVAL_MARKER = (
    0xD9,
    0xDA,
    0xC4,
    0xDB,
    0xDD,
)

# Markers of frames; the three others in this range are DHT, JPG and DAC.
FRAME_MARKERS: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Baseline, extended and progressive frames with Huffman codes.
_READABLE_FRAME_MARKERS: Final = frozenset({0xC0, 0xC1, 0xC2})
_ARITHMETIC_FRAME_MARKERS: Final = frozenset({0xC9, 0xCA})
_FRAME_HEAD: Final = struct.Struct(">BHHB")

MAX_BODY_BYTES: Final = 65533
"""Most bytes of a segment after its length."""

# The largest number of scans of a JPEG; encoders write about ten.
MAX_SCANS: Final = 32

# The words by which messages describe a file with a DNL segment.
LATE_ROWS_TEXT: Final = "a JPEG that states its number of rows only at its end"

# The maximum number of pixels of all scans together; small pictures may have more scans.
_MAX_SCANNED_PIXELS: Final = 2**31
# Matches at the end, so a search always succeeds.
_NON_FILL_BYTE: Final = re.compile(rb"[^\xff]|\Z")
_MARKER_AFTER_CODED_DATA: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


# The marker and the first bytes of each kind of metadata segment.
JFIF_START: Final = (0xE0, b"JFIF\0")
EXIF_START: Final = (0xE1, b"Exif\0\0")
XMP_START: Final = (0xE1, b"http://ns.adobe.com/xap/1.0/\0")
PROFILE_START: Final = (0xE2, b"ICC_PROFILE\0")


@dataclass(frozen=True)
class Segment:
    """A segment of a JPEG file: a marker and its content."""

    marker: int  #: The second byte of the marker, such as 0xC4 for Huffman tables.
    body: bytes  #: The bytes after the length, at most 65533.
    fill: int = 0  #: The number of fill bytes before the marker.

    def to_bytes(self) -> bytes:
        """Return fill bytes, marker, length and body."""
        length = len(self.body) + 2
        marker_bytes = b"\xff" * (self.fill + 1) + bytes([self.marker])
        return marker_bytes + length.to_bytes(2, "big") + self.body


@dataclass(frozen=True)
class ScannedSegment:
    """A segment as views of the bytes of a file; `marker` and `fill` are as in `Segment`."""

    marker: int
    body: memoryview  # the bytes after the length; for the end marker, the rest of the file
    fill: int
    coded_data: memoryview  # the coded data after the start of a scan, empty for any other segment


def walk_segments(source: Source, *, with_scans: bool = True) -> Iterator[ScannedSegment]:
    """Yield the segments of a file; if `with_scans` is false, only those before the first scan.

    Raises `InvalidImageError` if the file ends before its end marker, or there are other bytes
    between two segments.
    """
    data = source.data
    file_view = memoryview(data)
    position = 2
    limit = get_part_limit(len(data))
    for _ in range(limit):
        segment_start = position
        position = _NON_FILL_BYTE.search(data, position).start()  # type: ignore[union-attr]
        if position - segment_start > limit:  # Pillow reads fill bytes one by one, which is slow
            raise source.refuse_many_parts("fill bytes")
        if position >= len(data):
            raise source.report_cut()
        marker, fill_count = data[position], position - segment_start - 1
        if fill_count < 0 or marker <= 0x01 or 0xD0 <= marker <= 0xD8:
            raise source.report_damage(f"there is no segment at byte {segment_start}")
        position += 1
        if marker in (SCAN_MARKER, END_MARKER) and not with_scans:
            return
        if marker == END_MARKER:
            yield ScannedSegment(marker, file_view[position:], fill_count, file_view[:0])
            return
        length = int.from_bytes(file_view[position : position + 2], "big")
        if position + max(length, 2) > len(data):
            raise source.report_cut()
        if length < 2:
            raise source.report_damage(f"the length of the segment at byte {position} is below 2")
        body = file_view[position + 2 : position + length]
        position += length
        coded_start = position
        if marker == SCAN_MARKER:
            position = _find_end_of_coded_data(source, position)
        yield ScannedSegment(marker, body, fill_count, file_view[coded_start:position])
    raise source.refuse_many_parts("segments")


def _find_end_of_coded_data(source: Source, position: int) -> int:
    if marker := _MARKER_AFTER_CODED_DATA.search(source.data, position):
        return marker.start()
    raise source.report_cut()


def read_frame_head(source: Source, marker: int, body: Buffer) -> tuple[int, int, int]:
    """Return the numbers of rows, columns and components that a frame segment claims.

    Raises `UnsupportedError` for a kind of frame that is not decoded here.
    """
    kind = "a lossless, hierarchical or arithmetically coded JPEG"
    # Saving it as PNG would lose the JPEG, so another hint is given.
    if marker in _ARITHMETIC_FRAME_MARKERS:
        raise source.refuse_kind(kind, hint="recode it with 'jpegtran -copy all', without loss")
    if marker not in _READABLE_FRAME_MARKERS:
        raise source.refuse_kind(kind)
    if len(body) < _FRAME_HEAD.size:
        raise source.report_damage("its frame segment is too short")
    bits, rows, columns, components = _FRAME_HEAD.unpack_from(body)
    if bits != 8:
        raise source.refuse_kind(f"a JPEG with {bits}-bit samples")
    return rows, columns, components


def check_scan_count(source: Source, scan_count: int, pixels: int) -> None:
    """Raise `UnsupportedError` for more scans than a picture of this number of pixels may have.

    Decoding a scan takes time for all pixels, even if the scan has a few bytes.
    """
    if scan_count > max(MAX_SCANS, _MAX_SCANNED_PIXELS // pixels):
        raise source.refuse_kind(f"a JPEG of {scan_count} scans")


# The marker APP11, whose segments programs copy or drop, but do not change.
_HEADER_MARKER: Final = 0xEB
_HEADER_START: Final = b"sudokucrypt\0"
_EXTRAS_PATTERN: Final = re.compile(rb'(?<="extras":")[A-Za-z0-9+/=]*(?=")')
# The encrypted extras are written as bytes after the header, since Base64 takes a third more.
_EMPTY_EXTRAS: Final = b'"extras":""'


def make_header_segments(header: bytes) -> Iterator[Segment]:
    """Yield the segments that contain a header."""
    extras_match = _EXTRAS_PATTERN.search(header)
    text = (
        header
        if extras_match is None
        else header[: extras_match.start()] + header[extras_match.end() :]
    )
    data = text + b"\n" + (b"" if extras_match is None else a2b_base64(extras_match[0]))
    size = MAX_BODY_BYTES - len(_HEADER_START)
    for start in range(0, len(data), size):
        yield Segment(_HEADER_MARKER, _HEADER_START + data[start : start + size])


def find_header_piece(marker: int, body: bytes) -> bytes | None:
    """Return the part of our header in a segment, or None for any other segment."""
    return (
        body[len(_HEADER_START) :]
        if marker == _HEADER_MARKER and body.startswith(_HEADER_START)
        else None
    )


def join_header(source: Source, header_pieces: Iterable[bytes]) -> bytes | None:
    """Return the header from its pieces, or None without pieces; `FormatError` if it is damaged."""
    data = b"".join(header_pieces)
    if not data:
        return None
    text, line_feed, description = data.partition(b"\n")
    text_before, empty_extras, text_after = text.partition(_EMPTY_EXTRAS)
    if not line_feed or bool(empty_extras) != bool(description):
        raise source.refuse_header("it does not have the form for a JPEG")
    return source.header(
        [text_before + empty_extras[:-1] + b64encode(description) + empty_extras[-1:] + text_after]
    )


_MODES: dict[int, Mode] = {1: "gray", 3: "rgb", 4: "cmyk"}

# For each number of components, Pillow's mode, and Pillow's name of the stored form of its samples.
_PILLOW_MODES: Final = {1: ("L", "L"), 3: ("RGB", "RGB"), 4: ("CMYK", "CMYK;I")}

_JFIF_LENGTH = 14  # bytes of a JFIF segment without the samples of a thumbnail
_COMMENT_MARKER: Final = 0xFE
_APPLICATION_MARKERS = range(0xE0, 0xF0)
# The first marker that is not needed for decoding.
_FIRST_OPTIONAL_MARKER: Final = _APPLICATION_MARKERS.start
_LEFT_OUT_SEGMENTS: Final[tuple[tuple[int, bytes, str | None], ...]] = (
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
# By the number of the unit in JFIF. Number 2 is the centimeter, which is converted to the meter.
_UNITS: tuple[None, Literal["inch"], Literal["meter"]] = (None, "inch", "meter")


def decode(source: Source) -> Picture:
    """Read a JPEG, or the primary picture of several; the orientation is not applied.

    Decoders show missing samples as gray and only warn. So the segments are walked, which detects
    every file that was cut short, unless an end marker was added: a JPEG does not state the size of
    its samples.
    """
    reader = MetadataReader()
    reader.walk(source)
    from PIL import Image  # imported only after the size of the picture was checked

    shape = reader.shape
    # CMYK is inverted, as Adobe's programs store it, even if the file has no Adobe segment.
    mode, stored_mode = _PILLOW_MODES[shape[2] if len(shape) > 2 else 1]

    def decode_samples(data: bytes) -> AnyArray:
        # Pillow's plugin is not used, since it would also read the metadata.
        return np.array(Image.frombytes(mode, (shape[1], shape[0]), data, "jpeg", stored_mode, ""))

    return _make_picture(source, source.call(decode_samples, source.data), reader)


def decode_scaled_preview(
    source: Source,
    side: int,
    find_thumbnail: Callable[[bytes, tuple[int, ...]], Picture | None] | None = None,
) -> PicturePreview:
    """Decode a JPEG at a half, a quarter or an eighth of its size, which saves most of the work.

    `find_thumbnail` gets the EXIF data and the shape of the picture. If it returns a thumbnail,
    that is the result, even if the file was cut short after its frame.
    """
    reader, damage_error = MetadataReader(), None
    try:
        reader.walk(source)
    except SudokucryptError as error:
        damage_error = error
    rows, columns = reader.shape[:2] or (0, 0)
    if find_thumbnail and rows and reader.exif:
        thumbnail = find_thumbnail(b"".join(reader.exif), reader.shape)
        if thumbnail is not None:
            return PicturePreview(
                replace(thumbnail, metadata=reader.get_metadata()), rows * columns
            )
    if damage_error is not None:
        raise damage_error
    from PIL.JpegImagePlugin import JpegImageFile

    scale = side / max(rows, columns)

    def decode_scaled(data: bytes) -> AnyArray:
        image = JpegImageFile(io.BytesIO(data))
        image.draft(None, (max(1, int(columns * scale)), max(1, int(rows * scale))))
        return np.array(image)

    return PicturePreview(
        _make_picture(source, source.call(decode_scaled, source.data), reader), rows * columns
    )


def _make_picture(source: Source, pixels: AnyArray, reader: MetadataReader) -> Picture:
    return Picture(
        pixels=pixels,
        mode=_MODES[channels(pixels)],
        format="JPEG",
        metadata=reader.get_metadata(),
        header=join_header(source, reader.header),
        dropped=tuple(reader.dropped_names),
    )


def read_head_metadata(source: Source) -> Metadata:
    """Return the metadata that a file has before its first scan."""
    reader = MetadataReader()
    for segment in walk_segments(source, with_scans=False):
        if segment.marker >= _FIRST_OPTIONAL_MARKER:
            reader.take_segment(segment.marker, bytes(segment.body))
    return reader.get_metadata()


def header_in_jpeg(data: bytes, name: str) -> bytes | None:
    """Return the header in a JPEG, or None, without decoding the picture.

    Parameters
    ----------
    data : bytes
        The content of a JPEG file.
    name : str
        The name of the file in messages.
    """
    return extract_header(Source(data, name, 0))


def extract_header(source: Source) -> bytes | None:
    """Return the header in a file, or None; no sample is decoded."""
    header_pieces = [
        find_header_piece(_HEADER_MARKER, bytes(segment.body)) or b""
        for segment in walk_segments(source, with_scans=False)
        if segment.marker == _HEADER_MARKER
    ]
    return join_header(source, header_pieces)


def read_stream_shape(data: bytes) -> tuple[int, int, int] | None:
    """Return the numbers of rows, columns and channels of a JPEG, or None if it cannot be read."""
    source = Source(data, "the picture", 0)
    with suppress(SudokucryptError):
        for segment in walk_segments(source, with_scans=False):
            if segment.marker in FRAME_MARKERS:
                return read_frame_head(source, segment.marker, segment.body)
    return None


@dataclass
class MetadataReader:
    """Collects the metadata and the shape of the samples from the segments of a file."""

    shape: tuple[int, ...] = ()
    dropped_names: dict[str, None] = field(default_factory=dict)
    header: list[bytes] = field(default_factory=list)
    # the EXIF data in segments before the first scan
    exif: list[bytes] = field(default_factory=list)
    _profile_parts: list[tuple[int, int, bytes]] = field(default_factory=list)
    _xmp: bytes | None = None
    _resolution: Resolution | None = None

    def walk(self, source: Source) -> None:
        """Collect the metadata of a file, and check its segments.

        If an error is raised for damage, everything before the damage has been collected.
        """
        scan_count = 0
        for segment in walk_segments(source):
            marker, body = segment.marker, segment.body
            if marker in FRAME_MARKERS:
                if self.shape:
                    raise source.report_damage("it has two frames")
                rows, columns, components = read_frame_head(source, marker, body)
                if components not in _MODES:
                    raise source.refuse_kind(f"a JPEG with {components} channels")
                self.shape = source.shape(rows, columns, components)
            elif marker == SCAN_MARKER:
                scan_count += 1
            elif marker >= _FIRST_OPTIONAL_MARKER:
                self.take_segment(marker, bytes(body), is_after_scan=scan_count > 0)
            elif marker == END_MARKER and body:
                self.dropped_names["data after the picture"] = None
        if not self.shape or not scan_count:
            raise source.report_damage("it holds no picture")
        check_scan_count(source, scan_count, self.shape[0] * self.shape[1])

    def take_segment(self, marker: int, body: bytes, *, is_after_scan: bool = False) -> None:
        """Collect the metadata of a segment; EXIF that `is_after_scan` is ignored."""
        if marker == _HEADER_MARKER and (piece := find_header_piece(marker, body)) is not None:
            self.header.append(piece)
        elif marker == _COMMENT_MARKER:
            self.dropped_names["text"] = None
        elif marker == 0xE0 and body.startswith(JFIF_START[1]):
            self._resolution = self._resolution or _read_resolution(body[len(JFIF_START[1]) :])
            if len(body) > _JFIF_LENGTH:
                self.dropped_names["previews"] = None
        elif marker == 0xE1 and body.startswith(EXIF_START[1]) and not is_after_scan:
            self.exif.append(body[len(EXIF_START[1]) :])
        elif marker == 0xE1 and body.startswith(XMP_START[1]) and self._xmp is None:
            self._xmp = body[len(XMP_START[1]) :]
        elif (
            marker == 0xE2
            and body.startswith(PROFILE_START[1])
            and len(body) >= len(PROFILE_START[1]) + 2
        ):
            index, count = body[len(PROFILE_START[1]) : len(PROFILE_START[1]) + 2]
            self._profile_parts.append((index, count, body[len(PROFILE_START[1]) + 2 :]))
        else:
            names = (
                name
                for m, start, name in _LEFT_OUT_SEGMENTS
                if m == marker and body.startswith(start)
            )
            unknown_name = f"APP{marker - 0xE0} segment" if marker in _APPLICATION_MARKERS else None
            if name := next(names, unknown_name):
                self.dropped_names[name] = None

    def get_metadata(self) -> Metadata:
        """Return the collected metadata."""
        parts = sorted(self._profile_parts)
        expected_numbers = [(index, len(parts)) for index in range(1, len(parts) + 1)]
        has_complete_profile = [part[:2] for part in parts] == expected_numbers
        if not has_complete_profile:
            self.dropped_names["ICC profile"] = None
        return Metadata(
            # Long EXIF data continue in the next segment, as Pillow reads it.
            exif=b"".join(self.exif) or None,
            icc=(has_complete_profile and b"".join(part for _, _, part in parts)) or None,
            xmp=self._xmp or None,
            resolution=self._resolution,
        )


def _read_resolution(body: bytes) -> Resolution | None:
    if len(body) < 7:
        return None
    unit, columns, rows = struct.unpack_from(">BHH", body, 2)
    if not columns or not rows or unit > 2 or (unit == 0 and columns == rows):
        return None
    factor = 100 if unit == 2 else 1
    return Resolution(
        columns=Fraction(columns * factor), rows=Fraction(rows * factor), unit=_UNITS[unit]
    )
