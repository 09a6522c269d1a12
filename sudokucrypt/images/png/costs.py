"""Measure how many compressed bytes of a PNG belong to each of its lines."""

import zlib
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.driver import Source
from sudokucrypt.images.png.file import walk_chunks
from sudokucrypt.images.png.samples import SampleFormat

# The number of pieces in which a file is inflated, to find how many lines each piece contains.
_PIECE_COUNT: Final = 2**14
_MIN_PIECE_BYTES: Final = 256  # bytes
_CHUNK_OVERHEAD: Final = 12  # bytes of length, kind and checksum
_MAX_INFLATED_BYTES: Final = 2**20  # bytes


@dataclass(frozen=True, eq=False, kw_only=True)
class PngCosts:
    """The numbers of bytes that the parts of a PNG take."""

    other_bytes: int  #: Bytes of everything except compressed samples.
    #: Compressed bytes of each line, shape (rows,); None for an interlaced file.
    lines: NDArray[np.float64] | None
    inflated_bytes: int  #: Bytes of all lines before compression.
    metadata: bool  #: Whether the file has chunks with EXIF or compressed text, as for a thumbnail.


def measure_png_costs(data: bytes) -> PngCosts:
    """Return the numbers of bytes that the parts of a valid PNG take.

    Parameters
    ----------
    data : bytes
        The content of a PNG file.
    """
    header_chunk, *chunks = walk_chunks(Source(data, "the picture", 0))
    layout = SampleFormat.read(Source(data, "the picture", 0), *header_chunk)
    idat_bodies = [body for kind, body in chunks if kind == b"IDAT"]
    other_bytes = len(data) - sum(_CHUNK_OVERHEAD + len(body) for body in idat_bodies)
    metadata = any(kind in (b"eXIf", b"zTXt") for kind, _ in chunks)
    line = layout.line_size + 1
    if layout.is_interlaced:
        lines = None
    else:
        compressed_data = b"".join(idat_bodies)
        line_ends = np.interp(np.arange(layout.rows + 1) * line, *_trace_inflating(compressed_data))
        lines = np.diff(line_ends)
    return PngCosts(
        other_bytes=other_bytes, lines=lines, inflated_bytes=layout.rows * line, metadata=metadata
    )


def _trace_inflating(compressed_data: bytes) -> tuple[list[int], list[int]]:
    """Return lists of the total bytes inflated, and of the total bytes read, after each piece."""
    decompressor, inflated_sizes, read_sizes = zlib.decompressobj(), [0], [0]
    size = max(_MIN_PIECE_BYTES, len(compressed_data) // _PIECE_COUNT)
    for start in range(0, len(compressed_data), size):
        compressed_piece, inflated_size = compressed_data[start : start + size], inflated_sizes[-1]
        while compressed_piece and not decompressor.eof:
            inflated_size += len(decompressor.decompress(compressed_piece, _MAX_INFLATED_BYTES))
            compressed_piece = decompressor.unconsumed_tail
        inflated_sizes.append(inflated_size)
        read_sizes.append(min(start + size, len(compressed_data)))
    return inflated_sizes, read_sizes
