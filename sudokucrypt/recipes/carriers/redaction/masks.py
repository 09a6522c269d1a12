"""Encode a mask of pixels as the lengths of its runs, with the same bytes on every platform.

::

    run run run ...      off, on, off, ... in C order; only the first may be 0

Each length is written in groups of 7 bits, the lowest first, one in each byte. 128 is added to all
bytes of a length except the last.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import FormatError, InvalidParameterError

_MAX_BYTES_PER_RUN = 5  # 35 bits, enough to count the pixels of any picture
_CONTINUATION_BIT = 0x80  # the bit that says that another byte of the run follows
# Runs, or bytes of runs, that are processed at a time: some MiB of temporary arrays.
_BLOCK_SIZE = 1 << 18


def pack_mask(mask: NDArray[np.bool_]) -> bytes:
    """Encode the runs of a mask of shape (M, N) with fewer than 2**35 pixels.

    Raises `InvalidParameterError` if the mask has no pixels.

    >>> import numpy as np
    >>> list(pack_mask(np.array([[True, True, False], [False, False, True]])))
    [0, 2, 3, 1]
    """
    if not mask.size:
        raise InvalidParameterError("a mask has at least one pixel")
    flat_mask = mask.reshape(-1)
    run_starts = np.flatnonzero(flat_mask[1:] != flat_mask[:-1]) + 1
    run_lengths = np.diff(run_starts, prepend=0, append=flat_mask.size)
    if flat_mask[0]:
        run_lengths = np.concatenate([[0], run_lengths])
    blocks = (
        run_lengths[first : first + _BLOCK_SIZE]
        for first in range(0, len(run_lengths), _BLOCK_SIZE)
    )
    return b"".join(map(_pack_runs, blocks))


def unpack_mask(data: bytes, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Decode a mask of this shape.

    Raises `FormatError` unless `pack_mask` returns these bytes for a mask of this shape.
    """
    size = shape[0] * shape[1]
    (mask,) = unpack_strips(data, size, size)
    return mask.reshape(shape)


def unpack_strips(data: bytes, pixels: int, size: int) -> Iterator[NDArray[np.bool_]]:
    """Decode a mask with the given number of pixels in strips of `size` pixels, to save memory.

    Raises `FormatError`, perhaps only after the last strip, unless `pack_mask` returns these bytes
    for a mask with this number of pixels.
    """
    strip_start = runs_end = index = 0
    strip = np.empty(min(size, pixels), dtype=bool)
    for run_lengths in _expand_runs(data):
        if not run_lengths[index == 0 :].all():
            raise _make_error()
        is_set = (np.arange(run_lengths.size) + index) % 2 == 1
        run_edges = runs_end + np.concatenate([[0], np.cumsum(run_lengths)])
        if run_edges[-1] > pixels:
            raise _make_error()
        while runs_end < run_edges[-1]:
            strip_end = min(strip_start + strip.size, int(run_edges[-1]))
            first_run, last_run = np.searchsorted(run_edges, [runs_end, strip_end], "right") - 1
            lengths = np.diff(np.clip(run_edges[first_run : last_run + 2], runs_end, strip_end))
            strip[runs_end - strip_start : strip_end - strip_start] = np.repeat(
                is_set[first_run : last_run + 1], lengths
            )
            runs_end = strip_end
            if runs_end == strip_start + strip.size:
                yield strip
                strip_start, strip = runs_end, np.empty(min(size, pixels - runs_end), dtype=bool)
        index += run_lengths.size
    if not pixels or runs_end != pixels:
        raise _make_error()


def _expand_runs(data: bytes) -> Iterator[NDArray[np.int64]]:
    values, position = np.frombuffer(data, dtype=np.uint8), 0
    while position < values.size:
        block = values[position : position + _BLOCK_SIZE]
        value_ends = np.flatnonzero(block < _CONTINUATION_BIT)
        if not value_ends.size:
            raise _make_error()
        yield _unpack_runs(block[: value_ends[-1] + 1], value_ends)
        position += int(value_ends[-1]) + 1


def _pack_runs(run_lengths: NDArray[np.int64]) -> bytes:
    groups = run_lengths[:, None] >> (7 * np.arange(_MAX_BYTES_PER_RUN)) & 0x7F
    # A group is written if it or a higher one is not zero; the lowest group is always written.
    is_written = np.maximum.accumulate(groups[:, ::-1] != 0, axis=1)[:, ::-1]
    is_written[:, 0] = True
    groups[:, :-1] |= _CONTINUATION_BIT * is_written[:, 1:]
    return groups[is_written].astype(np.uint8).tobytes()


def _unpack_runs(values: NDArray[np.uint8], value_ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Decode runs whose last bytes are at the indexes `value_ends`.

    Raises `FormatError` if a run is too long, or not in as few bytes as possible.
    """
    run_starts = np.concatenate([[0], value_ends[:-1] + 1])
    too_long = (value_ends - run_starts >= _MAX_BYTES_PER_RUN).any()
    if too_long or ((values[value_ends] == 0) & (value_ends > run_starts)).any():
        raise _make_error()
    groups = np.arange(values.size) - np.repeat(run_starts, value_ends - run_starts + 1)
    run_lengths: NDArray[np.int64]
    run_lengths = np.add.reduceat((values & 0x7F).astype(np.int64) << (7 * groups), run_starts)
    return run_lengths


def _make_error() -> FormatError:
    return FormatError("the mask does not fit the picture")
