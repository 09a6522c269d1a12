"""Scramble, encrypt and restore arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt import ciphers
from sudokucrypt.errors import (
    DecryptionError,
    InvalidImageError,
    InvalidParameterError,
)
from sudokucrypt.header import Header
from sudokucrypt.keys import Key, KeyRing, ProtectingKey, RestoringKey
from sudokucrypt.options import add_call_hints, document_options
from sudokucrypt.recipes.opening import (
    find_encryption_scheme,
    find_scrambling_scheme,
    make_no_header_error,
    open_header,
    require_header,
)
from sudokucrypt.recipes.options import (
    MAX_ROUNDS,
    EncryptArrayOptions,
    OpenOptions,
    ScrambleArrayOptions,
)
from sudokucrypt.recipes.protection import (
    ProtectedImage,
    Scheme,
    check_image,
    make_protection,
    protect_image,
    require_key,
)
from sudokucrypt.recipes.verbs import wrap_image_function
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray, ImageLike


@wrap_image_function(ScrambleArrayOptions)
def scramble(image: ImageLike, key: ProtectingKey, options: ScrambleArrayOptions) -> ProtectedImage:
    """Scramble an image: each unit keeps its values and moves to a new place.

    Raises `InvalidImageError` if the image is empty or has an unsupported shape or dtype, and
    `InvalidParameterError` if an option is out of range.

    Histogram, mean and entropy stay the same. This hides a picture from view; it is not encryption.

    Parameters
    ----------
    image : array_like of shape (M,), (M, N) or (M, N, C)
        Booleans, integers of 8 to 64 bits or floats of 16 to 64 bits; never changed.
    <key>
    <options>

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt import Key, scramble, unscramble
    >>> image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    >>> key = Key.generate()
    >>> result = scramble(image, key)
    >>> np.array_equal(unscramble(result, key), image)
    True
    """
    return protect_image(_require_plain_image(image), key, make_protection(options))


@add_call_hints
@document_options(OpenOptions)
def unscramble(
    pixels: ImageLike,
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
    pixels : array_like or ProtectedImage
        The pixels that `scramble` returned, unchanged, or its whole result.
    <own_key>
    header : Header, optional
        The header that `scramble` returned. Not needed with its whole result, nor for an image that
        was scrambled under a context with the default unit and rounds.
    context : str, optional
        The context that the image was scrambled under, if any.
    <max_rounds>
    <threads>

    Raises
    ------
    DecryptionError
        If the key is wrong or the pixels or the header were changed.
    FormatError
        If there is no header and no context, or the header has no tag.
    InvalidImageError
        If `pixels` is not an image.
    InvalidParameterError
        If the context is missing or superfluous.
    UnsupportedError
        If the header asks for more rounds, or a costlier derivation, than is allowed.
    """
    require_key(key)
    header = find_header_for_pixels(pixels, header)
    scrambled_image = check_image(pixels)
    if header is None:
        header = make_context_header(scrambled_image, key, context)
    scheme = find_scrambling_scheme(header, context)
    return restore_image(
        scrambled_image, key, header, scheme, max_rounds=max_rounds, threads=threads
    )


def find_header_for_pixels(pixels: object, header: Header | None) -> Header | None:
    """Return `header` if given, otherwise the header of a `ProtectedImage`, otherwise None."""
    if header is not None and not isinstance(header, Header):
        raise InvalidParameterError(
            f"the header must be the Header of a result, not a {type(header).__name__}",
            hint="pass a result and a key, or pixels, a key and a header"
            + ("; Header.from_bytes reads one" if isinstance(header, bytes | str) else ""),
        )
    return pixels.header if header is None and isinstance(pixels, ProtectedImage) else header


