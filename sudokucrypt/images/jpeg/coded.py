"""Decode and encode the coded data of a scan: stuffed zeros, restart markers, padding and bits.

::

    data of an interval, padding | FF D0 | data, padding | FF D1 | ... | data, padding | strays
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import FormatError, InvalidParameterError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.blocks import (
    AC_FIRST,
    AC_REFINED,
    COEFFICIENT_COUNT,
    MAX_RUN_BLOCKS,
    SEQUENTIAL,
    BlockArray,
)
from sudokucrypt.images.jpeg.frame import JpegFrame
from sudokucrypt.images.jpeg.huffman import SYMBOL_COUNT, HuffmanTable
from sudokucrypt.images.jpeg.scans import Scan
from sudokucrypt.images.jpeg.tables import Tables
from sudokucrypt.kernels import load_or_defer_kernels
from sudokucrypt.typing import IntArray

if TYPE_CHECKING:
    from sudokucrypt.images.jpeg._kernels import entropy as _kernels
else:
    _kernels = load_or_defer_kernels(
        "sudokucrypt.images.jpeg._kernels", "entropy", "the coefficients of JPEG files"
    )

# The blocks of each component, by its index in the frame.
Planes = dict[int, BlockArray]

# Huffman tables by their kind, 0 for DC or 1 for AC, and number.
HuffmanTables = dict[tuple[int, int], HuffmanTable]


# The number of tables that tokens distinguish, and the first table for AC.
_TABLE_COUNT, _FIRST_AC_TABLE = (
    16,
    4,
)
_RESTART_PATTERN: Final = re.compile(rb"\xff[\xd0-\xd7]")
_FIRST_RESTART_MARKER: Final = 0xD0
_FILL_BYTE: Final = b"\xff"
# In coded data, a zero follows each byte of 255, to distinguish it from a marker.
_STUFFED_BYTE: Final = b"\xff\x00"
# Some cameras write a few more bytes after the last block, or a restart marker.
_MAX_STRAY_BYTES: Final = 64
# Bytes of coefficients that a file of any size may have. A thin picture is completed to full
# units, which may have 48 times as many coefficients as the picture.
_MIN_COEFFICIENT_LIMIT: Final = 2**24
# Bytes of coefficients for each pixel. A picture of 100 million pixels with a quarter of the color
# samples takes 1 GiB.
_MAX_BYTES_PER_PIXEL: Final = 2.25

_NO_LOOKUP: Final = np.zeros(0, dtype=np.uint16)


def decode_scan(
    scan: Scan, coded_data: bytes, planes: Planes, *, frame: JpegFrame, tables: Tables
) -> Scan:
    """Decode the data of a scan into the planes.

    The scan is returned with its padding, breaks and strays. `InvalidImageError` is raised if a
    restart marker, a table or a block is missing, or more than a few bytes are left over.
    """
    source, huffman_tables = tables.source, tables.huffman_tables
    if any(table not in huffman_tables for table in scan.tables()):
        raise source.report_damage("a scan uses a Huffman table that is missing")
    interval, interval_count = _count_intervals(scan, frame, tables)
    intervals_with_stuffing = _split_intervals(source, coded_data, interval_count)
    bits, interval_ends = _remove_stuffing(source, intervals_with_stuffing)
    components = [frame.components[index] for index in scan.components]
    samplings = [scan.sampling(component) for component in components]
    units = scan.units(frame)
    # Checked before memory is reserved: outside of runs, each block takes at least one bit, and a
    # block with all its coefficients takes at least two bits.
    if scan.first == 0 and 8 * int(interval_ends[-1]) < scan.blocks(frame) * (
        2 if scan.kind == SEQUENTIAL else 1
    ):
        raise source.report_cut()
    for index, component in zip(scan.components, components, strict=True):
        if index not in planes:
            size = np.int16().itemsize * COEFFICIENT_COUNT * prod(component.shape)
            source.claim(
                size,
                "coefficients",
                bytes_per_pixel=_MAX_BYTES_PER_PIXEL,
                free_bytes=_MIN_COEFFICIENT_LIMIT,
            )
            planes[index] = np.zeros((*component.shape, COEFFICIENT_COUNT), dtype=np.int16)
    is_complete, positions, run_breaks = _kernels.decode(
        bits,
        interval_ends,
        [planes[index] for index in scan.components],
        samplings,
        units,
        interval,
        (scan.kind, scan.first, scan.last, scan.low_bit),
        _make_lookups(scan, huffman_tables),
        _find_longest_run(scan, huffman_tables),
    )
    if not is_complete:
        raise source.report_damage("the coded data of a scan break off or do not decode")
    data_ends = (positions + 7) >> 3
    stray_bytes = _list_stray_bytes(
        intervals_with_stuffing, bits, interval_ends.tolist(), data_ends.tolist()
    )
    if sum(len(stray_piece.strip(_FILL_BYTE)) for _, stray_piece in stray_bytes) > _MAX_STRAY_BYTES:
        raise source.report_damage("there are bytes after the last block of a scan")
    data_bit_masks = 0xFF << (8 * data_ends - positions) & 0xFF
    padding = (np.frombuffer(bits, dtype=np.uint8)[data_ends - 1] | data_bit_masks).astype(np.uint8)
    return replace(
        scan,
        padding=b"" if (padding == 0xFF).all() else padding.tobytes(),
        run_breaks=tuple(run_breaks.tolist()),
        stray_bytes=stray_bytes,
    )


def fit_tables(scan: Scan, planes: Planes, *, frame: JpegFrame, tables: Tables) -> HuffmanTables:
    """Return the Huffman tables with which the coded data of a scan take the fewest bits."""
    counts = _kernels.count(*_list_kernel_arguments(scan, planes, frame, tables, MAX_RUN_BLOCKS))
    counts = counts.reshape(_TABLE_COUNT, SYMBOL_COUNT)
    return {
        (kind, name): HuffmanTable.from_frequencies(counts[_FIRST_AC_TABLE * kind + name])
        for kind, name in scan.tables()
    }


def _list_kernel_arguments(
    scan: Scan, planes: Planes, frame: JpegFrame, tables: Tables, longest_run: int
) -> tuple[Any, ...]:
    """Return the arguments that kernels need to write a scan.

    `longest_run` is the number of blocks that a run may have.
    """
    if scan.run_breaks and not _has_valid_breaks(scan, planes, frame):
        raise FormatError("a run of blocks breaks at a block that cannot be in a run")
    components = [frame.components[index] for index in scan.components]
    return (
        [planes[index] for index in scan.components],
        [scan.sampling(component) for component in components],
        scan.units(frame),
        _count_intervals(scan, frame, tables)[0],
        (scan.kind, scan.first, scan.last, scan.low_bit),
        list(zip(scan.dc_tables, scan.ac_tables, strict=True)),
        longest_run,
        np.array(scan.run_breaks, dtype=np.int64),
    )


def _has_valid_breaks(scan: Scan, planes: Planes, frame: JpegFrame) -> bool:
    """Return whether each block at which a run breaks can be in a run: its band has no new bits."""
    rows, columns = scan.units(frame)
    run_breaks = np.array(scan.run_breaks)
    if scan.kind not in (AC_FIRST, AC_REFINED) or run_breaks.max() >= rows * columns:
        return False
    blocks = planes[scan.components[0]][run_breaks // columns, run_breaks % columns]
    sizes = np.abs(blocks[:, scan.first : scan.last + 1].astype(np.int32)) >> scan.low_bit
    return not (sizes == 1 if scan.kind == AC_REFINED else sizes).any()


def encode_scan(scan: Scan, planes: Planes, *, frame: JpegFrame, tables: Tables) -> bytes:
    """Return the coded data of a scan with these tables.

    Raises `FormatError` if a run breaks at a block that cannot be in a run, which readers could
    interpret differently; and `InvalidParameterError` if a table lacks the code of a symbol.
    """
    huffman_tables = tables.huffman_tables
    codes = np.zeros((_TABLE_COUNT, SYMBOL_COUNT), dtype=np.uint32)
    for kind, name in scan.tables():
        codes[_FIRST_AC_TABLE * kind + name] = huffman_tables[kind, name].codes
    interval_count = _count_intervals(scan, frame, tables)[1]
    padding = scan.padding or _FILL_BYTE * interval_count
    if len(padding) != interval_count:
        raise InvalidParameterError(
            f"a scan of {interval_count} restart intervals lacks their padding"
        )
    blocks = _list_kernel_arguments(
        scan, planes, frame, tables, _find_longest_run(scan, huffman_tables)
    )
    bits_and_positions = _kernels.code(codes.ravel(), padding, *blocks)
    if bits_and_positions is None:
        raise InvalidParameterError(
            "the Huffman tables have no code for some of the coefficients",
            hint="make tables that fit them with optimize()",
        )
    bits, positions = bits_and_positions
    stray_bytes = dict(scan.stray_bytes)
    coded_parts = []
    interval_start = 0
    for index, interval_end in enumerate(positions.tolist()):
        if index:
            coded_parts.append(bytes([0xFF, _FIRST_RESTART_MARKER + (index - 1) % 8]))
        coded_parts.append(bits[interval_start:interval_end].replace(_FILL_BYTE, _STUFFED_BYTE))
        if index in stray_bytes:
            coded_parts.append(stray_bytes[index])
        interval_start = interval_end
    return b"".join(coded_parts)


def _count_intervals(scan: Scan, frame: JpegFrame, tables: Tables) -> tuple[int, int]:
    """Return the number of units of a restart interval, and the number of intervals."""
    rows, columns = scan.units(frame)
    interval_units = tables.restart_interval or rows * columns
    return interval_units, -(-rows * columns // interval_units)


def _find_longest_run(scan: Scan, huffman_tables: HuffmanTables) -> int:
    """Return the maximum number of blocks in a run, as limited by the tables of a scan."""
    longest_runs = [huffman_tables[kind, name].longest_run for kind, name in scan.tables() if kind]
    return max(longest_runs, default=1)


def _split_intervals(source: Source, coded_data: bytes, interval_count: int) -> list[bytes]:
    """Split coded data at the restart markers into the given number of intervals."""
    marker_positions = [
        marker.start()
        for marker in islice(_RESTART_PATTERN.finditer(coded_data), interval_count - 1)
    ]
    if len(marker_positions) < interval_count - 1:
        raise source.report_damage("a scan lacks restart markers")
    restart_numbers = bytes(
        coded_data[marker + 1] - _FIRST_RESTART_MARKER for marker in marker_positions
    )
    if restart_numbers != bytes(index % 8 for index in range(interval_count - 1)):
        raise source.report_damage("the restart markers of a scan are out of order")
    starts, interval_ends = (
        [0, *(marker + 2 for marker in marker_positions)],
        [*marker_positions, len(coded_data)],
    )
    return [coded_data[start:end] for start, end in zip(starts, interval_ends, strict=True)]


def _remove_stuffing(source: Source, intervals: Sequence[bytes]) -> tuple[bytearray, IntArray]:
    """Return the data of all intervals without stuffed zeros and trailing fill bytes.

    The second result is the position where each interval ends. Surplus restart markers are in the
    last interval, whose data end at the first of them.
    """
    trimmed_intervals = [piece.rstrip(_FILL_BYTE) for piece in intervals]
    unstuffed_data = _kernels.unstuff(trimmed_intervals)
    if unstuffed_data is None and (next_marker := _RESTART_PATTERN.search(trimmed_intervals[-1])):
        trimmed_intervals[-1] = trimmed_intervals[-1][: next_marker.start()].rstrip(_FILL_BYTE)
        unstuffed_data = _kernels.unstuff(trimmed_intervals)
    if unstuffed_data is None:
        raise source.report_damage("there is a stray marker in a scan")
    return unstuffed_data


def _list_stray_bytes(
    coded_intervals: Sequence[bytes], bits: bytearray, ends: Sequence[int], data_ends: Sequence[int]
) -> tuple[tuple[int, bytes], ...]:
    """Return the numbers of the intervals that have bytes after their data, with these bytes.

    `ends` are the positions in `bits` where the intervals end, and `data_ends` where their data do.
    """
    stray_bytes = []
    for index, (interval_data, start, stop) in enumerate(
        zip(coded_intervals, [0, *ends], data_ends, strict=False)
    ):
        # The size of the data with their stuffed zeros.
        size = stop - start + bits.count(_FILL_BYTE, start, stop)
        if size < len(interval_data):
            stray_bytes.append((index, interval_data[size:]))
    return tuple(stray_bytes)


def _make_lookups(
    scan: Scan, huffman_tables: HuffmanTables
) -> list[tuple[NDArray[np.uint16], NDArray[np.uint16]]]:
    """Return the lookups of the tables for DC and AC of each component, empty if unused."""
    lookups = {key: huffman_tables[key].lookup for key in scan.tables()}
    return [
        (lookups.get((0, dc), _NO_LOOKUP), lookups.get((1, ac), _NO_LOOKUP))
        for dc, ac in zip(scan.dc_tables, scan.ac_tables, strict=True)
    ]
