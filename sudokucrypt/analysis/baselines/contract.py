"""The contract of a scheme to compare with, and the registry of all of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.schemes import KEY_BYTES, Evidence, MeasuredScheme, SchemeResult
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.options import checked_integer
from sudokucrypt.registry import Registry, split_labeled_paragraphs
from sudokucrypt.typing import AnyArray, IntArray

_ONE_MAP = "one map for all images of a size, which falls to a few chosen ones"


@dataclass(frozen=True)
class Baseline(ABC):
    """A scheme to compare with: a dataclass whose parameters are the key, if it has one.

    Its docstring says what the scheme does; `register_baseline` takes what is known of it.
    """

    name: ClassVar[str]
    moves_only: ClassVar[bool] = False
    """Whether samples change places and not values."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if "least" in each.metadata:
                value, least = getattr(self, each.name), each.metadata["least"]
                checked_integer(each.name.replace("_", " "), value, least=least)

    @classmethod
    def with_key(cls, key: bytes) -> Self:
        """Return the scheme under a key of 32 bytes, which is the seed if there is one."""
        seed: dict[str, Any] = {}
        if "seed" in {each.name for each in fields(cls)}:
            seed["seed"] = int.from_bytes(key, "big")
        return cls(**seed)

    def scramble(self, image: ArrayLike) -> AnyArray:
        """Return the scrambled image, of the shape and dtype of the image.

        Parameters
        ----------
        image : array_like of shape (M, N) or (M, N, C)
            The plain image. It is not changed.

        Raises
        ------
        InvalidImageError
            If the scheme is not defined for the dtype or the sides.
        """
        return self._apply(image, undo=False)

    def unscramble(self, image: ArrayLike) -> AnyArray:
        """Return the plain image of a scrambled one; arguments and errors as of `scramble`."""
        return self._apply(image, undo=True)

    @abstractmethod
    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        """Return the scrambled image, or with `undo` the plain one."""


