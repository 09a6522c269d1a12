"""Build JPEG files from coefficients, in kinds that no program here writes."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg import JpegFile, Scan, Segment, read_coefficients
from sudokucrypt.images.jpeg.blocks import AC_REFINED
from sudokucrypt.images.jpeg.frame import read_frame
from sudokucrypt.images.jpeg.scans import ScanReader
from sudokucrypt.typing import AnyArray

MOST_PIXELS = 10**7

PROGRESSION = (
    ((0,), 0, 0, 0, 1),
    ((0,), 1, 5, 0, 2),
    ((0,), 6, 63, 0, 2),
    ((0,), 1, 63, 2, 1),
    ((0,), 0, 0, 1, 0),
    ((0,), 1, 63, 1, 0),
)
"""A script that refines the coefficients of one component bit by bit.

Each scan is said by components, first and last coefficient, and the bits missing before and after.
"""


def read(data: bytes, **options: Any) -> JpegFile:
    """Return the decoded file, if it has at most `MOST_PIXELS` pixels."""
    return read_coefficients(data, **{"max_pixels": MOST_PIXELS, **options})


def make_sparse_blocks(shape: tuple[int, int], *, seed: int = 1, share: float = 0.2) -> AnyArray:
    """Return blocks with a share of nonzero coefficients, smaller for higher frequencies."""
    generator = np.random.default_rng([*shape, seed])
    values = generator.normal(0, 1, (*shape, 64)) * (1 + 500 / np.arange(1, 65) ** 1.5)
    return (values * (generator.random((*shape, 64)) < share)).round().astype(np.int16)


def make_file(
    rows: int,
    columns: int,
    samplings: Sequence[tuple[int, int]] = ((1, 1),),
    script: Sequence[Any] = (),
    *,
    restart: int = 0,
    nonzero_share: float = 0.2,
) -> JpegFile:
    """Return a file with suitable Huffman tables; without a script, one scan has all components."""
    count = len(samplings)
    entries = b"".join(bytes([7 * n, x << 4 | y, n % 2]) for n, (y, x) in enumerate(samplings))
    body = struct.pack(">BHHB", 8, rows, columns, count) + entries
    source = Source(b"", "made", MOST_PIXELS)
    frame = Segment(0xC2 if script else 0xC1, body)
    jpeg_frame = read_frame(source, frame.marker, body)
    scan_reader = ScanReader(source, jpeg_frame)
    scans = [
        scan_reader.read_scan(make_scan_segment(*step))
        for step in script or [(range(count), 0, 63, 0, 0)]
    ]
    quantizers = Segment(0xDB, b"\0" + bytes([3] * 64) + b"\1" + bytes([5] * 64))
    planes = [
        make_sparse_blocks(component.shape, seed=index, share=nonzero_share)
        for index, component in enumerate(jpeg_frame.components)
    ]
    file = JpegFile(
        frame=jpeg_frame,
        parts=(quantizers, frame, Segment(0xDD, struct.pack(">H", restart)), *scans),
        quantizers=tuple(np.full(64, 3 + 2 * (n % 2), dtype=np.uint16) for n in range(count)),
        coefficients=tuple(planes),
        missing=scan_reader.missing_bits,
    )
    for plane, component in zip(planes, jpeg_frame.components, strict=True):
        if script:  # scans of one component send no dummy blocks
            plane[component.blocks[0] :], plane[:, component.blocks[1] :] = 0, 0
    return file.optimize()


def make_scan_segment(
    components: Sequence[int], first_index: int, last_index: int, before: int, after: int
) -> Segment:
    """Return the segment of a scan of components of `make_file`; each has tables of its own."""
    component_bytes = b"".join(bytes([7 * n, n << 4 | n]) for n in components)
    band = bytes([first_index, last_index, before << 4 | after])
    return Segment(0xDA, bytes([len(components)]) + component_bytes + band)


def replace_scan(file: JpegFile, index: int, **fields: Any) -> JpegFile:
    """Return the file with other fields of one of its scans."""
    scans = [part_index for part_index, part in enumerate(file.parts) if isinstance(part, Scan)]
    parts = list(file.parts)
    parts[scans[index]] = replace(file.scans[index], **fields)
    return replace(file, parts=tuple(parts))


def list_blocks_in_runs(file: JpegFile, index: int, positions: Iterable[int]) -> tuple[int, ...]:
    """Return the given blocks of a scan that can be in a run of ends of block."""
    scan = file.scans[index]
    if not scan.first:
        return ()
    rows, columns = scan.units(file.frame)
    blocks = file.coefficients[scan.components[0]][:rows, :columns].reshape(-1, 64)
    sizes = np.abs(blocks[:, scan.first : scan.last + 1].astype(np.int32)) >> scan.low_bit
    new = np.any(sizes == 1 if scan.kind == AC_REFINED else sizes > 0, axis=1).tolist()
    return tuple(position for position in positions if position < len(new) and not new[position])


def are_equal_coefficients(first_file: JpegFile, second_file: JpegFile) -> bool:
    """Return whether two files have the same coefficients, including those of dummy blocks."""
    plane_pairs = zip(first_file.coefficients, second_file.coefficients, strict=True)
    return all(np.array_equal(first, second) for first, second in plane_pairs)
