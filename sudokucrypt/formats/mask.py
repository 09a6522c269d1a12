"""A mask of pixels as bytes: the lengths of its runs, the same on every platform.

::

    run run run ...      off, on, off, ... in C order; only the first may be 0
    each 7 bits a byte, lowest first, 128 added to all bytes but the last
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BYTES_PER_RUN = 5


def pack_mask(mask: NDArray[np.bool_]) -> bytes:
    """Return the runs of a mask.

    Parameters
    ----------
    mask : ndarray of shape (M, N), dtype bool
        Less than 2**35 pixels.

    Examples
    --------
    >>> import numpy as np
    >>> list(pack_mask(np.array([[True, True, False], [False, False, True]])))
    [0, 2, 3, 1]
    """
    flat = mask.reshape(-1)
    starts = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    runs = np.diff(starts, prepend=0, append=flat.size)
    if flat[0]:
        runs = np.concatenate([[0], runs])
    groups = runs[:, None] >> (7 * np.arange(_BYTES_PER_RUN)) & 0x7F
    # A group is written if it or a higher one is not zero, and the lowest one always.
    written = np.maximum.accumulate(groups[:, ::-1] != 0, axis=1)[:, ::-1]
    written[:, 0] = True
    groups[:, :-1] |= 0x80 * written[:, 1:]
    return groups[written].astype(np.uint8).tobytes()


def unpack_mask(data: bytes, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the mask of a shape from its runs.

    Raises
    ------
    FormatError
        If the bytes are not what `pack_mask` returns for a mask of this shape.
    """
    values = np.frombuffer(data, dtype=np.uint8)
    last = values < 0x80
    if not last.size or not last[-1]:
        raise _damaged()
    ends = np.flatnonzero(last)
    starts = np.concatenate([[0], ends[:-1] + 1])
    if (ends - starts >= _BYTES_PER_RUN).any():
        raise _damaged()
    places = np.arange(values.size) - np.repeat(starts, ends - starts + 1)
    runs = np.add.reduceat((values & 0x7F).astype(np.int64) << (7 * places), starts)
    if runs.sum() != shape[0] * shape[1]:
        raise _damaged()
    on = np.arange(runs.size) % 2 == 1
    mask = np.repeat(on, runs).reshape(shape)
    if pack_mask(mask) != data:
        raise _damaged()
    return mask


def _damaged() -> FormatError:
    return FormatError("the header is damaged: its mask does not fit the picture")
