"""Scramble and unscramble arrays."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sudokucrypt.ciphers import SCRAMBLE, ContextScheme, Part, TaggedScheme, scheme_named
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.keys import SALT_LENGTH, Passphrase, PictureKey
from sudokucrypt.recipes.parts import (
    MAX_ROUNDS,
    ProtectedImage,
    Protection,
    checked_image,
    checked_key,
    no_header,
    protect_image,
    restore,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from sudokucrypt.header import Header
    from sudokucrypt.keys import MasterKey, RestoringKey
    from sudokucrypt.recipes.parts import Scheme
    from sudokucrypt.typing import AnyArray, Region, Unit

_DEFAULT_BLOCK_SIZE = 16


def scramble(
    image: ArrayLike,
    key: MasterKey,
    *,
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    deterministic: bool = False,
    context: str | None = None,
    regions: Sequence[Region] | None = None,
    mask: ArrayLike | None = None,
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
        1..255; by default 2 from 2**20 units on, 3 from 4096 on, and 4 below, by the smallest
        group of units.
    deterministic : bool
        Derive the salt from key and image, so that equal images give equal results. Whoever can
        have images protected can then confirm a guess of another one.
    context : str, optional
        Use one permutation per key and context and store no tag. Nothing then detects a wrong
        context or a changed picture, and images under one context share their permutation; see
        docs/explanation/limitations.md.
    regions : sequence of (row, column, rows, columns), optional
        Rectangles: only what lies in any of them changes. They stand in the header.
    mask : array_like of shape (M, N), dtype bool, optional
        Only where it is true, or in `regions`, pixels change. It stands in the header.
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
    checked_key(key, protecting=True)
    how = scrambling(
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        deterministic=deterministic,
        context=context,
        threads=threads,
    )
    return protect_image(checked_image(image), key, how, regions=regions, mask=mask)


def unscramble(
    pixels: ArrayLike,
    key: RestoringKey,
    header: Header | None = None,
    *,
    context: str | None = None,
    max_rounds: int = MAX_ROUNDS,
    threads: int | None = None,
) -> AnyArray:
    """Restore a scrambled image exactly.

    Parameters
    ----------
    pixels : array_like
        The scrambled image, exactly as `scramble` returned it.
    key : Key, Passphrase or PictureKey
        The key it was scrambled with, or the key of this picture.
    header : Header, optional
        The header that `scramble` returned. May be left out for an image that was scrambled
        under a context with the default unit and rounds.
    context : str, optional
        The context it was scrambled under, if any.
    max_rounds : int
        Most rounds that the header may ask for; 16 by default.
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
    UnsupportedError
        If the header asks for more rounds, or a costlier derivation, than is allowed.
    """
    checked_key(key)
    scrambled = checked_image(pixels)
    if header is None:
        header = context_header(scrambled, key, context)
    scheme = scrambling_scheme(header, context)
    return restore(scrambled, key, header, scheme, max_rounds=max_rounds, threads=threads)


def scrambling(
    *,
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    deterministic: bool = False,
    context: str | None = None,
    threads: int | None = None,
) -> Protection:
    """Return how `scramble` protects under these options, with fresh salt if any."""
    return Protection(
        scheme=SCRAMBLE if context is None else ContextScheme(context),
        unit=unit,
        block_size=_DEFAULT_BLOCK_SIZE if unit == "block" and block_size is None else block_size,
        rounds=rounds,
        salt=None if deterministic or context is not None else secrets.token_bytes(SALT_LENGTH),
        threads=threads,
    )


def scrambling_scheme(header: Header, context: str | None) -> Scheme:
    """Return the scheme that undoes a scrambled picture; what encrypts is refused."""
    scheme = scheme_named(header.scheme, context)
    if isinstance(scheme, TaggedScheme) and scheme is not SCRAMBLE:
        raise InvalidParameterError(
            f"this picture is of scheme {scheme.name}, not scrambled", hint="decrypt it"
        )
    return scheme


def context_header(pixels: AnyArray, key: RestoringKey, context: str | None) -> Header:
    """Return the header that an image scrambled under a context with default options has."""
    if context is None:
        raise no_header()
    if isinstance(key, Passphrase | PictureKey):
        raise InvalidParameterError(
            "a context needs a key, not a passphrase or the key of one picture"
        )
    return scrambling(context=context).draft([Part(pixels=pixels)], key)