class PixelMap(Baseline):
    """A scheme that moves whole pixels of any dtype by one map for all images of one shape.

    All of them keep the histogram and fall to a few chosen images, see
    `sudokucrypt.analysis.attacks.chosen_plaintext_attack`.
    """

    moves_only = True

    @abstractmethod
    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go: pixel i in reading order lands at position ``targets[i]``.

        `InvalidImageError` is raised for sides that the scheme is not defined for.
        """

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = as_image(image)
        rows, columns = array.shape[:2]
        pixels = array.reshape(rows * columns, *array.shape[2:])
        targets = self.targets(rows, columns)
        if undo:
            return pixels[targets].reshape(array.shape)
        moved = np.empty_like(pixels)
        moved[targets] = pixels
        return moved.reshape(array.shape)


@dataclass(frozen=True)
class GrayCipher(Baseline):
    """A cipher of gray images of 8 bits that follows one paper.

    `key` has 32 bytes. With `square` only square images are taken, and with `in_color` also images
    of several channels, in one piece.
    """

    key: bytes = field(default=bytes(KEY_BYTES), repr=False)
    square: ClassVar[bool] = False
    in_color: ClassVar[bool] = False

    @classmethod
    def with_key(cls, key: bytes) -> Self:
        """Return the cipher under a key of 32 bytes."""
        return cls(key=key)

    @abstractmethod
    def encrypt(self, image: AnyArray) -> AnyArray:
        """Return the encrypted image of an image of shape (M, N) and dtype uint8.

        With `in_color` the shape may be (M, N, C).
        """

    @abstractmethod
    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = np.asarray(image)
        shapes = {2, 3} if self.in_color else {2}
        if array.ndim not in shapes or array.dtype != np.uint8 or array.size == 0:
            kind = "images" if self.in_color else "gray images"
            raise InvalidImageError(
                f"{self.name} takes {kind} of 8 bits, not {array.shape} of {array.dtype}",
                hint=f"convert the image to {'8 bits' if self.in_color else 'gray'}",
            )
        if self.square:
            require_square(self.name, *array.shape)
        return self.decrypt(array) if undo else self.encrypt(array)


BASELINES = Registry(
    MeasuredScheme,
    called="a scheme to compare with",
    group="sudokucrypt.schemes",
    package="sudokucrypt.analysis.baselines",
    order=lambda scheme: (bool(scheme.basis), scheme.name),
)
"""Every scheme to compare with, by name; ciphers that follow one paper (with a basis) come last."""

_Kind = TypeVar("_Kind", bound=type[Baseline])


def register_baseline(
    *,
    limits: str = "",
    source: str = "",
    broken_by: str = "",
    evidence: Evidence = "",
    basis: str = "",
    reduced: bool = False,
    claimed: Mapping[str, float] | None = None,
    falls_to: str = "",
    key_bits: float | None = None,
) -> Callable[[_Kind], _Kind]:
    """Return a decorator that registers a class of `Baseline` in `BASELINES`.

    Parameters
    ----------
    limits, source, broken_by, basis : str, optional
        What is known of the scheme, as `MeasuredScheme` describes; by default the paragraphs of the
        docstring that begin with "Limits: ", "Source: ", "Broken by: " and "Basis: ". That a
        `PixelMap` has one map for all images is put before its limits.
    evidence : str, optional
        What it was checked against, as `MeasuredScheme` describes; by default nothing.
    reduced : bool, default False
        Whether a part of the published cipher is left out.
    claimed : mapping of str to float, optional
        Values that the paper prints, by the name of the metric; shares for percentages.
    falls_to : str, optional
        The name of an attack that breaks it; chosen plaintext for a `PixelMap`. What is on record
        of published ciphers comes from the zoo.
    key_bits : float, optional
        How many bits of a key of 32 bytes count; by default all if there is a seed, otherwise 0.
    """

    def register(kind: _Kind) -> _Kind:
        # A fixed map moves whole pixels; attacks need not try smaller units then.
        one_map = issubclass(kind, PixelMap)
        usual = kind.with_key(bytes(KEY_BYTES))
        said = split_labeled_paragraphs(kind, "Limits", "Source", "Broken by", "Basis")
        known_limits = limits or said["Limits"]
        whole_key = 8 * KEY_BYTES if hasattr(usual, "seed") else 0

        def fixed(image: AnyArray, key: bytes) -> SchemeResult:
            pixels = kind.with_key(key).scramble(image)
            return SchemeResult(
                pixels, lambda other, seen=pixels: kind.with_key(other).unscramble(seen)
            )

        BASELINES.register(
            MeasuredScheme(
                name=kind.name,
                fixed=fixed,
                key_bits=whole_key if key_bits is None else key_bits,
                moves_only=usual.moves_only,
                unit="pixel" if one_map else "auto",
                block_size=getattr(usual, "block_size", None) if one_map else None,
                limits=f"{_ONE_MAP}; {known_limits}" if one_map else known_limits,
                inverse=lambda pixels, key: kind.with_key(key).unscramble(pixels),
                description=said[""],
                source=source or said["Source"],
                broken_by=broken_by or said["Broken by"],
                evidence=evidence,
                basis=basis or said["Basis"],
                reduced=reduced,
                claimed=claimed or {},
                falls_to=falls_to or ("chosen-plaintext" if one_map else ""),
            )
        )
        return kind

    return register


def integer_field(default: int, *, least: int = 1) -> Any:
    """Return the field of an integer of at least `least`, which `Baseline` checks."""
    return field(default=default, metadata={"least": least})


def as_image(image: ArrayLike) -> AnyArray:
    """Return an array of any dtype, or raise `InvalidImageError` if its shape is not an image's."""
    array = np.asarray(image)
    if array.ndim not in {2, 3} or array.size == 0:
        raise InvalidImageError(
            f"an image has the shape (M, N) or (M, N, C) and a sample, not {array.shape}"
        )
    return array


def require_square(name: str, rows: int, columns: int) -> int:
    """Return the side of a square image, or raise `InvalidImageError` naming the scheme."""
    if rows != columns:
        raise InvalidImageError(
            f"{name} is defined for square images only, not {rows}x{columns}",
            hint="crop the image to a square",
        )
    return rows


def iterate_map(targets: IntArray, times: int) -> IntArray:
    """Return the map that applies a map `times` times, by repeated squaring."""
    result = np.arange(len(targets))
    # Repeated squaring: Arnold's map is applied hundreds of times.
    while times:
        if times & 1:
            result = targets[result]
        targets = targets[targets]
        times >>= 1
    return result


def undo_xor_chain(chained: AnyArray) -> AnyArray:
    """Return the row whose accumulated exclusive-or is given."""
    row = chained.copy()
    row[1:] ^= chained[:-1]
    return row
