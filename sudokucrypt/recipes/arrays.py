"""Scramble and restore arrays."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.bijections import UnitGroups, chosen_rounds
from sudokucrypt.ciphers import ContextScramble, TaggedScramble, scheme_for
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidKeyError,
)
from sudokucrypt.formats import Header
from sudokucrypt.keys import Key
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sudokucrypt.typing import AnyArray, Unit

_SALT_LENGTH = 16
_DEFAULT_BLOCK_SIZE = 16


@dataclass(frozen=True, eq=False)
class ScrambledImage:
    """What scrambling returns.

    Parameters
    ----------
    pixels : ndarray
        The scrambled image, of the shape and dtype of the input.
    header : Header
        What `unscramble` needs besides the key.
    """

    pixels: AnyArray
    header: Header


def scramble(
    image: ArrayLike,
    key: Key,
    *,
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    deterministic: bool = False,
    context: str | None = None,
    threads: int | None = None,
) -> ScrambledImage:
    """Scramble an image: every unit stays as it is and gets a new place.

    Parameters
    ----------
    image : array_like of shape (M,), (M, N) or (M, N, C)
        Booleans, integers of 8 to 64 bits or floats of 16 to 64 bits; never changed.
    key : Key
        The key.
    unit : {"pixel", "sample", "block"}
        What moves as a whole: a pixel with all its channels, each channel value on its own, or
        a block of `block_size` x `block_size` pixels.
    block_size : int, optional
        Side of a block in pixels, 1..65535, for unit "block"; 16 by default.
    rounds : int, optional
        1..255; by default 2 from 2**20 units on, 3 from 4096 on, and 8 below, by the smallest
        group of units.
    deterministic : bool
        Leave the random salt out, so that equal images give equal results.
    context : str, optional
        Use one permutation per key and context and store no tag. Nothing then detects a wrong
        context or a changed picture, and images under one context share their permutation; see
        docs/explanation/limitations.md.
    threads : int, optional
        How many threads share the work, 1..1024; by default what SUDOKUCRYPT_THREADS says, else
        one for each core. The result never depends on it.

    Returns
    -------
    ScrambledImage
        Pixels and header.

    Raises
    ------
    InvalidImageError
        If the image is empty or of another shape or dtype.
    InvalidParameterError
        If an option is out of range.

    Notes
    -----
    Positions change, values do not: histogram, mean and entropy stay. This hides a picture from
    view; it is not encryption.

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt import Key, scramble, unscramble
    >>> image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    >>> key = Key.generate()
    >>> result = scramble(image, key)
    >>> np.array_equal(unscramble(result.pixels, key, result.header), image)
    True
    """
    return _scramble_from_parts(
        _checked(image, key),
        key,
        unit=unit,
        block_size=_DEFAULT_BLOCK_SIZE if unit == "block" and block_size is None else block_size,
        rounds=rounds,
        context=context,
        salt=None if deterministic or context is not None else secrets.token_bytes(_SALT_LENGTH),
        threads=threads,
    )


def unscramble(
    pixels: ArrayLike,
    key: Key,
    header: Header | None = None,
    *,
    context: str | None = None,
    threads: int | None = None,
) -> AnyArray:
    """Restore a scrambled image exactly.

    Parameters
    ----------
    pixels : array_like
        The scrambled image, exactly as `scramble` returned it.
    key : Key
        The key it was scrambled with.
    header : Header, optional
        The header that `scramble` returned. May be left out for an image that was scrambled
        under a context with the default unit and rounds.
    context : str, optional
        The context it was scrambled under, if any.
    threads : int, optional
        As for `scramble`.

    Returns
    -------
    ndarray
        The plain image, of the shape and dtype of `pixels`.

    Raises
    ------
    DecryptionError
        If the key is wrong or the pixels or the header were changed.
    FormatError
        If there is no header and no context, or the header lacks its tag.
    InvalidImageError
        If `pixels` is not an image.
    InvalidParameterError
        If the context is missing or superfluous.
    """
    scrambled = _checked(pixels, key)
    if header is None:
        if context is None:
            raise no_header()
        header = _draft(scrambled, key, context=context)
    scheme = scheme_for(header, context)
    described = (header.shape, header.dtype, header.key_id)
    if described != (scrambled.shape, scrambled.dtype.name, key.id):
        raise DecryptionError
    with Workers(threads) as workers:
        return scheme.unscramble(scrambled, key, header, workers)


def _scramble_from_parts(
    image: AnyArray,
    key: Key,
    *,
    unit: Unit,
    block_size: int | None,
    rounds: int | None,
    context: str | None,
    salt: bytes | None,
    threads: int | None = None,
) -> ScrambledImage:
    """Scramble with a given salt: the same parts always give the same result."""
    draft = _draft(
        image,
        key,
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        context=context,
        salt=salt,
    )
    scheme = TaggedScramble() if context is None else ContextScramble(context)
    with Workers(threads) as workers:
        return ScrambledImage(*scheme.scramble(image, key, draft, workers))


def no_header() -> FormatError:
    """Return the error for an image that carries no header."""
    return FormatError(
        "the picture carries no header",
        hint="editors and networks often drop it: name its sidecar with --sidecar FILE, "
        "or use the file that was written",
    )


def _checked(image: ArrayLike, key: Key) -> AnyArray:
    if not isinstance(key, Key):
        raise InvalidKeyError(
            f"a key is a Key, not {type(key).__name__}", hint="read one with Key.from_file"
        )
    array = np.asarray(image)
    if array.dtype.kind not in "buif" or array.dtype.itemsize > 8:
        raise InvalidImageError(
            f"samples of type {array.dtype} are not supported",
            hint="use booleans, integers of 8 to 64 bits or floats of 16 to 64 bits",
        )
    if array.ndim not in (1, 2, 3):
        raise InvalidImageError(f"an image has one to three dimensions, not {array.ndim}")
    if array.size == 0:
        raise InvalidImageError(f"the image is empty: its shape is {array.shape}")
    return array


def _draft(
    image: AnyArray,
    key: Key,
    *,
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    context: str | None = None,
    salt: bytes | None = None,
) -> Header:
    """Return the header of a scrambled `image` before its tag."""
    smallest = min(UnitGroups(image.shape, unit, block_size).counts.values(), default=1)
    return Header(
        scheme=(TaggedScramble if context is None else ContextScramble).name,
        unit=unit,
        block_size=None if block_size is None else index(block_size),
        rounds=chosen_rounds(rounds, smallest),
        shape=image.shape,
        dtype=image.dtype.name,
        key_id=key.id,
        salt=salt,
    )