def make_context_header(pixels: AnyArray, key: RestoringKey, context: str | None) -> Header:
    """Return the header of an image that was scrambled under a context with default options."""
    if context is None:
        raise make_no_header_error()
    if isinstance(key, KeyRing):
        raise InvalidParameterError("a context without a header needs one key, not several")
    if not isinstance(key, Key):
        raise InvalidParameterError(
            "a context needs a key, not a passphrase, an identity or the key of one picture"
        )
    protection = make_protection(ScrambleArrayOptions(context=context))
    return protection.make_draft_header([ciphers.Part(pixels=pixels)], key)


def _require_plain_image(image: ImageLike) -> AnyArray:
    """Return an image to protect as an array; `InvalidImageError` if it is protected already."""
    if isinstance(image, ProtectedImage):
        raise InvalidImageError(
            "this image is protected already, and its header would be lost",
            hint="pass its pixels, and keep its header",
        )
    return check_image(image)


@wrap_image_function(EncryptArrayOptions)
def encrypt(image: ImageLike, key: ProtectingKey, options: EncryptArrayOptions) -> ProtectedImage:
    """Encrypt an image: pixels change places, then every sample is masked by a key stream.

    Secrecy and integrity come from HMAC-SHA-256, HKDF and ChaCha20 under a synthetic IV; see
    docs/explanation/security.md for the guarantees. Shape, dtype and key id stay visible.

    Parameters
    ----------
    image : array_like of shape (M,), (M, N) or (M, N, C)
        Booleans, integers of 8 to 64 bits or floats of 16 to 64 bits; never changed. Floats are
        encrypted as raw bits, so the result may hold any float, NaN included.
    <key>
    <options>

    Raises
    ------
    InvalidImageError
        If the image is empty, is a masked array, or has an unsupported shape or dtype.
    InvalidParameterError
        If an option is out of range, or the scheme does not encrypt.
    UnsupportedVersionError
        If the scheme is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt import Key, decrypt, encrypt
    >>> key = Key.generate()
    >>> result = encrypt(np.zeros((3, 4), dtype=np.uint8), key)
    >>> decrypt(result, key).any()
    np.False_
    """
    return protect_image(_require_plain_image(image), key, make_protection(options))


@add_call_hints
@document_options(OpenOptions)
def decrypt(
    pixels: ImageLike,
    key: RestoringKey,
    header: Header | None = None,
    *,
    max_rounds: int = MAX_ROUNDS,
    threads: int | None = None,
) -> AnyArray:
    """Decrypt an image that `encrypt` returned.

    Parameters
    ----------
    pixels : array_like or ProtectedImage
        The pixels that `encrypt` returned, unchanged, or its whole result.
    <own_key>
    header : Header, optional
        The header that `encrypt` returned. Not needed with its whole result.
    <max_rounds>
    <threads>

    Raises
    ------
    DecryptionError
        If the key is wrong or the pixels or the header were changed.
    InvalidImageError
        If `pixels` is not an image.
    FormatError
        If the header has no tag or names an unknown scheme.
    InvalidParameterError
        If the image is only scrambled.
    UnsupportedError
        If the header asks for more rounds or a costlier derivation than is allowed.
    """
    encrypted_image = check_image(pixels)
    header = require_header(find_header_for_pixels(pixels, header))
    scheme = find_encryption_scheme(header)
    return restore_image(
        encrypted_image, key, header, scheme, max_rounds=max_rounds, threads=threads
    )


def restore_image(
    pixels: AnyArray,
    key: RestoringKey,
    header: Header,
    scheme: Scheme,
    *,
    max_rounds: int,
    threads: int | None,
) -> AnyArray:
    """Check the seal of the header, and restore one image."""
    opened_header = open_header(header, key, scheme=scheme, max_rounds=max_rounds, threads=threads)
    plain = opened_header.header
    if (plain.shape, plain.dtype) != (pixels.shape, pixels.dtype.name):
        raise DecryptionError
    if plain.encrypted_metadata is not None:
        raise InvalidParameterError(
            "the header belongs to a picture file", hint="restore the file, not its samples"
        )
    with Workers(threads, work_bytes=pixels.nbytes) as workers:
        return scheme.restore([ciphers.Part(pixels=pixels)], opened_header.key, plain, workers)[0]
