"""Everything in a JPEG file except its coefficients, from which the same file can be rebuilt.

::

    size | 0 | skeleton | scans: padding, breaks, strays | wraps | dummies | patches

Numbers are written in groups of 7 bits, the lowest first, with 128 added to all but the last. A
list begins with the number of its items, and a string of bytes with its length. Up to version 1.1,
the zero was the number of readable copies of metadata.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import prod
from typing import Final, Self

import numpy as np

from sudokucrypt.errors import (
    FormatError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedVersionError,
    make_version_error,
)
from sudokucrypt.images.jpeg.blocks import COEFFICIENT_COUNT
from sudokucrypt.images.jpeg.coefficients import JpegFile
from sudokucrypt.images.jpeg.dummy_blocks import (
    Differences,
    compare_dummies,
    insert_dummies,
)
from sudokucrypt.images.jpeg.reading import ScanDetails, read_skeleton
from sudokucrypt.typing import AnyArray

# Numbers have seven bits in each byte, and this bit where another byte follows.
_CONTINUATION_BIT: Final = 0x80
# Nine bytes hold 63 bits; more would let a number grow without end.
_MAX_SHIFT: Final = 56
# If more bytes differ, the file is protected by its pixels and not as a JPEG.
_MAX_PATCH_BYTES: Final = 1 << 16

_NO_DIFFERENCES: Final[Differences] = ((), ())

Wrap = tuple[int, int, int]
"""Component, block, and the number of lengths of the range by which its mean is out of range."""

# The numbers of unchanged bytes at the start and the end of a file, and the bytes between them.
Patch = tuple[int, int, bytes]


@dataclass(frozen=True, eq=False, kw_only=True)
class JpegStructure:
    """Everything in a JPEG file except its coefficients."""

    file: JpegFile  #: The parts of the file; its coefficients do not matter.
    size: int  #: The size of the file in bytes.
    #: For each component, the differences of its dummy blocks from usual ones.
    dummy_differences: tuple[Differences, ...]
    #: Means (DC) that exceed the valid range, by component and then by block.
    wraps: tuple[Wrap, ...] = ()
    #: The difference of the file from the bytes that its coefficients give, or None if equal.
    patch: Patch | None = None

    @classmethod
    def from_file(cls, data: bytes, file: JpegFile) -> Self | None:
        """Return the structure of a file, given its bytes and its decoded form.

        None is returned if too many bytes differ from those that the coefficients give.
        """
        try:
            content = file.to_bytes()
        except InvalidParameterError:  # the tables have no code for a symbol that the file avoids
            content = b""
        dummy_differences = tuple(
            compare_dummies(plane, component)
            if file.count_sent_coefficients(index)
            else _NO_DIFFERENCES
            for index, (plane, component) in enumerate(
                zip(file.coefficients, file.frame.components, strict=True)
            )
        )
        if content == data:
            return cls(file=file, size=len(data), dummy_differences=dummy_differences)
        common_start_size = _count_common_bytes(content, data)
        end = _count_common_bytes(content[common_start_size:][::-1], data[common_start_size:][::-1])
        patch = data[common_start_size : len(data) - end]
        if len(patch) > _MAX_PATCH_BYTES:
            return None
        return cls(
            file=file,
            size=len(data),
            dummy_differences=dummy_differences,
            patch=(common_start_size, end, patch),
        )

    def rebuild(self, coefficients: Sequence[AnyArray]) -> bytes:
        """Return the bytes of the file, given its coefficients; dummy blocks in them are ignored.

        Raises `InvalidParameterError` if the coefficients cannot be those of the file.
        """
        components = self.file.frame.components
        shapes = [plane.shape for plane in self.file.coefficients]
        if [plane.shape for plane in coefficients] != shapes:
            raise InvalidParameterError(f"the blocks of the components must be of shapes {shapes}")
        planes = [
            insert_dummies(
                plane,
                components[index],
                differences,
                dummies_are_sent=self.file.count_sent_coefficients(index) > 0,
            )
            for index, (plane, differences) in enumerate(
                zip(coefficients, self.dummy_differences, strict=True)
            )
        ]
        file = self.file.with_coefficients(planes)
        content = file.to_bytes() if self.patch is None else self._apply_patch(file, *self.patch)
        if len(content) != self.size:
            raise InvalidParameterError(
                f"the rebuilt file has {len(content)} bytes instead of {self.size}"
            )
        return content

    @staticmethod
    def _apply_patch(file: JpegFile, start: int, end: int, patch: bytes) -> bytes:
        try:
            content = file.to_bytes()
        except InvalidParameterError:
            content = b""
        if start + end > len(content):
            raise InvalidParameterError("the patch of a file is for a longer file")
        return content[:start] + patch + content[len(content) - end :]

    def to_bytes(self) -> bytes:
        """Return the only encoded form of this structure."""
        writer = _StructureWriter()
        writer.write_integer(self.size)
        writer.write_integer(0)
        writer.write_blob(self.file.skeleton())
        writer.write_integer(len(self.file.scans))
        for scan in self.file.scans:
            writer.write_blob(scan.padding)
            writer.write_indices(scan.run_breaks)
            writer.write_indices([interval for interval, _ in scan.stray_bytes])
            for _, stray_piece in scan.stray_bytes:
                writer.write_blob(stray_piece)
        writer.write_integer(len(self.wraps))
        for component, block, wrap_count in self.wraps:
            writer.write_integers(component, block, _fold_sign(wrap_count))
        writer.write_integer(len(self.dummy_differences))
        for indices, values in self.dummy_differences:
            writer.write_indices(indices)
            writer.write_integers(*map(_fold_sign, values))
        patches = [] if self.patch is None else [self.patch]
        writer.write_integer(len(patches))
        for start, end, patch in patches:
            writer.write_integers(start, end)
            writer.write_blob(patch)
        return bytes(writer.data)

    @classmethod
    def from_bytes(cls, data: bytes, *, max_pixels: int) -> Self:
        """Return the structure that these bytes encode; `FormatError` if they encode none."""
        try:
            structure = cls._read_structure(_StructureReader(data), max_pixels)
            is_canonical = structure.to_bytes() == data
        except UnsupportedVersionError:
            raise
        except (SudokucryptError, ValueError):
            is_canonical = False
        if not is_canonical:
            raise FormatError("the header is damaged: its structure of a JPEG cannot be understood")
        return structure

    @classmethod
    def _read_structure(cls, reader: "_StructureReader", max_pixels: int) -> Self:
        size = reader.take_integer()
        if reader.take_integer():
            raise make_version_error("readable metadata")
        skeleton = reader.take_blob()
        scan_count = reader.take_integer()

        def take_details(blocks: int) -> ScanDetails:
            """Return the padding, run breaks and stray bytes of the next scan."""
            padding = reader.take_blob()
            run_breaks, intervals = reader.take_indices(blocks), reader.take_indices(blocks)
            return padding, run_breaks, tuple((index, reader.take_blob()) for index in intervals)

        # A few bytes may claim millions of numbers, so the skeleton limits their count.
        file = read_skeleton(skeleton, take_details, max_pixels=max_pixels)
        components = file.frame.components
        blocks = sum(prod(part.shape) for part in components)
        wraps = [
            tuple(reader.take_integer() for _ in range(3)) for _ in range(reader.take_count(blocks))
        ]
        limits = [COEFFICIENT_COUNT * (prod(part.shape) - prod(part.blocks)) for part in components]
        dummy_differences = [
            reader.take_differences(limit) for limit in limits[: reader.take_count(len(limits))]
        ]
        patches = [
            (reader.take_integer(), reader.take_integer(), reader.take_blob())
            for _ in range(reader.take_count(1))
        ]
        wrapped_blocks = [(component, block) for component, block, _ in wraps]
        if (
            len(file.scans) != scan_count
            or any(not stray_piece for scan in file.scans for _, stray_piece in scan.stray_bytes)
            or wrapped_blocks != sorted(set(wrapped_blocks))
            or not all(folded_count for _, _, folded_count in wraps)
            or not all(all(values) for _, values in dummy_differences)
        ):
            raise ValueError
        sent_counts = [
            file.count_sent_coefficients(index) for index in range(len(file.frame.components))
        ]
        if len(dummy_differences) != len(sent_counts) or any(
            indices and not count
            for (indices, _), count in zip(dummy_differences, sent_counts, strict=True)
        ):
            raise ValueError
        return cls(
            file=file,
            size=size,
            wraps=tuple((component, block, _unfold_sign(n)) for component, block, n in wraps),
            dummy_differences=tuple(dummy_differences),
            patch=patches[0] if patches else None,
        )


def _fold_sign(integer: int) -> int:
    """Return 0, 1, 2, 3, 4... for 0, 1, -1, 2, -2..."""
    return 2 * abs(integer) - (integer > 0)


def _unfold_sign(integer: int) -> int:
    return (integer + 1) >> 1 if integer & 1 else -(integer >> 1)


def _count_common_bytes(first: bytes, second: bytes) -> int:
    """Return the length of the common prefix of two byte strings."""
    shorter_length = min(len(first), len(second))
    difference_flags = np.frombuffer(first, np.uint8, shorter_length) != np.frombuffer(
        second, np.uint8, shorter_length
    )
    return int(difference_flags.argmax()) if difference_flags.any() else shorter_length


class _StructureWriter:
    def __init__(self) -> None:
        self.data = bytearray()

    def write_integer(self, integer: int) -> None:
        while integer >= _CONTINUATION_BIT:
            self.data.append(integer % _CONTINUATION_BIT + _CONTINUATION_BIT)
            integer //= _CONTINUATION_BIT
        self.data.append(integer)

    def write_integers(self, *integers: int) -> None:
        for integer in integers:
            self.write_integer(integer)

    def write_blob(self, data: bytes) -> None:
        self.write_integer(len(data))
        self.data += data

    def write_indices(self, indices: Sequence[int]) -> None:
        """Write the count of ascending numbers, the first of them, and the differences."""
        self.write_integer(len(indices))
        self.write_integers(
            *(index - previous_index for previous_index, index in pairwise([0, *indices]))
        )


class _StructureReader:
    """Reads numbers and bytes in sequence; raises `ValueError` if the data end too early.

    It accepts several forms of a number. So the caller must write the result again, and compare.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def take_integer(self) -> int:
        integer = shift = 0
        while True:
            if self._position >= len(self._data) or shift > _MAX_SHIFT:
                raise ValueError
            digit = self._data[self._position]
            self._position += 1
            integer |= (digit % _CONTINUATION_BIT) << shift
            shift += 7
            if digit < _CONTINUATION_BIT:
                return integer

    def take_count(self, limit: int) -> int:
        """Return the number of items of a list; `ValueError` if it is above `limit`."""
        count = self.take_integer()
        if count > limit:
            raise ValueError
        return count

    def take_differences(self, limit: int) -> Differences:
        indices = self.take_indices(limit)
        return indices, tuple(_unfold_sign(self.take_integer()) for _ in indices)

    def take_blob(self) -> bytes:
        length = self.take_integer()
        self._position += length
        if self._position > len(self._data):
            raise ValueError
        return self._data[self._position - length : self._position]

    def take_indices(self, limit: int) -> tuple[int, ...]:
        differences = [self.take_integer() for _ in range(self.take_count(limit))]
        if not all(differences[1:]):
            raise ValueError
        return tuple(accumulate(differences))
