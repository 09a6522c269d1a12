"""The fallback of the entropy coder: the blocks of a scan, their tokens, and the bits of those.

A *token* is a symbol of a Huffman table with the bits that follow it, in 32 bits::

    table (4) | symbol (8) | 0 | how many bits follow (4) | these bits (15)

Tables 0 to 3 are for DC and 4 to 7 for AC. Table `RAW` is for bits without a symbol, and `END`
ends a restart interval.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.jpeg._kernels.plain_reader import DamagedError, Reader
from sudokucrypt.images.jpeg._kernels.plain_writer import RAW, TokenWriter
from sudokucrypt.images.jpeg.blocks import Band, BlockArray, Sides, in_order
from sudokucrypt.typing import AnyArray, IntArray

# The token that ends a restart interval, beside those of the kinds of tables.
_END: Final = 9

# Bytes that must follow the bits: more than the largest block takes.
_MARGIN: Final = 512

# Of all tables that a token can name.
_SYMBOLS: Final = 16 * 256

# Tokens, whose bits take many times their memory for a moment.
_AT_ONCE: Final = 2**16


def unstuff(pieces: Sequence[bytes]) -> tuple[bytearray, IntArray] | None:
    """Return the bits of restart intervals for `decode`, and the byte behind each in them.

    There is nothing to return if a byte of 255 is not followed by a zero, which is left out.
    """
    if any(piece.count(b"\xff") > piece.count(b"\xff\0") for piece in pieces):
        return None
    plain = [piece.replace(b"\xff\0", b"\xff") for piece in pieces]
    ends = np.cumsum([len(piece) for piece in plain], dtype=np.int64)
    return bytearray().join([*plain, bytes(_MARGIN)]), ends


def decode(
    bits: bytearray,
    ends: IntArray,
    planes: Sequence[BlockArray],
    samplings: Sequence[Sides],
    units: Sides,
    interval: int,
    band: Band,
    lookups: Sequence[tuple[AnyArray, AnyArray]],
    longest: int,
) -> tuple[bool, IntArray, IntArray]:
    """Decode the blocks of a scan into the planes of its components.

    Return whether all bits were decoded, the bit behind the last block of each interval, and the
    blocks at which runs do not stop or go on as `tokenize` has them by itself.

    Parameters
    ----------
    bits, ends
        As `unstuff` returns them.
    planes : sequence of ndarray of shape (rows, columns, 64), dtype int16
        The blocks of each component in zigzag order; they hold what scans before this one sent.
    samplings : sequence of tuple
        Rows and columns of blocks that each component has in a unit.
    units : tuple
        Rows and columns of units.
    interval : int
        Units of a restart interval.
    band : tuple
        Kind of the scan, first and last coefficient, and how many bits stay missing.
    lookups : sequence of tuple
        For each component the lookups of its tables for DC and AC.
    longest : int
        The blocks of the longest run of ends of block.
    """
    reader = Reader(bits, band, lookups, longest)
    positions = np.zeros(len(ends), dtype=np.int64)
    blocks = in_order(planes, samplings, units)
    per_unit = sum(rows * columns for rows, columns in samplings)
    left = units[0] * units[1]
    start = 0
    try:
        for index, end in enumerate(ends.tolist()):
            reader.begin(8 * start, 8 * end)
            for _ in range(min(interval, left) * per_unit):
                reader.take(*next(blocks))
            if reader.run:
                raise DamagedError
            left -= interval
            positions[index], start = reader.at, end
    except DamagedError:
        return False, positions, np.array(reader.breaks, dtype=np.int64)
    return True, positions, np.array(reader.breaks, dtype=np.int64)


def count(
    planes: Sequence[BlockArray],
    samplings: Sequence[Sides],
    units: Sides,
    interval: int,
    band: Band,
    numbers: Sequence[tuple[int, int]],
    longest: int,
    breaks: IntArray,
) -> IntArray:
    """Return how often a scan has each symbol of each table, of shape (4096,).

    Parameters
    ----------
    planes, samplings, units, interval, band, longest
        As `decode` has them; coefficients are in -16384..16383 for DC, -32767..32767 for AC.
    numbers : sequence of tuple
        For each component the numbers of its tables for DC and AC.
    breaks : ndarray of shape (b,), dtype int64
        The blocks at which a run stops or goes on where it does not by itself.
    """
    tokens = _tokens(planes, samplings, units, interval, band, numbers, longest, breaks)
    return np.bincount(tokens >> 20, minlength=_SYMBOLS)


def code(
    codes: NDArray[np.uint32],
    padding: bytes,
    planes: Sequence[BlockArray],
    samplings: Sequence[Sides],
    units: Sides,
    interval: int,
    band: Band,
    numbers: Sequence[tuple[int, int]],
    longest: int,
    breaks: IntArray,
) -> tuple[bytes, IntArray] | None:
    """Return the bits of a scan and the byte behind each restart interval, or none.

    Parameters
    ----------
    codes : ndarray of shape (4096,), dtype uint32
        For each table and symbol the code times 32, and the number of its bits, 0 for none. There
        is nothing to return if a symbol has no code.
    padding : bytes
        For each interval the bits that fill up its last byte, under ones.
    planes, samplings, units, interval, band, numbers, longest, breaks
        As `count` has them.
    """
    tokens = _tokens(planes, samplings, units, interval, band, numbers, longest, breaks)
    return _emitted(tokens, codes, padding)


def _tokens(
    planes: Sequence[BlockArray],
    samplings: Sequence[Sides],
    units: Sides,
    interval: int,
    band: Band,
    numbers: Sequence[tuple[int, int]],
    longest: int,
    breaks: IntArray,
) -> NDArray[np.uint32]:
    writer = TokenWriter(band, numbers, longest, breaks.tolist())
    blocks = in_order(planes, samplings, units)
    per_unit = sum(rows * columns for rows, columns in samplings)
    left = units[0] * units[1]
    while left > 0:
        writer.begin(len(planes))
        for _ in range(min(interval, left) * per_unit):
            writer.take(*next(blocks))
        writer.close()
        writer.tokens.append(_END << 28)
        left -= interval
    return np.array(writer.tokens, dtype=np.uint32)


def _emitted(
    tokens: NDArray[np.uint32], codes: NDArray[np.uint32], padding: bytes
) -> tuple[bytes, IntArray] | None:
    index = (tokens >> 20).astype(np.int64)
    entries = codes[index].astype(np.int64)
    if (entries[index < RAW << 8] == 0).any():
        return None
    counts = (tokens >> 15 & 15).astype(np.int64)
    values = entries >> 5 << counts | tokens & 0x7FFF
    sizes = (entries & 31) + counts
    closing = np.flatnonzero(index == _END << 8)
    filling = np.frombuffer(padding, dtype=np.uint8)
    behind = np.cumsum(sizes)
    ends = np.zeros(len(padding), dtype=np.int64)
    for interval, (position, bits) in enumerate(
        zip(closing.tolist(), filling.tolist(), strict=True)
    ):
        start = int(behind[closing[interval - 1]]) if interval else 0
        reached = int(behind[position]) - start + 8 * (int(ends[interval - 1]) if interval else 0)
        sizes[position] = -reached % 8
        values[position] = bits & (1 << sizes[position]) - 1
        ends[interval] = (reached + 7) // 8
    pieces = []
    for at in range(0, len(tokens), _AT_ONCE):
        some = sizes[at : at + _AT_ONCE]
        starts = np.repeat(np.cumsum(some) - some, some)
        shifts = np.repeat(some, some) - 1 - (np.arange(len(starts)) - starts)
        bits = np.repeat(values[at : at + _AT_ONCE], some) >> shifts & 1
        pieces.append(bits.astype(np.uint8))
    return np.packbits(np.concatenate(pieces)).tobytes(), ends
