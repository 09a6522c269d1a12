"""Read a JPEG file to its quantized coefficients, or read a file whose scans have no data."""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.blocks import COEFFICIENT_COUNT
from sudokucrypt.images.jpeg.coded import Planes, decode_scan
from sudokucrypt.images.jpeg.coefficients import JpegFile
from sudokucrypt.images.jpeg.file import (
    END_MARKER,
    FRAME_MARKERS,
    SCAN_MARKER,
    START_OF_IMAGE,
    ScannedSegment,
    Segment,
    check_scan_count,
    walk_segments,
)
from sudokucrypt.images.jpeg.frame import JpegFrame, read_frame
from sudokucrypt.images.jpeg.scans import Scan, ScanReader
from sudokucrypt.images.jpeg.tables import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Each segment becomes an object, and a file of many empty segments must not fill the memory.
_MAX_SEGMENTS: Final = 2**14

# The attributes `padding`, `run_breaks` and `stray_bytes` of a `Scan`.
ScanDetails = tuple[bytes, tuple[int, ...], tuple[tuple[int, bytes], ...]]


def read_coefficients(data: bytes, *, max_pixels: int, name: str = "the picture") -> JpegFile:
    """Decode a JPEG file to its quantized coefficients and everything else in it.

    Files must be baseline, extended or progressive, with Huffman codes and 8-bit samples. This
    function is stricter than viewers: every block must be present, every code must be valid, and
    almost every byte must belong to a block. `JpegFile.is_same_file` tells whether the result gives
    the same bytes. It does not if the encoder was unusual, and for example coded zeros before the
    end of a block.

    All coefficients together may take 2.25 bytes for each of `max_pixels`, or 16 MiB if that is
    more. Decoding takes up to four times the size of the file in addition.

    Raises `UnsupportedError` if the file is lossless, hierarchical, arithmetically coded or not of
    8 bits, has more than four components, very many scans or segments, or states its height at its
    end (DNL); and `InvalidImageError` if it is not a JPEG, damaged or cut short, or claims more
    pixels than may be read.

    Parameters
    ----------
    data : bytes
        The content of the file.
    max_pixels : int
        The largest number of pixels of a file that is read.
    name : str, default "the picture"
        The name of the file in messages.

    Examples
    --------
    >>> import imagecodecs, numpy
    >>> data = imagecodecs.jpeg8_encode(numpy.zeros((20, 30), numpy.uint8))
    >>> file = read_coefficients(data, max_pixels=1000)
    >>> file.coefficients[0].shape, file.is_same_file(data)
    ((3, 4, 64), True)
    """
    source, planes = Source(data, name, max_pixels), Planes()

    def decode(scan: Scan, coded_data: bytes, frame: JpegFrame, tables: Tables) -> Scan:
        return decode_scan(scan, coded_data, planes, frame=frame, tables=tables)

    file = _read_file(source, decode)
    return replace(
        file, coefficients=tuple(planes[index] for index in range(len(file.coefficients)))
    )


def read_skeleton(
    data: bytes, get_details: Callable[[int], ScanDetails], *, max_pixels: int
) -> JpegFile:
    """Return the file with the given `JpegFile.skeleton`, with all coefficients zero.

    The coefficients take no memory. `get_details` is called for each scan with the number of its
    blocks, and returns its padding, breaks and strays. Errors are those of `read_coefficients`.
    """
    source = Source(data, "the picture", max_pixels)

    def complete_scan(scan: Scan, coded_data: bytes, frame: JpegFrame, tables: Tables) -> Scan:
        if coded_data or any(table not in tables.huffman_tables for table in scan.tables()):
            raise source.report_damage("its scans do not match their description")
        padding, run_breaks, stray_bytes = get_details(scan.blocks(frame))
        return replace(scan, padding=padding, run_breaks=run_breaks, stray_bytes=stray_bytes)

    return _read_file(source, complete_scan)


def _read_file(
    source: Source, decode: Callable[[Scan, bytes, JpegFrame, Tables], Scan]
) -> JpegFile:
    """Return a file with zero coefficients; `decode` is called with the coded data of each scan."""
    if not source.data.startswith(START_OF_IMAGE):
        raise source.report_damage("it does not begin as a JPEG")
    *segments, end_segment = _list_segments(source)
    tables = Tables(source)
    quantizers: dict[int, NDArray[np.uint16]] = {}
    scan_reader: ScanReader | None = None
    parts: list[Segment | Scan] = []
    scan_count = sum(part.marker == SCAN_MARKER for part in segments)
    for part in segments:
        segment = Segment(part.marker, bytes(part.body), part.fill)
        if part.marker in FRAME_MARKERS:
            if scan_reader is not None:
                raise source.report_damage("it has two frames")
            scan_reader = ScanReader(source, read_frame(source, segment.marker, segment.body))
            check_scan_count(source, scan_count, scan_reader.frame.rows * scan_reader.frame.columns)
        if part.marker != SCAN_MARKER:
            tables.take_segment(segment.marker, segment.body)
            parts.append(segment)
            continue
        if scan_reader is None:
            raise source.report_damage("a scan comes before the frame")
        scan = scan_reader.read_scan(segment)
        for index in scan.components:
            name = scan_reader.frame.components[index].quantizer
            if name not in tables.quantizers:
                raise source.report_damage("a scan uses a quantization table that is missing")
            quantizers.setdefault(index, tables.quantizers[name])
        parts.append(decode(scan, bytes(part.coded_data), scan_reader.frame, tables))
    if scan_reader is None or (scan_reader.missing_bits[:, 0] < 0).any():
        raise source.report_damage("it lacks a scan of one of its components")
    zero_coefficient = np.zeros((), dtype=np.int16)
    return JpegFile(
        frame=scan_reader.frame,
        parts=tuple(parts),
        quantizers=tuple(quantizers[index] for index in range(len(scan_reader.frame.components))),
        coefficients=tuple(
            np.broadcast_to(zero_coefficient, (*component.shape, COEFFICIENT_COUNT))
            for component in scan_reader.frame.components
        ),
        missing=scan_reader.missing_bits,
        tail=bytes(end_segment.body),
        fill=end_segment.fill,
    )


def _list_segments(source: Source) -> list[ScannedSegment]:
    segments = list(islice(walk_segments(source), _MAX_SEGMENTS))
    if segments[-1].marker != END_MARKER:
        raise source.refuse_kind(f"a JPEG of more than {_MAX_SEGMENTS - 1} segments")
    return segments
