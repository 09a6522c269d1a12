"""The deterministic core of the recipes: everything but the salt is decided here."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.bijections import UnitGroups, chosen_rounds
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidKeyError,
    InvalidParameterError,
)
from sudokucrypt.formats import Header
from sudokucrypt.keys import Key, KeyDerivation, Passphrase
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sudokucrypt.ciphers import ContextScheme, TaggedScheme
    from sudokucrypt.typing import AnyArray, Unit

SALT_LENGTH = 16


@dataclass(frozen=True, eq=False)
class ProtectedImage:
    """What `scramble` and `encrypt` return.

    Parameters
    ----------
    pixels : ndarray
        The scrambled or encrypted image, of the shape and dtype of the input.
    header : Header
        What restoring needs besides the key.
    """

    pixels: AnyArray
    header: Header


def protect_from_parts(
    image: AnyArray,
    key: Key | Passphrase,
    *,
    scheme: TaggedScheme | ContextScheme,
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    salt: bytes | None,
    derivation: KeyDerivation | None = None,
    threads: int | None = None,
) -> ProtectedImage:
    """Scramble or encrypt with a given salt: the same parts always give the same result."""
    kdf = None
    if isinstance(key, Passphrase):
        if salt is None:
            raise InvalidParameterError(
                "a passphrase needs salt", hint="use a key for deterministic results and contexts"
            )
        derivation = derivation or KeyDerivation.new()
        key, kdf = derivation.derive(key), derivation.to_text()
    draft = draft_header(
        image,
        key,
        scheme.name,
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        kdf=kdf,
        salt=salt,
    )
    with Workers(threads, work=image.nbytes) as workers:
        return ProtectedImage(*scheme.protect(image, key, draft, workers))


def restore(
    pixels: AnyArray,
    key: Key | Passphrase,
    header: Header,
    scheme: TaggedScheme | ContextScheme,
    threads: int | None,
) -> AnyArray:
    """Check what can be seen at once, then restore."""
    if isinstance(key, Passphrase):
        if header.kdf is None:
            raise DecryptionError
        key = KeyDerivation.from_text(header.kdf).derive(key)
    described = (header.shape, header.dtype, header.key_id)
    if described != (pixels.shape, pixels.dtype.name, key.id):
        raise DecryptionError
    with Workers(threads, work=pixels.nbytes) as workers:
        return scheme.restore(pixels, key, header, workers)


def no_header() -> FormatError:
    """Return the error for an image that carries no header."""
    return FormatError(
        "the picture carries no header",
        hint="editors and networks often drop it: name its sidecar with --sidecar FILE, "
        "or use the file that was written",
    )


def checked_image(image: ArrayLike, key: Key | Passphrase) -> AnyArray:
    """Return the image as an array; the key must be one."""
    if not isinstance(key, (Key, Passphrase)):
        raise InvalidKeyError(
            f"a key is a Key or Passphrase, not {type(key).__name__}",
            hint="read one with Key.from_file",
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


def draft_header(
    image: AnyArray,
    key: Key,
    scheme: str,
    *,
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    kdf: str | None = None,
    salt: bytes | None = None,
) -> Header:
    """Return the header of `image` before its tag."""
    smallest = min(UnitGroups(image.shape, unit, block_size).counts.values(), default=1)
    return Header(
        scheme=scheme,
        unit=unit,
        block_size=None if block_size is None else index(block_size),
        rounds=chosen_rounds(rounds, smallest),
        shape=image.shape,
        dtype=image.dtype.name,
        key_id=key.id,
        kdf=kdf,
        salt=salt,
    )
