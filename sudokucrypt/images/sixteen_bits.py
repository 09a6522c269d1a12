"""Samples of 9 to 15 bits in 16, for codecs that hand them over as small numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray


def spread(source: Source, pixels: AnyArray, bits: int) -> AnyArray:
    """Return samples that use all 16 bits, made by repeating the highest bits of each.

    Parameters
    ----------
    source : Source
        The file that they are from.
    pixels : ndarray of uint16
        Samples in 0..2**bits-1.
    bits : int
        9..16.

    Returns
    -------
    ndarray of uint16
        Zero stays zero, the largest becomes 65535, and no two samples become one.

    Raises
    ------
    InvalidImageError
        If a sample has more bits.

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt.images.source import Source
    >>> spread(Source(b"", "x", 3), np.array([[0, 512, 1023]], dtype=np.uint16), 10)
    array([[    0, 32800, 65535]], dtype=uint16)
    """
    if int(pixels.max()) >> bits:
        raise source.damaged(f"it holds samples of more than {bits} bits")
    return (pixels << (16 - bits)) | (pixels >> (2 * bits - 16))
