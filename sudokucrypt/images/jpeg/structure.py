"""All of a JPEG file but its coefficients, so that with them it is the same file again.

::

    size | 0 | skeleton | scans: padding, breaks, strays | wraps | dummies | patches

Numbers are written in groups of 7 bits, the lowest first, with 128 added to all but the last. What
may be repeated follows how often it is there, and bytes follow their number. Up to version 1.1, the
zero was the number of readable copies of metadata.
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
    made_earlier,
)
from sudokucrypt.images.jpeg.blocks import COEFFICIENTS
from sudokucrypt.images.jpeg.coefficients import JpegFile
from sudokucrypt.images.jpeg.dummy_blocks import (
    Differences,
    compare_dummies,
    insert_dummies,
)
from sudokucrypt.images.jpeg.reading import Special, read_skeleton
from sudokucrypt.typing import AnyArray

# Numbers have seven bits in each byte, and this bit where another byte follows.
_MORE: Final = 0x80
# Nine bytes hold 63 bits; more would let a number grow without end.
_MOST_SHIFT: Final = 56
# More than that is not an oddity of an encoder, and the file is protected by its pixels.
_LARGEST_PATCH: Final = 1 << 16

_NONE: Final[Differences] = ((), ())

Wrap = tuple[int, int, int]
"""Component, block, and how many lengths of its range a mean lies beside the range."""

# How many bytes stay at the start and at the end, and what is between them.
Patch = tuple[int, int, bytes]


@dataclass(frozen=True, eq=False, kw_only=True)
class JpegStructure:
    """Everything in a JPEG file except its coefficients."""

    file: JpegFile  #: Its parts; the coefficients do not matter.
    size: int  #: Bytes of the file.
    #: For each component how its blocks that only complete units differ from usual ones.
    dummies: tuple[Differences, ...]
    wraps: tuple[Wrap, ...] = ()  #: Means out of their range, by component and then by block.
    patch: Patch | None = None  #: How the file differs from what its coefficients give, if it does.

    @classmethod
    def of_file(cls, data: bytes, file: JpegFile) -> Self | None:
        """Return the structure of a file with these coefficients.

        There is none if too much of the file differs from what its coefficients give.
        """
        try:
            content = file.to_bytes()
        except InvalidParameterError:  # the file has a code that is never used
            content = b""
        dummies = tuple(
            compare_dummies(plane, component) if file.count_sent_beyond(index) else _NONE
            for index, (plane, component) in enumerate(
                zip(file.coefficients, file.frame.components, strict=True)
            )
        )
        if content == data:
            return cls(file=file, size=len(data), dummies=dummies)
        start = _count_common(content, data)
        end = _count_common(content[start:][::-1], data[start:][::-1])
        patch = data[start : len(data) - end]
        if len(patch) > _LARGEST_PATCH:
            return None
        return cls(file=file, size=len(data), dummies=dummies, patch=(start, end, patch))

    def rebuilt(self, coefficients: Sequence[AnyArray]) -> bytes:
        """Return the file, given its coefficients; blocks that only complete units do not matter.

        Raises `InvalidParameterError` if they cannot be those of the file.
        """
        components = self.file.frame.components
        shapes = [plane.shape for plane in self.file.coefficients]
        if [plane.shape for plane in coefficients] != shapes:
            raise InvalidParameterError(f"the blocks of the components must be of shapes {shapes}")
        whole = [
            insert_dummies(
                plane, components[index], filled, sent=self.file.count_sent_beyond(index) > 0
            )
            for index, (plane, filled) in enumerate(zip(coefficients, self.dummies, strict=True))
        ]
        file = self.file.with_coefficients(whole)
        content = file.to_bytes() if self.patch is None else self._apply_patch(file, *self.patch)
        if len(content) != self.size:
            raise InvalidParameterError(f"the file has {self.size} bytes, not {len(content)}")
        return content

    @staticmethod
    def _apply_patch(file: JpegFile, start: int, end: int, patch: bytes) -> bytes:
        try:
            content = file.to_bytes()
        except InvalidParameterError:
            content = b""
        if start + end > len(content):
            raise InvalidParameterError("the patch of a file is for a longer one")
        return content[:start] + patch + content[len(content) - end :]

    def to_bytes(self) -> bytes:
        """Return the one form of this structure."""
        written = _StructureWriter()
        written.integer(self.size)
        written.integer(0)
        written.blob(self.file.skeleton())
        written.integer(len(self.file.scans))
        for scan in self.file.scans:
            written.blob(scan.padding)
            written.indices(scan.breaks)
            written.indices([interval for interval, _ in scan.strays])
            for _, stray in scan.strays:
                written.blob(stray)
        written.integer(len(self.wraps))
        for component, block, wraps in self.wraps:
            written.integers(component, block, _fold_sign(wraps))
        written.integer(len(self.dummies))
        for indices, values in self.dummies:
            written.indices(indices)
            written.integers(*map(_fold_sign, values))
        patches = [] if self.patch is None else [self.patch]
        written.integer(len(patches))
        for start, end, patch in patches:
            written.integers(start, end)
            written.blob(patch)
        return bytes(written.data)

    @classmethod
    def from_bytes(cls, data: bytes, *, max_pixels: int) -> Self:
        """Return the structure that these bytes encode; `FormatError` if they encode none."""
        try:
            structure = cls._read(_StructureReader(data), max_pixels)
            same = structure.to_bytes() == data
        except UnsupportedVersionError:
            raise
        except (SudokucryptError, ValueError):
            same = False
        if not same:
            raise FormatError("the header is damaged: its structure of a JPEG cannot be understood")
        return structure

    @classmethod
    def _read(cls, read: "_StructureReader", max_pixels: int) -> Self:
        size = read.integer()
        if read.integer():
            raise made_earlier("readable metadata")
        skeleton = read.blob()
        scans = read.integer()

        def special(most: int) -> Special:
            """Take what is special about the next scan, of `most` blocks."""
            padding, breaks, intervals = read.blob(), read.indices(most), read.indices(most)
            return padding, breaks, tuple((index, read.blob()) for index in intervals)

        # A few bytes may claim millions of numbers: the skeleton says how many can be true.
        file = read_skeleton(skeleton, special, max_pixels=max_pixels)
        components = file.frame.components
        blocks = sum(prod(part.shape) for part in components)
        wraps = [tuple(read.integer() for _ in range(3)) for _ in range(read.count(blocks))]
        beyond = [COEFFICIENTS * (prod(part.shape) - prod(part.blocks)) for part in components]
        dummies = [read.differences(most) for most in beyond[: read.count(len(beyond))]]
        patches = [(read.integer(), read.integer(), read.blob()) for _ in range(read.count(1))]
        turned = [(component, block) for component, block, _ in wraps]
        if (
            len(file.scans) != scans
            or any(not stray for scan in file.scans for _, stray in scan.strays)
            or turned != sorted(set(turned))
            or not all(integer for _, _, integer in wraps)
            or not all(all(values) for _, values in dummies)
        ):
            raise ValueError
        sent = [file.count_sent_beyond(index) for index in range(len(file.frame.components))]
        if len(dummies) != len(sent) or any(
            indices and not count for (indices, _), count in zip(dummies, sent, strict=True)
        ):
            raise ValueError
        return cls(
            file=file,
            size=size,
            wraps=tuple((component, block, _unfold_sign(n)) for component, block, n in wraps),
            dummies=tuple(dummies),
            patch=patches[0] if patches else None,
        )


def _fold_sign(integer: int) -> int:
    """Return 0, 1, 2, 3, 4... for 0, 1, -1, 2, -2..."""
    return 2 * abs(integer) - (integer > 0)


def _unfold_sign(integer: int) -> int:
    return (integer + 1) >> 1 if integer & 1 else -(integer >> 1)


def _count_common(first: bytes, second: bytes) -> int:
    """Return how many bytes are equal at the start of both."""
    least = min(len(first), len(second))
    one, other = (np.frombuffer(data, np.uint8, least) for data in (first, second))
    differing = one != other
    return int(differing.argmax()) if differing.any() else least


class _StructureWriter:
    def __init__(self) -> None:
        self.data = bytearray()

    def integer(self, integer: int) -> None:
        while integer >= _MORE:
            self.data.append(integer % _MORE + _MORE)
            integer //= _MORE
        self.data.append(integer)

    def integers(self, *integers: int) -> None:
        for integer in integers:
            self.integer(integer)

    def blob(self, data: bytes) -> None:
        self.integer(len(data))
        self.data += data

    def indices(self, indices: Sequence[int]) -> None:
        """Write ascending numbers, each but the first as what it is above the one before."""
        self.integer(len(indices))
        self.integers(*(index - before for before, index in pairwise([0, *indices])))


class _StructureReader:
    """Takes numbers and bytes off; where they end, or are not in their one form, it guesses.

    Anyone who writes the result again sees that it was not a valid form.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def integer(self) -> int:
        integer = shift = 0
        while True:
            if self._at >= len(self._data) or shift > _MOST_SHIFT:
                raise ValueError
            digit = self._data[self._at]
            self._at += 1
            integer |= (digit % _MORE) << shift
            shift += 7
            if digit < _MORE:
                return integer

    def count(self, most: int) -> int:
        """Return how often something is there, which is at most so often."""
        count = self.integer()
        if count > most:
            raise ValueError
        return count

    def differences(self, most: int) -> Differences:
        indices = self.indices(most)
        return indices, tuple(_unfold_sign(self.integer()) for _ in indices)

    def blob(self) -> bytes:
        length = self.integer()
        self._at += length
        if self._at > len(self._data):
            raise ValueError
        return self._data[self._at - length : self._at]

    def indices(self, most: int) -> tuple[int, ...]:
        steps = [self.integer() for _ in range(self.count(most))]
        if not all(steps[1:]):
            raise ValueError
        return tuple(accumulate(steps))
