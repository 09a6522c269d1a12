"""Encrypt and decrypt arrays."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sudokucrypt.ciphers import ENCRYPT, SCHEMES, ContextScheme, TaggedScheme, scheme_named
from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.keys import SALT_LENGTH
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
    from sudokucrypt.typing import AnyArray, Region


def encrypt(
    image: ArrayLike,
    key: MasterKey,
    *,
    rounds: int | None = None,
    deterministic: bool = False,
    scheme: str = ENCRYPT.name,
    regions: Sequence[Region] | None = None,
    mask: ArrayLike | None = None,
    threads: int | None = None,
) -> ProtectedImage:
    """Encrypt an image: pixels change places, then every sample is masked by a key stream.

    Parameters
    ----------
    image : array_like of shape (M,), (M, N) or (M, N, C)
        Booleans, integers of 8 to 64 bits or floats of 16 to 64 bits; never changed. Floats are
        encrypted as raw bits, so the result may hold any float, NaN included.
    key : Key or Passphrase
        The key, or what one is derived from; the header then says how.
    rounds : int, optional
        As for `scramble`, with unit "pixel".
    deterministic : bool
        Derive the salt from key and image: results then show which images are equal, and whoever
        can have images encrypted can confirm a guess of another one.
    scheme : str
        ``encrypt-v1``. The insecure schemes for study must be named here and in `decrypt`.
    regions, mask
        As for `scramble`.
    threads : int, optional
        As for `scramble`.

    Returns
    -------
    ProtectedImage
        Pixels, which look uniform, and header.

    Raises
    ------
    InvalidImageError
        If the image is empty or of another shape or dtype.
    InvalidParameterError
        If an option is out of range, or the scheme does not encrypt.
    UnsupportedVersionError
        If the scheme is not known.

    Notes
    -----
    Secrecy and integrity come from HMAC-SHA-256, HKDF and ChaCha20 under a synthetic IV; see
    docs/explanation/security.md for what that gives. Shape, dtype and key id stay visible.

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt import Key, decrypt, encrypt
    >>> key = Key.generate()
    >>> result = encrypt(np.zeros((3, 4), dtype=np.uint8), key)
    >>> decrypt(result.pixels, key, result.header).any()
    np.False_
    """
    checked_key(key, protecting=True)
    how = encryption(rounds=rounds, deterministic=deterministic, scheme=scheme, threads=threads)
    return protect_image(checked_image(image), key, how, regions=regions, mask=mask)


def decrypt(
    pixels: ArrayLike,
    key: RestoringKey,
    header: Header,
    *,
    scheme: str | None = None,
    max_rounds: int = MAX_ROUNDS,
    threads: int | None = None,
) -> AnyArray:
    """Decrypt an image that `encrypt` returned.

    Parameters
    ----------
    pixels : array_like
        The encrypted image, exactly as `encrypt` returned it.
    key : Key, Passphrase or PictureKey
        The key it was encrypted with, or the key of this picture.
    header : Header
        The header that `encrypt` returned.
    scheme : str, optional
        The name of an insecure scheme, if the image may be of that scheme.
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
        If the header lacks its tag or names an unknown scheme.
    InvalidImageError
        If `pixels` is not an image.
    InvalidParameterError
        If the image is only scrambled.
    UnsupportedError
        If the header names an insecure scheme that was not asked for, or asks for more rounds or
        a costlier derivation than is allowed.
    """
    checked_key(key)
    encrypted = checked_image(pixels)
    chosen = encryption_scheme(header, scheme)
    return restore(encrypted, key, header, chosen, max_rounds=max_rounds, threads=threads)


def encryption(
    *,
    rounds: int | None = None,
    deterministic: bool = False,
    scheme: str = ENCRYPT.name,
    threads: int | None = None,
) -> Protection:
    """Return how `encrypt` protects under these options, with fresh salt."""
    chosen = scheme_named(scheme)
    if not isinstance(chosen, TaggedScheme) or not chosen.encrypts:
        raise InvalidParameterError(f"the scheme {scheme} does not encrypt")
    return Protection(
        scheme=chosen,
        rounds=rounds,
        salt=None if deterministic else secrets.token_bytes(SALT_LENGTH),
        threads=threads,
    )


def encryption_scheme(header: Header | None, scheme: str | None = None) -> Scheme:
    """Return the scheme that decrypts; an insecure one must be asked for by name."""
    if header is None:
        raise no_header()
    named = SCHEMES.get(header.scheme)
    if header.scheme == ContextScheme.name or (named is not None and not named.encrypts):
        raise InvalidParameterError("this picture is scrambled only", hint="unscramble it")
    chosen = scheme_named(header.scheme)
    if isinstance(chosen, TaggedScheme) and chosen.insecure and scheme != chosen.name:
        raise UnsupportedError(
            f"the scheme {chosen.name} is not secure", hint="ask for it by name if you study it"
        )
    return chosen
