"""The deterministic core of the recipes: everything but the salt is decided here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, NoReturn, TypedDict

import numpy as np

from sudokucrypt.bijections import UnitGroups, chosen_rounds
from sudokucrypt.ciphers import ContextScheme, Part, TaggedScheme
from sudokucrypt.errors import InvalidImageError, InvalidKeyError, InvalidParameterError
from sudokucrypt.header import Header
from sudokucrypt.keys import (
    Key,
    KeyDerivation,
    KeyRing,
    MasterKey,
    Passphrase,
    PictureKey,
    ProtectingKey,
    Secret,
)
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from sudokucrypt.keys import Recipient
    from sudokucrypt.typing import AnyArray, Region, Unit

Scheme = TaggedScheme | ContextScheme


class KeyFields(TypedDict, total=False):
    """What a header says of its key."""

    kdf: str
    recipients: bytes


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
        key: ProtectingKey,
        *,
        selection: Selection | None = None,
        encrypted_metadata: bytes | None = None,
    ) -> tuple[list[AnyArray], Header]:
        """Return the protected frames and their header: equal input gives equal output."""
        master, fields = self.master(key)
        draft = self.draft(
            parts, master, selection=selection, encrypted_metadata=encrypted_metadata
        )
        if fields:
            draft = replace(draft, **fields)
        with Workers(self.threads, work=sum(part.pixels.nbytes for part in parts)) as workers:
            return self.scheme.protect(parts, master, draft, workers)

    def master(self, key: ProtectingKey) -> tuple[Key, KeyFields]:
        """Return the master key, and what the header says of it and of who else opens the picture.

        Without a key of the owner it is drawn here, and forgotten with the picture.
        """
        self.require_salt(key)
        own, recipients = divided(key)
        fields: KeyFields = {}
        if isinstance(own, Passphrase):
            derivation = self.derivation or own.derivation
            own, fields["kdf"] = derivation.derive(own), derivation.to_text()
        master = own or Key.generate()
        if recipients and self.salt is not None:
            from sudokucrypt.keys.identity import encrypted_to

            fields["recipients"] = encrypted_to(recipients, master.picture_key(self.salt))
        return master, fields

    def require_salt(self, key: ProtectingKey) -> None:
        """Raise `InvalidParameterError` for anything but a key alone without a random salt."""
        own, recipients = divided(key)
        if self.salt is None and (recipients or not isinstance(own, Key)):
            needing = "recipients need" if recipients else "a passphrase needs"
            raise InvalidParameterError(
                f"{needing} a random salt",
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
    key: ProtectingKey,
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


def divided(key: object) -> tuple[MasterKey | None, tuple[Recipient, ...]]:
    """Return the master key among what protects a picture, if there is one, and its recipients.

    An identity counts as its recipient. `InvalidKeyError` if one picture cannot be for all of them.
    """
    if isinstance(key, Key | Passphrase):
        return key, ()
    from sudokucrypt.keys.identity import Identity, Recipient, checked_recipients

    masters: list[MasterKey] = []
    recipients: list[Recipient] = []
    for one in key if isinstance(key, list | tuple) else [key]:
        if isinstance(one, Key | Passphrase):
            masters.append(one)
        elif isinstance(one, Recipient | Identity):
            recipients.append(one if isinstance(one, Recipient) else one.recipient)
        else:
            # Left out in silence, it would be missed when somebody wants to open the picture.
            _refuse(one)
    if len(masters) > 1 or not masters + recipients:
        raise InvalidKeyError(f"there are {len(masters)} keys, but one protects")
    return next(iter(masters), None), checked_recipients(recipients) if recipients else ()


def checked_key(key: object, *, protecting: bool = False) -> None:
    """Raise `InvalidKeyError` if this is no key, or one that cannot protect what it should."""
    if protecting:
        divided(key)
    elif not isinstance(key, Secret | Passphrase | KeyRing):
        _refuse(key)


def _refuse(key: object) -> NoReturn:
    if isinstance(key, PictureKey):
        raise InvalidKeyError(
            "the key of one picture cannot protect any", hint="use the key that it came from"
        )
    if isinstance(key, KeyRing):
        raise InvalidKeyError(
            "a key ring restores pictures, and cannot protect any", hint="choose one of its keys"
        )
    raise InvalidKeyError(
        f"a key is a Key, Passphrase, PictureKey or Identity, not {type(key).__name__}",
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
