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
    strip_start = decoded_end = index = 0
    strip = np.empty(min(size, pixels), dtype=bool)
    for run_lengths in _expand_runs(data):
        if not run_lengths[index == 0 :].all():
            raise _make_mask_error()
        run_values = (np.arange(run_lengths.size) + index) % 2 == 1
        run_edges = decoded_end + np.concatenate([[0], np.cumsum(run_lengths)])
        if run_edges[-1] > pixels:
            raise _make_mask_error()
        while decoded_end < run_edges[-1]:
            strip_end = min(strip_start + strip.size, int(run_edges[-1]))
            first_run, last_run = np.searchsorted(run_edges, [decoded_end, strip_end], "right") - 1
            lengths = np.diff(np.clip(run_edges[first_run : last_run + 2], decoded_end, strip_end))
            strip[decoded_end - strip_start : strip_end - strip_start] = np.repeat(
                run_values[first_run : last_run + 1], lengths
            )
            decoded_end = strip_end
            if decoded_end == strip_start + strip.size:
                yield strip
                strip_start, strip = (
                    decoded_end,
                    np.empty(min(size, pixels - decoded_end), dtype=bool),
                )
        index += run_lengths.size
    if not pixels or decoded_end != pixels:
        raise _make_mask_error()


def _expand_runs(data: bytes) -> Iterator[NDArray[np.int64]]:
    values, position = np.frombuffer(data, dtype=np.uint8), 0
    while position < values.size:
        block = values[position : position + _BLOCK_SIZE]
        last_byte_indexes = np.flatnonzero(block < _CONTINUATION_BIT)
        if not last_byte_indexes.size:
            raise _make_mask_error()
        yield _unpack_runs(block[: last_byte_indexes[-1] + 1], last_byte_indexes)
        position += int(last_byte_indexes[-1]) + 1


def _pack_runs(run_lengths: NDArray[np.int64]) -> bytes:
    groups = run_lengths[:, None] >> (7 * np.arange(_MAX_BYTES_PER_RUN)) & 0x7F
    # A group of seven bits is written if this group or a higher group is not zero. The lowest
    # group is always written.
    written_flags = np.maximum.accumulate(groups[:, ::-1] != 0, axis=1)[:, ::-1]
    written_flags[:, 0] = True
    groups[:, :-1] |= _CONTINUATION_BIT * written_flags[:, 1:]
    return groups[written_flags].astype(np.uint8).tobytes()


def _unpack_runs(
    values: NDArray[np.uint8], last_byte_indexes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Decode runs whose last bytes are at the indexes `last_byte_indexes`.

    Raises `FormatError` if a run is too long, or not in as few bytes as possible.
    """
    first_byte_indexes = np.concatenate([[0], last_byte_indexes[:-1] + 1])
    has_too_long_run = (last_byte_indexes - first_byte_indexes >= _MAX_BYTES_PER_RUN).any()
    if (
        has_too_long_run
        or ((values[last_byte_indexes] == 0) & (last_byte_indexes > first_byte_indexes)).any()
    ):
        raise _make_mask_error()
    groups = np.arange(values.size) - np.repeat(
        first_byte_indexes, last_byte_indexes - first_byte_indexes + 1
    )
    run_lengths: NDArray[np.int64]
    run_lengths = np.add.reduceat(
        (values & 0x7F).astype(np.int64) << (7 * groups), first_byte_indexes
    )
    return run_lengths


def _make_mask_error() -> FormatError:
    return FormatError("the mask does not fit the picture")
