"""Write JPEG files that contain only the needed segments, our header, and cleartext metadata.

::

    JFIF, Adobe | Exif, XMP, ICC profile | our header | quantizers | frame | tables and scans

Everything else in the original file is left out: previews, comments, other pictures, and data that
are hidden in unused tables.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.jpeg.coefficients import JpegFile
from sudokucrypt.images.jpeg.file import (
    EXIF_START,
    FRAME_MARKERS,
    JFIF_START,
    PROFILE_START,
    QUANTIZER_MARKER,
    RESTART_INTERVAL_MARKER,
    XMP_START,
    MetadataReader,
    Segment,
    find_header_piece,
    make_header_segments,
)
from sudokucrypt.images.jpeg.scans import Scan
from sudokucrypt.images.picture import Metadata

ADOBE_START: Final = (0xEE, b"Adobe")

_MIN_JFIF_BYTES, _MIN_ADOBE_BYTES = 14, 12  # decoders ignore segments of fewer bytes
_MINIMAL_JFIF_BODY: Final = b"JFIF\0" + bytes([1, 1, 0, 0, 1, 0, 1, 0, 0])  # no density, no preview
_MINIMAL_ADOBE_BODY: Final = b"Adobe" + bytes([0, 100, 0, 0, 0, 0])
_APPLICATION_MARKERS: Final = range(0xE0, 0xF0)
_COMMENT_MARKER: Final = 0xFE
_SEGMENT_STARTS: Final = {
    "JFIF": JFIF_START,
    "Exif": EXIF_START,
    "XMP": XMP_START,
    "ICC profile": PROFILE_START,
    "Adobe": ADOBE_START,
}


def encode_scrambled_file(file: JpegFile, header: bytes) -> bytes:
    """Return the bytes of a file with these coefficients, suitable Huffman tables and a header.

    Errors are those of `make_quantizer_segment`.
    """
    return encode_visible_file(file, Metadata(), make_header_segments(header))


def encode_visible_file(
    file: JpegFile, cleartext_metadata: Metadata, header_segments: Iterable[Segment] = ()
) -> bytes:
    """Return the bytes of a file with these coefficients and metadata, and suitable Huffman tables.

    Nothing else of the original file is written. Errors are those of `make_quantizer_segment`.
    """
    parts = (
        *_list_color_segments(file),
        *_list_metadata_segments(cleartext_metadata),
        *header_segments,
        make_quantizer_segment(file),
        *list_needed_parts(file),
    )
    return replace(file, parts=parts, tail=b"", fill=0).optimize().to_bytes()


def remove_metadata(file: JpegFile) -> JpegFile:
    """Return a file without its application segments, comments and the bytes after its end."""
    parts = tuple(
        part
        for part in file.parts
        if isinstance(part, Scan)
        or not (part.marker in _APPLICATION_MARKERS or part.marker == _COMMENT_MARKER)
    )
    return replace(file, parts=(*_list_color_segments(file), *parts), tail=b"", fill=0)


def name_added_segments(file: JpegFile, original_file: JpegFile) -> tuple[str, ...]:
    """Return the names of segments of a scrambled file that `encode_scrambled_file` did not write.

    Anyone may have added them, since only the original file is authenticated. A JFIF segment is not
    named, since programs rewrite it.
    """
    color_segments = {
        (part.marker, bytes(part.body)) for part in _list_color_segments(original_file)
    }
    names = [
        _name_segment(part)
        for part in file.parts
        if not isinstance(part, Scan)
        and (part.marker in _APPLICATION_MARKERS or part.marker == _COMMENT_MARKER)
        and (part.marker, bytes(part.body)) not in color_segments
        and find_header_piece(part.marker, part.body) is None
    ]
    names += ["data after the picture"] if file.tail else []
    return tuple(dict.fromkeys(name for name in names if name != "JFIF"))


def _name_segment(part: Segment) -> str:
    """Return the name of an application segment or a comment."""
    for title, (marker, signature) in _SEGMENT_STARTS.items():
        if part.marker == marker and part.body.startswith(signature):
            return title
    if part.marker == _COMMENT_MARKER:
        return "comment"
    return f"APP{part.marker - _APPLICATION_MARKERS.start} segment"


def list_needed_parts(file: JpegFile) -> list[Segment | Scan]:
    """Return the parts of a file that every decoder needs: frame, restart intervals and scans."""
    return [
        part
        for part in file.parts
        if isinstance(part, Scan)
        or part.marker in FRAME_MARKERS
        or part.marker == RESTART_INTERVAL_MARKER
    ]


def read_color_segments(file: JpegFile) -> tuple[bool, int | None]:
    """Return whether a file has a JFIF segment, and the transform in its Adobe segment, or None.

    By them, decoders distinguish RGB from YCbCr, and CMYK from YCCK. The first of each kind counts.
    """
    segments_by_marker: dict[int, Segment] = {}
    for (marker, signature), min_size in (
        (JFIF_START, _MIN_JFIF_BYTES),
        (ADOBE_START, _MIN_ADOBE_BYTES),
    ):
        for part in file.parts:
            if isinstance(part, Scan) or part.marker != marker:
                continue
            if part.body.startswith(signature) and len(part.body) >= min_size:
                segments_by_marker.setdefault(marker, part)
    adobe_segment = segments_by_marker.get(ADOBE_START[0])
    return JFIF_START[
        0
    ] in segments_by_marker, None if adobe_segment is None else adobe_segment.body[
        _MIN_ADOBE_BYTES - 1
    ]


def _list_color_segments(file: JpegFile) -> Iterator[Segment]:
    has_jfif, adobe_transform = read_color_segments(file)
    if has_jfif:
        yield Segment(JFIF_START[0], _MINIMAL_JFIF_BODY)
    if adobe_transform is not None:
        yield Segment(ADOBE_START[0], _MINIMAL_ADOBE_BODY + bytes([adobe_transform]))


def _list_metadata_segments(cleartext_metadata: Metadata) -> Iterator[Segment]:
    for (marker, signature), body in (
        (EXIF_START, cleartext_metadata.exif),
        (XMP_START, cleartext_metadata.xmp),
    ):
        if body:
            yield Segment(marker, signature + body)
    if cleartext_metadata.icc:
        # Part 1 of 1, since a rewritten profile always fits into one segment.
        yield Segment(PROFILE_START[0], PROFILE_START[1] + b"\1\1" + cleartext_metadata.icc)


def make_quantizer_segment(file: JpegFile) -> Segment:
    """Return the quantizers of a file in one segment.

    Raises `UnsupportedError` if two components use different quantizers of the same number.
    """
    tables: dict[int, bytes] = {}
    for component, quantizer in zip(file.frame.components, file.quantizers, strict=True):
        has_16_bits = bool(quantizer.max() > 0xFF)
        kind = bytes([16 * has_16_bits + component.quantizer])
        table = kind + quantizer.astype(np.dtype(">u2") if has_16_bits else np.uint8).tobytes()
        if tables.setdefault(component.quantizer, table) != table:
            raise UnsupportedError("two components use different quantizers of the same number")
    return Segment(QUANTIZER_MARKER, b"".join(tables.values()))


def read_file_metadata(file: JpegFile) -> Metadata:
    """Return the metadata in the segments of a file."""
    reader, is_after_scan = MetadataReader(), False
    for part in file.parts:
        if isinstance(part, Segment):
            reader.take_segment(part.marker, part.body, is_after_scan=is_after_scan)
        else:
            is_after_scan = True
    return reader.get_metadata()
