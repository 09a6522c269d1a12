"""The contract of a scheme to compare with, and the registry of all of them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from inspect import getdoc
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.schemes import KEY_BYTES, MeasuredScheme, SchemeResult
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray, IntArray

_ONE_MAP = "one map for all images of a size, which falls to a few chosen ones"


class Baseline(ABC):
    """A scheme to compare with: a dataclass whose parameters are the key, if it has one.

    A subclass states what is known of the scheme in the attributes below, which `MeasuredScheme`
    describes, and what the scheme does in its docstring.
    """

    name: ClassVar[str]
    limits: ClassVar[str]
    source: ClassVar[str] = ""
    broken_by: ClassVar[str] = ""
    basis: ClassVar[str] = ""
    moves_only: ClassVar[bool] = False
    key_bits: ClassVar[float | None] = None
    """How many bits of the key count; by default all if there is a seed, and otherwise 0."""

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type] # every subclass is a dataclass
            if "least" in each.metadata:
                value, least = getattr(self, each.name), each.metadata["least"]
                checked_integer(each.name.replace("_", " "), value, least=least)

    @classmethod
    def with_key(cls, key: bytes) -> Self:
        """Return the scheme under a key of 32 bytes, which is the seed if there is one."""
        parameters: dict[str, Any] = {}
        if _has_seed(cls):
            parameters["seed"] = int.from_bytes(key, "big")
        return cls(**parameters)

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
    """A cipher of gray images of 8 bits, as its paper describes it and not as its authors coded it.

    `key` has 32 bytes. With `square` only square images are taken.
    """

    key: bytes = field(default=bytes(KEY_BYTES), repr=False)
    square: ClassVar[bool] = False

    @classmethod
    def with_key(cls, key: bytes) -> Self:
        """Return the cipher under a key of 32 bytes."""
        return cls(key=key)

    @abstractmethod
    def encrypt(self, image: AnyArray) -> AnyArray:
        """Return the encrypted image of an image of shape (M, N) and dtype uint8."""

    @abstractmethod
    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = np.asarray(image)
        if array.ndim != 2 or array.dtype != np.uint8 or array.size == 0:
            raise InvalidImageError(
                f"{self.name} takes gray images of 8 bits, not {array.shape} of {array.dtype}",
                hint="convert the image to gray",
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


def register_baseline(kind: _Kind) -> _Kind:
    """Register a class of `Baseline` in `BASELINES`, and return the class: a decorator."""
    BASELINES.register(scheme_from_baseline(kind))
    return kind


def scheme_from_baseline(kind: type[Baseline]) -> MeasuredScheme:
    """Return the scheme of a class of `Baseline`, with its usual parameters and a key."""
    # A fixed map moves whole pixels; attacks need not try smaller units then.
    one_map = issubclass(kind, PixelMap)

    def fixed(image: AnyArray, key: bytes) -> SchemeResult:
        pixels = kind.with_key(key).scramble(image)
        return SchemeResult(
            pixels, lambda other, seen=pixels: kind.with_key(other).unscramble(seen)
        )

    key_bits = kind.key_bits
    if key_bits is None:
        key_bits = 8 * KEY_BYTES if _has_seed(kind) else 0
    return MeasuredScheme(
        name=kind.name,
        fixed=fixed,
        key_bits=key_bits,
        moves_only=kind.moves_only,
        unit="pixel" if one_map else "auto",
        block_size=getattr(kind, "block_size", None) if one_map else None,
        limits=f"{_ONE_MAP}; {kind.limits}" if one_map else kind.limits,
        inverse=lambda pixels, key: kind.with_key(key).unscramble(pixels),
        description=(getdoc(kind) or "").partition("\n\n>>>")[0],
        source=kind.source,
        broken_by=kind.broken_by,
        basis=kind.basis,
    )


def _has_seed(kind: type[Baseline]) -> bool:
    return "seed" in {each.name for each in fields(kind)}  # type: ignore[arg-type]


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
