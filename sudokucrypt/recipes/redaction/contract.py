"""What can be redacted: the samples of a still, or the coefficients of a JPEG."""

from __future__ import annotations

import hashlib
import zlib
from math import prod
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from sudokucrypt.errors import DecryptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from sudokucrypt.images import Picture
    from sudokucrypt.recipes.selection import Selection
    from sudokucrypt.typing import AnyArray

    Mask = NDArray[np.bool_]


class Medium(Protocol):
    """A picture in the form in which its areas are covered and given back."""

    @property
    def kind(self) -> Literal["jpeg", "samples"]:
        """What the index calls it."""
        ...

    @property
    def canvas(self) -> tuple[int, int]:
        """Rows and columns in pixels."""
        ...

    @property
    def picture(self) -> Picture:
        """What it shows, for what looks for regions in it."""
        ...

    def rounded(self, selection: Selection) -> Selection:
        """Return the pixels that change if these are to be covered."""
        ...

    def digest(self, hidden: Mask) -> bytes:
        """Return the SHA-256 of everything but the hidden pixels."""
        ...

    def taken(self, where: Mask) -> bytes:
        """Return what `given` needs to show these pixels again."""
        ...

    def given(self, where: Mask, content: bytes) -> Medium:
        """Return the picture with these pixels as they were."""
        ...

    def covered(self, where: Mask, cover: str, hidden: Mask) -> Medium:
        """Return the picture with a cover that knows nothing of the hidden pixels."""
        ...

    def to_bytes(self) -> bytes:
        """Return a file that shows this and holds nothing else."""
        ...

    def structure(self, data: bytes) -> bytes | None:
        """Return what else `whole` needs to return this file, none if it cannot."""
        ...

    def whole(self, structure: bytes) -> bytes:
        """Return the very file of which this has all pixels."""
        ...


def packed(arrays: Iterable[AnyArray]) -> bytes:
    """Return integers of arrays, the lowest byte first, those of equal weight together."""
    planes = []
    for array in arrays:
        width = array.dtype.itemsize
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        planes.append(little.reshape(-1).view(np.uint8).reshape(-1, width).T.tobytes())
    return zlib.compress(b"".join(planes), 6)


def unpacked(
    content: bytes, shapes: Sequence[tuple[int, ...]], dtype: np.dtype[np.generic]
) -> list[AnyArray]:
    """Return the arrays of these shapes that were packed."""
    sizes = [prod(shape) * dtype.itemsize for shape in shapes]
    try:
        reader = zlib.decompressobj()
        data = reader.decompress(content, sum(sizes) + 1)
    except zlib.error:
        raise DecryptionError from None
    if len(data) != sum(sizes) or reader.unused_data:
        raise DecryptionError
    arrays, start = [], 0
    for shape, size in zip(shapes, sizes, strict=True):
        planes = np.frombuffer(data, np.uint8, size, start).reshape(dtype.itemsize, -1)
        values = np.ascontiguousarray(planes.T).reshape(-1).view(dtype.newbyteorder("<"))
        arrays.append(values.astype(dtype).reshape(shape))
        start += size
    return arrays


def digest_of(head: str, arrays: Iterable[AnyArray]) -> bytes:
    """Return the SHA-256 of a line of text and the samples of arrays, the lowest byte first."""
    state = hashlib.sha256(f"{head}\n".encode())
    for array in arrays:
        state.update(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).data)
    return state.digest()
