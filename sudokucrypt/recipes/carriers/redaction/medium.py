"""The interface of media: the samples of a still picture, or the coefficients of a JPEG."""

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

# With more runs, a loop over them takes longer than copying the selected items once.
_MAX_LOOPED_RUNS = 1 << 16


class Medium(ABC):
    """A picture in the form in which its areas are covered and restored.

    All masks have the shape of `canvas`. Masks of covered pixels consist of whole units, as
    `enlarge_to_units` returns them.
    """

    kind: ClassVar[Literal["jpeg", "samples"]]
    """The name of the medium in an index."""

    @property
    @abstractmethod
    def canvas(self) -> tuple[int, int]:
        """Rows and columns in pixels."""

    @property
    @abstractmethod
    def picture(self) -> Picture:
        """The decoded picture, for functions that find regions in it."""

    @property
    def turn(self) -> "Turn":
        """The turn that brings the picture upright."""
        from sudokucrypt.images import get_turn  # imported here, since few pictures need EXIF

        return get_turn(self.picture)

    def enlarge_to_units(self, selection: Selection) -> Selection:
        """Return the selection enlarged to whole units, which can only be covered as a whole."""
        return selection

    @abstractmethod
    def digest(self, hidden_mask: Mask) -> bytes:
        """Return the SHA-256 of all pixels that are not hidden."""

    @property
    @abstractmethod
    def display_settings(self) -> str:
        """One line of text about the metadata that `to_bytes` writes for showing the pixels."""

    @abstractmethod
    def size(self, area_mask: Mask) -> int:
        """Return the number of bytes that `extract` returns for the selected pixels."""

    @abstractmethod
    def extract(self, area_mask: Mask) -> bytes:
        """Return the contents of the selected pixels, for `uncover`."""

    @abstractmethod
    def uncover(self, area_mask: Mask, content: bytes) -> Self:
        """Return the picture with the contents that `extract` returned for the selected pixels."""

    @abstractmethod
    def cover(self, area_mask: Mask, cover: str, hidden_mask: Mask) -> Self:
        """Return the picture with an area covered by values independent of the hidden pixels."""

    @abstractmethod
    def has_same_samples(self, other: "Medium") -> bool:
        """Return whether all pixels, hidden or not, equal those of another picture."""

    @abstractmethod
    def to_bytes(self) -> bytes:
        """Encode the pixels and the display settings, and nothing else, as a file."""

    def find_structure(self, data: bytes) -> tuple[bytes, int] | None:
        """Return the structure from which `rebuild_file` restores `data`, or None if that fails.

        The second value is the least length in bytes to which it is padded.
        """
        del data
        return None

    def rebuild_file(self, structure: bytes) -> bytes:
        """Return the original file, given its structure; all pixels must be uncovered."""
        del structure
        raise DecryptionError


def pack_arrays(arrays: Iterable[AnyArray]) -> bytes:
    """Encode arrays of integers: for each array, the lowest bytes of all values come first."""
    planes = []
    for array in arrays:
        width = array.dtype.itemsize
        little_endian_array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        planes.append(little_endian_array.reshape(-1).view(np.uint8).reshape(-1, width).T.tobytes())
    return b"".join(planes)


def unpack_arrays(
    content: bytes, shapes: Sequence[tuple[int, ...]], dtype: np.dtype[np.generic]
) -> list[AnyArray]:
    """Decode arrays of these shapes that `pack_arrays` encoded."""
    arrays, position = [], 0
    for shape in shapes:
        size = prod(shape) * dtype.itemsize
        planes = np.frombuffer(content, np.uint8, size, position).reshape(dtype.itemsize, -1)
        values = np.ascontiguousarray(planes.T).reshape(-1).view(dtype.newbyteorder("<"))
        arrays.append(values.astype(dtype).reshape(shape))
        position += size
    return arrays


def compute_hex_digest(data: bytes | None) -> str:
    """Return the SHA-256 of bytes in hexadecimal digits, or a hyphen if there are no bytes."""
    return hashlib.sha256(data).hexdigest() if data else "-"


def digest_values(description: str, arrays: Iterable[tuple[AnyArray, Mask | None]]) -> bytes:
    """Return the SHA-256 of a line of text and of arrays, whose integers are little-endian.

    Of an array with a mask over its first axes, only selected items are digested. They are digested
    run by run, which is several times as fast as copying them first.
    """
    hash_state = hashlib.sha256(f"{description}\n".encode())
    for array, mask in arrays:
        little_endian_array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        if mask is None:
            hash_state.update(little_endian_array.data)
            continue
        items, flat_mask = little_endian_array.reshape(mask.size, -1), mask.reshape(-1)
        edges = np.flatnonzero(np.diff(flat_mask, prepend=False, append=False)).tolist()
        if len(edges) > _MAX_LOOPED_RUNS:
            edges, items = [0, int(flat_mask.sum())], items[flat_mask]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            hash_state.update(items[start:end].data)
    return hash_state.digest()
