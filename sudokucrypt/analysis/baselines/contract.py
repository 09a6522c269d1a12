"""Define the classes of schemes to compare with, and the registry of these schemes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.schemes import KEY_BYTES, Evidence, MeasuredScheme, SchemeResult
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.options import check_integer
from sudokucrypt.registry import Registry, split_labeled_paragraphs
from sudokucrypt.typing import AnyArray, IntArray

_ONE_MAP_LIMITS = "one map for all images of a size, which a few chosen images show"


@dataclass(frozen=True)
class Baseline(ABC):
    """A scheme to compare with: a dataclass whose fields are its parameters, including the key.

    Its docstring describes the scheme; `register_baseline` takes attributes of the scheme from it.
    """

    name: ClassVar[str]
    moves_only: ClassVar[bool] = False
    """Whether samples change only their places, not their values."""

    def __post_init__(self) -> None:
        for parameter in fields(self):
            if "least" in parameter.metadata:
                value, least_value = getattr(self, parameter.name), parameter.metadata["least"]
                check_integer(parameter.name.replace("_", " "), value, least=least_value)

    @classmethod
    def with_key(cls, key: bytes) -> Self:
        """Return the scheme under a key of 32 bytes, which becomes its seed if it has one."""
        seed: dict[str, Any] = {}
        if "seed" in {parameter.name for parameter in fields(cls)}:
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
        """Return the plain image of a scrambled one; parameters and errors as for `scramble`."""
        return self._apply(image, undo=True)

    @abstractmethod
    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        """Scramble an image, or with `undo` restore it."""


class PixelMap(Baseline):
    """A scheme that moves whole pixels of any dtype by one map for all images of one shape.

    All such schemes keep the histogram, and a few chosen images break them, see
    `sudokucrypt.analysis.attacks.chosen_plaintext_attack`.
    """

    moves_only = True

    @abstractmethod
    def targets(self, rows: int, columns: int) -> IntArray:
        """Return targets of pixels: pixel i in reading order moves to position ``targets[i]``.

        `InvalidImageError` is raised for sides that the scheme is not defined for.
        """

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = check_image_of_any_type(image)
        rows, columns = array.shape[:2]
        pixels = array.reshape(rows * columns, *array.shape[2:])
        targets = self.targets(rows, columns)
        if undo:
            return pixels[targets].reshape(array.shape)
        scrambled_pixels = np.empty_like(pixels)
        scrambled_pixels[targets] = pixels
        return scrambled_pixels.reshape(array.shape)


@dataclass(frozen=True)
class GrayCipher(Baseline):
    """A cipher for gray images of 8 bits that follows one paper.

    `key` has 32 bytes. With `square_only`, only square images are accepted; with `in_color`, images
    of several channels are accepted too, and encrypted as a whole.
    """

    key: bytes = field(default=bytes(KEY_BYTES), repr=False)
    square_only: ClassVar[bool] = False
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
        dimension_counts = {2, 3} if self.in_color else {2}
        if array.ndim not in dimension_counts or array.dtype != np.uint8 or array.size == 0:
            accepted_kind = "images" if self.in_color else "gray images"
            raise InvalidImageError(
                f"{self.name} takes {accepted_kind} of 8 bits, not {array.shape} of {array.dtype}",
                hint=f"convert the image to {'8 bits' if self.in_color else 'gray'}",
            )
        if self.square_only:
            require_square(self.name, *array.shape)
        return self.decrypt(array) if undo else self.encrypt(array)


BASELINES = Registry(
    MeasuredScheme,
    item_noun="a scheme to compare with",
    group="sudokucrypt.schemes",
    package="sudokucrypt.analysis.baselines",
    order=lambda scheme: (bool(scheme.basis), scheme.name),
)
"""Every scheme to compare with, by name; ciphers that follow one paper (with a basis) are last."""

_SchemeClass = TypeVar("_SchemeClass", bound=type[Baseline])


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
) -> Callable[[_SchemeClass], _SchemeClass]:
    """Return a decorator that registers a class of `Baseline` in `BASELINES`.

    Parameters
    ----------
    limits, source, broken_by, basis : str, optional
        Attributes of the scheme, as `MeasuredScheme` describes them; by default the paragraphs of
        the docstring that begin with "Limits: ", "Source: ", "Broken by: " and "Basis: ". To the
        limits of a `PixelMap` it is added that it has one map for all images.
    evidence : str, optional
        The evidence that the code follows the paper, as `MeasuredScheme` describes; by default
        none.
    reduced : bool, default False
        Whether a part of the published cipher is left out.
    claimed : mapping of str to float, optional
        Values that the paper prints, by the name of the metric; shares for percentages.
    falls_to : str, optional
        The name of an attack that breaks it; by default chosen plaintext for a `PixelMap`. For
        published ciphers, the measurements of the zoo are used.
    key_bits : float, optional
        The number of effective bits of a key of 32 bytes; by default all if the scheme has a seed,
        otherwise 0.
    """

    def decorate(scheme_class: _SchemeClass) -> _SchemeClass:
        # A fixed map moves whole pixels, so attacks need not try smaller units.
        has_one_map = issubclass(scheme_class, PixelMap)
        default_scheme = scheme_class.with_key(bytes(KEY_BYTES))
        paragraphs = split_labeled_paragraphs(
            scheme_class, "Limits", "Source", "Broken by", "Basis"
        )
        known_limits = limits or paragraphs["Limits"]
        default_key_bits = 8 * KEY_BYTES if hasattr(default_scheme, "seed") else 0

        def run_scheme(image: AnyArray, key: bytes) -> SchemeResult:
            pixels = scheme_class.with_key(key).scramble(image)
            return SchemeResult(
                pixels,
                lambda other_key, scrambled=pixels: scheme_class.with_key(other_key).unscramble(
                    scrambled
                ),
            )

        BASELINES.register(
            MeasuredScheme(
                name=scheme_class.name,
                fixed=run_scheme,
                key_bits=default_key_bits if key_bits is None else key_bits,
                moves_only=default_scheme.moves_only,
                unit="pixel" if has_one_map else "auto",
                block_size=getattr(default_scheme, "block_size", None) if has_one_map else None,
                limits=f"{_ONE_MAP_LIMITS}; {known_limits}" if has_one_map else known_limits,
                inverse=lambda pixels, key: scheme_class.with_key(key).unscramble(pixels),
                description=paragraphs[""],
                source=source or paragraphs["Source"],
                broken_by=broken_by or paragraphs["Broken by"],
                evidence=evidence,
                basis=basis or paragraphs["Basis"],
                reduced=reduced,
                claimed=claimed or {},
                falls_to=falls_to or ("chosen-plaintext" if has_one_map else ""),
            )
        )
        return scheme_class

    return decorate


def make_integer_field(default: int, *, least: int = 1) -> Any:
    """Return a dataclass field for an integer of at least `least`; `Baseline` checks the bound."""
    return field(default=default, metadata={"least": least})


def check_image_of_any_type(image: ArrayLike) -> AnyArray:
    """Return an image as an array of any dtype, or raise `InvalidImageError` for a wrong shape."""
    array = np.asarray(image)
    if array.ndim not in {2, 3} or array.size == 0:
        raise InvalidImageError(
            f"an image has the shape (M, N) or (M, N, C) and at least one sample, not {array.shape}"
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


def iterate_map(targets: IntArray, iterations: int) -> IntArray:
    """Return the map that applies a map the given number of times."""
    result = np.arange(len(targets))
    # Repeated squaring: Arnold's map is applied hundreds of times.
    while iterations:
        if iterations & 1:
            result = targets[result]
        targets = targets[targets]
        iterations >>= 1
    return result


def undo_xor_chain(chained_row: AnyArray) -> AnyArray:
    """Return the row whose accumulated exclusive-or is `chained_row`."""
    row = chained_row.copy()
    row[1:] ^= chained_row[:-1]
    return row
