"""What the lines of a PNG cost: how many of its compressed bytes belong to each of them."""

import zlib
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.driver import Source
from sudokucrypt.images.png.file import walk_chunks
from sudokucrypt.images.png.samples import SampleFormat

# Pieces that a file is inflated in, so that the lines of each are known.
_PIECES: Final = 2**14
_LEAST_PIECE: Final = 256
_CHUNK: Final = 12  # bytes around the body of one
_MORE: Final = 2**20  # bytes that are inflated at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class PngCosts:
    """Bytes of a PNG."""

    others: int  #: Of what is no sample.
    #: Compressed ones of each line, shape (rows,); None of an interlaced file, which has others.
    lines: NDArray[np.float64] | None
    inflated: int  #: Of all samples before they were compressed.
    metadata: bool  #: Whether there are chunks that may hold a thumbnail: EXIF, compressed text.


def costs_of_png(data: bytes) -> PngCosts:
    """Return the costs of a PNG that was read before.

    Parameters
    ----------
    data : bytes
        The content of a PNG file.
    """
    chunks = walk_chunks(Source(data, "the picture", 0))
    layout = SampleFormat.read(Source(data, "the picture", 0), *next(chunks))
    found = list(chunks)
    parts = [body for kind, body in found if kind == b"IDAT"]
    others = len(data) - sum(_CHUNK + len(body) for body in parts)
    metadata = any(kind in (b"eXIf", b"zTXt") for kind, _ in found)
    line = layout.line_size + 1
    if layout.interlaced:
        lines = None
    else:
        packed = b"".join(parts)
        ends = np.interp(np.arange(layout.rows + 1) * line, *_iterate_progress(packed))
        lines = np.diff(ends)
    return PngCosts(others=others, lines=lines, inflated=layout.rows * line, metadata=metadata)


def _iterate_progress(packed: bytes) -> tuple[list[int], list[int]]:
    """Return after each piece of a zlib stream how many bytes were inflated, and read."""
    engine, written, read = zlib.decompressobj(), [0], [0]
    size = max(_LEAST_PIECE, len(packed) // _PIECES)
    for start in range(0, len(packed), size):
        piece, total = packed[start : start + size], written[-1]
        while piece and not engine.eof:
            total += len(engine.decompress(piece, _MORE))
            piece = engine.unconsumed_tail
        written.append(total)
        read.append(min(start + size, len(packed)))
    return written, read
