"""The deterministic core of the recipes: everything but the salt is decided here."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import index

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.bijections import UnitGroups, chosen_rounds
from sudokucrypt.ciphers import ContextScheme, Part, TaggedScheme
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidKeyError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.header import Header
from sudokucrypt.keys import (
    RETRY_HINT,
    Key,
    KeyDerivation,
    MasterKey,
    Passphrase,
    PictureKey,
    RestoringKey,
)
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.typing import AnyArray, Region, Unit
from sudokucrypt.workers import Workers

Scheme = TaggedScheme | ContextScheme

MAX_ROUNDS = 16
"""Most rounds that a header may ask for, unless the caller allows more."""


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


@dataclass(frozen=True, eq=False, kw_only=True)
class Protection:
    """How something is to be protected, down to the salt."""

    scheme: Scheme
    unit: Unit = "pixel"
    block_size: int | None = None
    rounds: int | None = None
    salt: bytes | None
    derivation: KeyDerivation | None = None
    threads: int | None = None

    def protect(
        self,
        parts: Sequence[Part],
        key: MasterKey,
        *,
        selection: Selection | None = None,
        encrypted_metadata: bytes | None = None,
    ) -> tuple[list[AnyArray], Header]:
        """Return the protected frames and their header: equal input gives equal output."""
        master, kdf = self.master(key)
        draft = self.draft(
            parts, master, selection=selection, encrypted_metadata=encrypted_metadata
        )
        if kdf is not None:
            draft = replace(draft, kdf=kdf)
        with Workers(self.threads, work=sum(part.pixels.nbytes for part in parts)) as workers:
            return self.scheme.protect(parts, master, draft, workers)

    def master(self, key: MasterKey) -> tuple[Key, str | None]:
        """Return the key, and how it comes from a passphrase if it does."""
        self.require_suiting(key)
        if not isinstance(key, Passphrase):
            return key, None
        derivation = self.derivation or key.derivation
        return derivation.derive(key), derivation.to_text()

    def require_suiting(self, key: MasterKey) -> None:
        """Raise `InvalidParameterError` for a passphrase without a random salt."""
        if isinstance(key, Passphrase) and self.salt is None:
            raise InvalidParameterError(
                "a passphrase needs a random salt",
                hint="use a key for deterministic results and contexts",
            )

    def draft(
        self,
        parts: Sequence[Part],
        key: Key,
        *,
        selection: Selection | None = None,
        encrypted_metadata: bytes | None = None,
    ) -> Header:
        """Return the header of these parts before anything secret is known."""
        if selection is not None and self.unit == "block":
            raise InvalidParameterError("regions are scrambled by pixels or samples, not in blocks")
        counts = [
            count
            for part in parts
            for count in UnitGroups(part.extent, self.unit, self.block_size).counts.values()
        ]
        first = parts[0].pixels
        return Header(
            scheme=self.scheme.name,
            unit=self.unit,
            block_size=None if self.block_size is None else index(self.block_size),
            rounds=chosen_rounds(self.rounds, min(filter(None, counts), default=1)),
            shape=first.shape,
            dtype=first.dtype.name,
            regions=None if selection is None else selection.regions,
            mask=None if selection is None else selection.packed(),
            key_id=key.id,
            salt=self.salt,
            encrypted_metadata=encrypted_metadata,
        )


def protect_image(
    image: AnyArray,
    key: MasterKey,
    how: Protection,
    *,
    regions: Sequence[Region] | None = None,
    mask: ArrayLike | None = None,
) -> ProtectedImage:
    """Scramble or encrypt one image."""
    selection = Selection.chosen(image.shape[:2], regions, mask)
    where = None if selection is None else selection.where
    frames, header = how.protect([Part(pixels=image, where=where)], key, selection=selection)
    return ProtectedImage(frames[0], header)


def restore(
    pixels: AnyArray,
    key: RestoringKey,
    header: Header,
    scheme: Scheme,
    *,
    max_rounds: int,
    threads: int | None,
) -> AnyArray:
    """Restore one image, after its header has proved authentic."""
    require_rounds(header, max_rounds)
    working = unlocked(key, header)
    with Workers(threads, work=pixels.nbytes) as workers:
        opened = scheme.opened(working, header, workers)
        if (opened.shape, opened.dtype) != (pixels.shape, pixels.dtype.name):
            raise DecryptionError
        if opened.encrypted_metadata is not None:
            raise InvalidParameterError(
                "the header belongs to a picture file", hint="restore the file, not its samples"
            )
        with one_refusal(scheme):
            selection = Selection.described(pixels.shape[:2], opened)
        where = None if selection is None else selection.where
        return scheme.restore([Part(pixels=pixels, where=where)], working, opened, workers)[0]


@contextmanager
def one_refusal(scheme: Scheme) -> Iterator[None]:
    """Turn faults of what a seal covers into the one refusal of a wrong key."""
    try:
        yield
    except FormatError:
        if isinstance(scheme, TaggedScheme):
            raise DecryptionError from None
        raise


def require_rounds(header: Header, most: int) -> None:
    """Raise `UnsupportedError` if a header asks for more rounds than are allowed."""
    if header.rounds > most:
        raise UnsupportedError(
            f"the header asks for {header.rounds} rounds, more than the {most} that are allowed",
            hint="if the file is meant to be slow, raise max_rounds",
            hint_key="max_rounds",
        )


def unlocked(key: RestoringKey, header: Header) -> Key | PictureKey:
    """Return the key that a header names, or raise `DecryptionError`.

    What is said of ids and passphrases is public; whether the key fits is for the seal to say.
    """
    if isinstance(key, PictureKey):
        return key
    if isinstance(key, Passphrase):
        if header.kdf is None:
            raise DecryptionError(
                f"wrong key: the picture needs key {header.key_id}, not a passphrase",
                hint="pass the key",
                hint_key="key",
            )
        derivation = KeyDerivation.from_text(header.kdf)
        derivation.require_affordable()
        key = derivation.derive(key)
        if header.key_id != key.id:
            raise DecryptionError("wrong passphrase, or the header was changed", hint=RETRY_HINT)
    if header.key_id != key.id:
        needed = "a passphrase" if header.kdf else f"key {header.key_id}"
        raise DecryptionError(
            f"wrong key: the picture needs {needed}, and {key.origin or 'this'} is key {key.id}",
            hint="pass the passphrase" if header.kdf else "Key.id is the id of a key",
            hint_key="passphrase" if header.kdf else "other_key",
        )
    return key


def no_header(name: str | None = None) -> FormatError:
    """Return the error for an image without header; messages call its file `name`, if it has one.

    An image of a file may never have had one, or may have lost it.
    """
    if name is None:
        return FormatError("there is no header", hint="pass the one that came with the image")
    return FormatError(
        f"'{name}' is not a protected picture, or an app removed what restoring needs",
        hint="use the file that was written, or pass its sidecar",
        hint_key="no_header",
    )


def required(header: Header | None, name: str | None = None) -> Header:
    """Return the header, or raise `FormatError` if there is none in what is called `name`."""
    if header is None:
        raise no_header(name)
    return header


def checked_key(key: object, *, protecting: bool = False) -> None:
    """Raise `InvalidKeyError` if this is no key, or one that cannot protect what it should."""
    if protecting and isinstance(key, PictureKey):
        raise InvalidKeyError(
            "the key of one picture cannot protect any", hint="use the key that it came from"
        )
    if not isinstance(key, (Key, Passphrase, PictureKey)):
        raise InvalidKeyError(
            f"a key is a Key, Passphrase or PictureKey, not {type(key).__name__}",
            hint="read one with Key.from_file",
        )


def checked_image(image: ArrayLike) -> AnyArray:
    """Return the image as an array."""
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
