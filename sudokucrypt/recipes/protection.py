"""The deterministic core of the recipes: everything but the salt is decided here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import index

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.bijections import UnitGroups, chosen_rounds
from sudokucrypt.ciphers import ContextScheme, Part, TaggedScheme
from sudokucrypt.errors import InvalidImageError, InvalidKeyError, InvalidParameterError
from sudokucrypt.header import Header
from sudokucrypt.keys import Key, KeyDerivation, KeyRing, MasterKey, Passphrase, PictureKey
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.typing import AnyArray, Region, Unit
from sudokucrypt.workers import Workers

Scheme = TaggedScheme | ContextScheme


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
        self.require_salt(key)
        if not isinstance(key, Passphrase):
            return key, None
        derivation = self.derivation or key.derivation
        return derivation.derive(key), derivation.to_text()

    def require_salt(self, key: MasterKey) -> None:
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
    protection: Protection,
    *,
    regions: Sequence[Region] | None = None,
    mask: ArrayLike | None = None,
) -> ProtectedImage:
    """Scramble or encrypt one image."""
    selection = Selection.chosen(image.shape[:2], regions, mask)
    where = None if selection is None else selection.where
    frames, header = protection.protect([Part(pixels=image, where=where)], key, selection=selection)
    return ProtectedImage(frames[0], header)


def checked_key(key: object, *, protecting: bool = False) -> None:
    """Raise `InvalidKeyError` if this is no key, or one that cannot protect what it should."""
    if protecting and isinstance(key, PictureKey):
        raise InvalidKeyError(
            "the key of one picture cannot protect any", hint="use the key that it came from"
        )
    if protecting and isinstance(key, KeyRing):
        raise InvalidKeyError(
            "a key ring restores pictures, and cannot protect any", hint="choose one of its keys"
        )
    if not isinstance(key, (Key, Passphrase, PictureKey, KeyRing)):
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
