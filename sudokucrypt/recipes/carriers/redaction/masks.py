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

_MAX_BYTES_PER_RUN = 5  # 35 bits, more than the pixels of any picture
_CONTINUED = 0x80  # the bit that says that another byte of the run follows
# Runs, or bytes of runs, that are processed at a time: some MiB of temporary arrays.
_BLOCK = 1 << 18


def pack_mask(mask: NDArray[np.bool_]) -> bytes:
    """Encode the runs of a mask of shape (M, N) with less than 2**35 pixels.

    Raises `InvalidParameterError` if the mask has no pixels.

    >>> import numpy as np
    >>> list(pack_mask(np.array([[True, True, False], [False, False, True]])))
    [0, 2, 3, 1]
    """
    if not mask.size:
        raise InvalidParameterError("a mask has at least one pixel")
    flat = mask.reshape(-1)
    starts = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    runs = np.diff(starts, prepend=0, append=flat.size)
    if flat[0]:
        runs = np.concatenate([[0], runs])
    blocks = (runs[first : first + _BLOCK] for first in range(0, len(runs), _BLOCK))
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
    start = end = index = 0
    strip = np.empty(min(size, pixels), dtype=bool)
    for runs in _expand_runs(data):
        if not runs[index == 0 :].all():
            raise _make_error()
        on = (np.arange(runs.size) + index) % 2 == 1
        edges = end + np.concatenate([[0], np.cumsum(runs)])
        if edges[-1] > pixels:
            raise _make_error()
        while end < edges[-1]:
            stop = min(start + strip.size, int(edges[-1]))
            first, last = np.searchsorted(edges, [end, stop], "right") - 1
            lengths = np.diff(np.clip(edges[first : last + 2], end, stop))
            strip[end - start : stop - start] = np.repeat(on[first : last + 1], lengths)
            end = stop
            if end == start + strip.size:
                yield strip
                start, strip = end, np.empty(min(size, pixels - end), dtype=bool)
        index += runs.size
    if not pixels or end != pixels:
        raise _make_error()


def _expand_runs(data: bytes) -> Iterator[NDArray[np.int64]]:
    values, position = np.frombuffer(data, dtype=np.uint8), 0
    while position < values.size:
        block = values[position : position + _BLOCK]
        ends = np.flatnonzero(block < _CONTINUED)
        if not ends.size:
            raise _make_error()
        yield _unpack_runs(block[: ends[-1] + 1], ends)
        position += int(ends[-1]) + 1


def _pack_runs(runs: NDArray[np.int64]) -> bytes:
    groups = runs[:, None] >> (7 * np.arange(_MAX_BYTES_PER_RUN)) & 0x7F
    # A group is written if it or a higher one is not zero; the lowest group is always written.
    written = np.maximum.accumulate(groups[:, ::-1] != 0, axis=1)[:, ::-1]
    written[:, 0] = True
    groups[:, :-1] |= _CONTINUED * written[:, 1:]
    return groups[written].astype(np.uint8).tobytes()


def _unpack_runs(values: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Decode runs whose last bytes are at the indexes `ends`.

    Raises `FormatError` if a run is too long, or not in as few bytes as possible.
    """
    starts = np.concatenate([[0], ends[:-1] + 1])
    too_long = (ends - starts >= _MAX_BYTES_PER_RUN).any()
    if too_long or ((values[ends] == 0) & (ends > starts)).any():
        raise _make_error()
    groups = np.arange(values.size) - np.repeat(starts, ends - starts + 1)
    runs: NDArray[np.int64]
    runs = np.add.reduceat((values & 0x7F).astype(np.int64) << (7 * groups), starts)
    return runs


def _make_error() -> FormatError:
    return FormatError("the mask does not fit the picture")
