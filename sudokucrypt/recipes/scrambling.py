"""Scramble and unscramble arrays."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sudokucrypt.ciphers import SCRAMBLE, ContextScheme, TaggedScheme, scheme_named
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.keys import Passphrase
from sudokucrypt.recipes.parts import (
    SALT_LENGTH,
    ProtectedImage,
    checked_image,
    draft_header,
    no_header,
    protect_from_parts,
    restore,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sudokucrypt.formats import Header
    from sudokucrypt.keys import Key
    from sudokucrypt.typing import AnyArray, Unit

_DEFAULT_BLOCK_SIZE = 16


def scramble(
    image: ArrayLike,
    key: Key | Passphrase,
    *,
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    deterministic: bool = False,
    context: str | None = None,
    threads: int | None = None,
) -> ProtectedImage:
    """Scramble an image: every unit stays as it is and gets a new place.

    Parameters
    ----------
    image : array_like of shape (M,), (M, N) or (M, N, C)
        Booleans, integers of 8 to 64 bits or floats of 16 to 64 bits; never changed.
    key : Key or Passphrase
        The key, or what one is derived from; the header then says how.
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
    ProtectedImage
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
    return protect_from_parts(
        checked_image(image, key),
        key,
        scheme=SCRAMBLE if context is None else ContextScheme(context),
        unit=unit,
        block_size=_DEFAULT_BLOCK_SIZE if unit == "block" and block_size is None else block_size,
        rounds=rounds,
        salt=None if deterministic or context is not None else secrets.token_bytes(SALT_LENGTH),
        threads=threads,
    )


def unscramble(
    pixels: ArrayLike,
    key: Key | Passphrase,
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
    key : Key or Passphrase
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
    scrambled = checked_image(pixels, key)
    if header is None:
        if context is None:
            raise no_header()
        if isinstance(key, Passphrase):
            raise InvalidParameterError("a context needs a key, not a passphrase")
        header = draft_header(scrambled, key, ContextScheme.name)
    scheme = scheme_named(header.scheme, context)
    if isinstance(scheme, TaggedScheme) and scheme is not SCRAMBLE:
        raise InvalidParameterError(
            f"this picture is of scheme {scheme.name}, not scrambled", hint="decrypt it"
        )
    return restore(scrambled, key, header, scheme, threads)
