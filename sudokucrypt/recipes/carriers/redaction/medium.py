"""What can be redacted: the samples of a still, or the coefficients of a JPEG."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import DecryptionError
from sudokucrypt.images import Picture
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from sudokucrypt.typing import AnyArray

if TYPE_CHECKING:
    from sudokucrypt.images import Turn

Mask: TypeAlias = NDArray[np.bool_]

# Beyond that, the loop over runs takes longer than one copy of what is chosen.
_MANY_RUNS = 1 << 16


class Medium(ABC):
    """A picture in the form in which its areas are covered and restored.

    Masks are of the shape of `canvas`, and of whole units where `round_out` makes them so.
    """

    kind: ClassVar[Literal["jpeg", "samples"]]
    """What the index calls it."""

    @property
    @abstractmethod
    def canvas(self) -> tuple[int, int]:
        """Rows and columns in pixels."""

    @property
    @abstractmethod
    def picture(self) -> Picture:
        """What it shows, for what looks for regions in it."""

    @property
    def turn(self) -> "Turn":
        """What brings it upright."""
        from sudokucrypt.images import turn_of  # other pictures need no reader of EXIF

        return turn_of(self.picture)

    def round_out(self, selection: Selection) -> Selection:
        """Return the pixels that change if these are to be covered."""
        return selection

    @abstractmethod
    def digest(self, hidden: Mask) -> bytes:
        """Return the SHA-256 of everything but the hidden pixels."""

    @property
    @abstractmethod
    def manner(self) -> str:
        """How everything is shown, as one line of text: what `to_bytes` writes besides pixels."""

    @abstractmethod
    def size(self, where: Mask) -> int:
        """Return how many bytes `extract` returns of these pixels."""

    @abstractmethod
    def extract(self, where: Mask) -> bytes:
        """Return what `uncover` needs to show these pixels again."""

    @abstractmethod
    def uncover(self, where: Mask, content: bytes) -> Self:
        """Return the picture with these pixels as they were: `size` bytes of content."""

    @abstractmethod
    def cover(self, where: Mask, cover: str, hidden: Mask) -> Self:
        """Return the picture with a cover that does not depend on the hidden pixels."""

    @abstractmethod
    def shows(self, other: "Medium") -> bool:
        """Return whether this has all that `digest` counts of another picture, hidden or not."""

    @abstractmethod
    def to_bytes(self) -> bytes:
        """Return a file that shows this and holds nothing else.

        It depends on what `digest` and `manner` count, and on hidden pixels, alone.
        """

    def structure(self, data: bytes) -> tuple[bytes, int] | None:
        """Return what else `whole` needs to return this file, none if it cannot.

        Beside it is how many bytes it is padded to at least.
        """
        del data
        return None

    def whole(self, structure: bytes) -> bytes:
        """Return the original file, of which this has all pixels."""
        del structure
        raise DecryptionError


def pack(arrays: Iterable[AnyArray]) -> bytes:
    """Return integers of arrays, the lowest byte first, those of equal weight together."""
    planes = []
    for array in arrays:
        width = array.dtype.itemsize
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        planes.append(little.reshape(-1).view(np.uint8).reshape(-1, width).T.tobytes())
    return b"".join(planes)


def unpack(
    content: bytes, shapes: Sequence[tuple[int, ...]], dtype: np.dtype[np.generic]
) -> list[AnyArray]:
    """Return the arrays of these shapes that were packed; they have exactly so many bytes."""
    arrays, start = [], 0
    for shape in shapes:
        size = prod(shape) * dtype.itemsize
        planes = np.frombuffer(content, np.uint8, size, start).reshape(dtype.itemsize, -1)
        values = np.ascontiguousarray(planes.T).reshape(-1).view(dtype.newbyteorder("<"))
        arrays.append(values.astype(dtype).reshape(shape))
        start += size
    return arrays


def hexadecimal_digest(data: bytes | None) -> str:
    """Return the SHA-256 of bytes as text, and a hyphen for none."""
    return hashlib.sha256(data).hexdigest() if data else "-"


def digest_values(head: str, arrays: Iterable[tuple[AnyArray, Mask | None]]) -> bytes:
    """Return the SHA-256 of a line of text and of arrays, the lowest byte of integers first.

    Of an array with a mask over its first axes, only what is chosen counts. It is digested run by
    run, since copying it first would take several times as long.
    """
    state = hashlib.sha256(f"{head}\n".encode())
    for array, chosen in arrays:
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        if chosen is None:
            state.update(little.data)
            continue
        items, flat = little.reshape(chosen.size, -1), chosen.reshape(-1)
        edges = np.flatnonzero(np.diff(flat, prepend=False, append=False)).tolist()
        if len(edges) > _MANY_RUNS:
            edges, items = [0, int(flat.sum())], items[flat]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            state.update(items[start:end].data)
    return state.digest()
