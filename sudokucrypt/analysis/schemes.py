"""A scheme under test, as callables: analysis knows neither keys nor headers."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from sudokucrypt.errors import (
    DecryptionError,
    InvalidImageError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray

# How long the keys are that schemes are measured under.
KEY_BYTES = 32

# Square, which more schemes take, and with 256 samples of 256 levels.
_PROBE = (16, 16)


class Undo(Protocol):
    """How a result is undone: by the key of 32 bytes, and from pixels that may have changed."""

    def __call__(self, key: bytes, pixels: AnyArray = ..., /) -> AnyArray:
        """Return the image from the result, or from `pixels` of its shape and dtype.

        `DecryptionError` is raised if it is noticed that the key or the pixels are others.
        """
        ...


class SchemeResult(NamedTuple):
    """One use of a scheme: the result, of the shape and dtype of the image, and how to undo it."""

    pixels: AnyArray
    undo: Undo | None = None


KeyedMap: TypeAlias = Callable[[AnyArray, bytes], AnyArray]
"""A plain function of image and key to an image, of the same shape and dtype."""

Keyed: TypeAlias = Callable[[AnyArray, bytes], SchemeResult]
"""Image and key of 32 bytes to `SchemeResult`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredScheme:
    """A scheme to be measured and attacked.

    `fixed` is the scheme without salt, or with the same salt each time, so that equal arguments
    give equal results, and `fresh` the scheme with new salt each time, if it has salt. `key_bits`
    says how many bits of the key count, 0 if the key changes nothing, and `moves_only` whether
    samples change places and not values. `unit` is what moves as a whole (the pixels of blocks move
    too), and attacks try all of them by default; `block_size` is the side of the blocks that move,
    if blocks do. `limits` is what is known against the scheme, in a sentence. `public` gives what
    is sent along with the result of an image, which attackers see; `inverse` undoes any result.
    """

    name: str
    fixed: Keyed
    fresh: Keyed | None = None
    key_bits: float = 8 * KEY_BYTES
    moves_only: bool = True
    unit: Literal["auto", "pixel", "sample", "bit"] = "auto"
    block_size: int | None = None
    limits: str
    public: Callable[[AnyArray], object] | None = None
    inverse: KeyedMap | None = None

    @property
    def usual(self) -> Keyed:
        """The scheme as it is meant to be used: with fresh salt, if it has any."""
        return self.fixed if self.fresh is None else self.fresh

    def oracle(self, key: bytes, *, fixed: bool) -> Callable[[AnyArray], AnyArray]:
        """Return the scheme under one key, as attacks take it."""
        chosen = self.fixed if fixed else self.usual
        return lambda image: chosen(image, key).pixels

    def restoring(self, key: bytes) -> Callable[[AnyArray], AnyArray] | None:
        """Return the inverse under one key, if it takes results alone."""
        inverse = self.inverse
        return None if inverse is None else lambda pixels: inverse(pixels, key)


@dataclass(frozen=True, eq=False, kw_only=True)
class JpegScheme:
    """A scheme for JPEG files to be attacked: callables of the bytes of a file and of a key.

    They return the bytes of a JPEG with the same frame. `fixed` and `fresh` are as in
    `MeasuredScheme`.
    """

    name: str
    fixed: Callable[[bytes, bytes], bytes]
    fresh: Callable[[bytes, bytes], bytes] | None = None

    def oracle(self, key: bytes, *, fixed: bool) -> Callable[[bytes], bytes]:
        """Return the scheme under one key, as attacks take it."""
        chosen = self.fixed if fixed or self.fresh is None else self.fresh
        return lambda data: chosen(data, key)


def report_key(number: int) -> bytes:
    """Return one of the keys that schemes are measured under: 32 bytes, the same each time."""
    return sha256(f"sudokucrypt report, key {number}".encode()).digest()


def scheme_from_function(function: KeyedMap, *, name: str | None = None) -> MeasuredScheme:
    """Return a scheme that a plain function defines.

    It takes an image and a key of 32 bytes, and returns an image of the same shape and dtype. These
    attributes are optional: ``undo``, a callable that takes such a result and a key and returns the
    image; ``key_bits``, how many bits of the key count (256 by default); ``moves_only``, whether
    values stay, which else a small random image shows; ``limits``, what is known against it; and
    ``public``, a function of the image that gives what is sent along with the result.

    Whatever the function raises becomes an `UnsupportedError`, as of a scheme that does not take
    an image; whatever ``undo`` raises becomes a `DecryptionError`.

    Examples
    --------
    >>> def flipped(image, key):
    ...     return image ^ key[0]
    >>> scheme = scheme_from_function(flipped)
    >>> scheme.name, scheme.key_bits, scheme.moves_only
    ('flipped', 256.0, False)
    """
    if not callable(function):
        raise InvalidParameterError(
            f"a scheme is a function of an image and a key, not {type(function).__name__}"
        )
    called = name or str(getattr(function, "__name__", type(function).__name__))
    undo: KeyedMap | None = getattr(function, "undo", None)
    bits = getattr(function, "key_bits", 8 * KEY_BYTES)
    if undo is not None and not callable(undo):
        raise InvalidParameterError(f"the undo of {called!r} must be a function, not {undo!r}")
    if isinstance(bits, bool) or not isinstance(bits, int | float) or not 0 <= bits < np.inf:
        raise InvalidParameterError(f"the key_bits of {called!r} must be 0 or more, not {bits!r}")

    def fixed(image: AnyArray, key: bytes) -> SchemeResult:
        try:
            pixels = np.asarray(function(image.copy(), key))
        # The code of others may raise anything, and must not end a comparison of many schemes.
        except (Exception, SystemExit) as error:
            raise UnsupportedError(f"{called!r} failed: {_format_error(error)}") from error
        if pixels.shape != image.shape or pixels.dtype != image.dtype:
            raise InvalidImageError(
                f"{called!r} made {pixels.shape} of {pixels.dtype} from {image.shape} of "
                f"{image.dtype}",
                hint="a scheme keeps shape and dtype",
            )
        if undo is None:
            return SchemeResult(pixels)
        return SchemeResult(pixels, lambda other, seen=pixels: undone(undo, seen, other))

    def undone(inverse: KeyedMap, pixels: AnyArray, key: bytes) -> AnyArray:
        try:
            return np.asarray(inverse(pixels.copy(), key))
        except (Exception, SystemExit) as error:
            raise DecryptionError(f"undoing {called!r} failed: {_format_error(error)}") from error

    moves = getattr(function, "moves_only", None)
    return MeasuredScheme(
        name=called,
        fixed=fixed,
        key_bits=float(bits),
        moves_only=keeps_values(fixed) if moves is None else bool(moves),
        limits=str(getattr(function, "limits", "not stated")),
        public=getattr(function, "public", None),
        inverse=None if undo is None else lambda pixels, key: undone(undo, pixels, key),
    )


def _format_error(error: BaseException) -> str:
    """Return the kind and the first line of what the code of others raised."""
    return f"{type(error).__name__}: {error}".partition("\n")[0].removesuffix(": ")


def keeps_values(fixed: Keyed) -> bool:
    """Return whether a small image of random samples keeps them, in whatever order."""
    samples = seeded_draws(0).below_each(np.full(_PROBE[0] * _PROBE[1], 256))
    image = samples.astype(np.uint8).reshape(_PROBE)
    try:
        pixels = fixed(image, report_key(0)).pixels
    except (UnsupportedError, InvalidImageError):
        return False
    return np.array_equal(np.sort(pixels, axis=None), np.sort(image, axis=None))
