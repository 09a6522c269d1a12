"""JPEG files as they are written: what viewers need, our header, and cleartext metadata.

::

    JFIF, Adobe | Exif, XMP, ICC profile | our header | quantizers | frame | tables and scans

Nothing else comes along: neither previews, comments and other pictures, nor what hides in tables
that no component uses.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.jpeg.coefficients import JpegFile
from sudokucrypt.images.jpeg.file import (
    EXIF,
    FRAMES,
    JFIF,
    PROFILE,
    QUANTIZERS,
    RESTARTS,
    XMP,
    MetadataReader,
    Segment,
    header_piece,
    header_segments,
)
from sudokucrypt.images.jpeg.scans import Scan
from sudokucrypt.images.picture import Metadata

ADOBE: Final = (0xEE, b"Adobe")

_JFIF_LEAST, _ADOBE_LEAST = 14, 12  # bytes that decoders ask for
_PLAIN_JFIF: Final = b"JFIF\0" + bytes([1, 1, 0, 0, 1, 0, 1, 0, 0])  # no density, no preview
_PLAIN_ADOBE: Final = b"Adobe" + bytes([0, 100, 0, 0, 0, 0])
_APPLICATIONS: Final = range(0xE0, 0xF0)
_COMMENT: Final = 0xFE
_STARTS: Final = {"JFIF": JFIF, "Exif": EXIF, "XMP": XMP, "ICC profile": PROFILE, "Adobe": ADOBE}


def output_file(file: JpegFile, header: bytes) -> bytes:
    """Return a file with these coefficients, fitting tables and our header.

    Errors are those of `quantizer_segment`.
    """
    return shown_file(file, Metadata(), header_segments(header))


def shown_file(file: JpegFile, cleartext: Metadata, ours: Iterable[Segment] = ()) -> bytes:
    """Return a file with these coefficients and fitting tables, and nothing else of the original.

    Errors are those of `quantizer_segment`.
    """
    parts = needed_parts(file)
    extra = (*_colors(file), *_metadata(cleartext), *ours)
    whole = (*extra, quantizer_segment(file), *parts)
    return replace(file, parts=whole, tail=b"", fill=0).optimize().to_bytes()


def without_metadata(file: JpegFile) -> JpegFile:
    """Return a file that tells nothing but its picture."""
    parts = tuple(
        part
        for part in file.parts
        if isinstance(part, Scan) or not (part.marker in _APPLICATIONS or part.marker == _COMMENT)
    )
    return replace(file, parts=(*_colors(file), *parts), tail=b"", fill=0)


def added_parts(file: JpegFile, original: JpegFile) -> tuple[str, ...]:
    """Return the names of what a scrambled file has that `output_file` does not write.

    Anybody may have added it: only the original file is authenticated. A JFIF segment is not named,
    since programs write it anew.
    """
    own = {(part.marker, bytes(part.body)) for part in _colors(original)}
    names = [
        _title(part)
        for part in file.parts
        if not isinstance(part, Scan)
        and (part.marker in _APPLICATIONS or part.marker == _COMMENT)
        and (part.marker, bytes(part.body)) not in own
        and header_piece(part.marker, part.body) is None
    ]
    names += ["data after the picture"] if file.tail else []
    return tuple(dict.fromkeys(name for name in names if name != "JFIF"))


def _title(part: Segment) -> str:
    """Return the name of an application segment or a comment."""
    for title, (marker, start) in _STARTS.items():
        if part.marker == marker and part.body.startswith(start):
            return title
    if part.marker == _COMMENT:
        return "comment"
    return f"APP{part.marker - _APPLICATIONS.start} segment"


def needed_parts(file: JpegFile) -> list[Segment | Scan]:
    """Return the parts of a file that every decoder needs: frame, restart intervals and scans."""
    return [
        part
        for part in file.parts
        if isinstance(part, Scan) or part.marker in FRAMES or part.marker == RESTARTS
    ]


def color_signs(file: JpegFile) -> tuple[bool, int | None]:
    """Return whether a file says that it is JFIF, and the transform that it has of Adobe, or None.

    Decoders look at them to tell RGB from YCbCr, and CMYK from YCCK. The first of each counts.
    """
    found: dict[int, Segment] = {}
    for (marker, start), least in ((JFIF, _JFIF_LEAST), (ADOBE, _ADOBE_LEAST)):
        for part in file.parts:
            if isinstance(part, Scan) or part.marker != marker:
                continue
            if part.body.startswith(start) and len(part.body) >= least:
                found.setdefault(marker, part)
    adobe = found.get(ADOBE[0])
    return JFIF[0] in found, None if adobe is None else adobe.body[_ADOBE_LEAST - 1]


def _colors(file: JpegFile) -> Iterator[Segment]:
    jfif, transform = color_signs(file)
    if jfif:
        yield Segment(JFIF[0], _PLAIN_JFIF)
    if transform is not None:
        yield Segment(ADOBE[0], _PLAIN_ADOBE + bytes([transform]))


def _metadata(cleartext: Metadata) -> Iterator[Segment]:
    for (marker, start), body in ((EXIF, cleartext.exif), (XMP, cleartext.xmp)):
        if body:
            yield Segment(marker, start + body)
    if cleartext.icc:
        # The first of one: what is written anew always fits into one segment.
        yield Segment(PROFILE[0], PROFILE[1] + b"\1\1" + cleartext.icc)


def quantizer_segment(file: JpegFile) -> Segment:
    """Return the quantizers of a file in one segment.

    Raises `UnsupportedError` if two components use different ones by one name.
    """
    tables: dict[int, bytes] = {}
    for component, steps in zip(file.frame.components, file.quantizers, strict=True):
        wide = bool(steps.max() > 0xFF)
        kind = bytes([16 * wide + component.quantizer])
        table = kind + steps.astype(np.dtype(">u2") if wide else np.uint8).tobytes()
        if tables.setdefault(component.quantizer, table) != table:
            raise UnsupportedError("two components use different quantizers by one name")
    return Segment(QUANTIZERS, b"".join(tables.values()))


def metadata_of(file: JpegFile) -> Metadata:
    """Return the metadata in the segments of a file."""
    reader, late = MetadataReader(), False
    for part in file.parts:
        if isinstance(part, Segment):
            reader.take(part.marker, part.body, late=late)
        else:
            late = True
    return reader.finish()
