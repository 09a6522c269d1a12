"""The only module that opens headers; it does so for every kind of protected content.

The order of the checks is the argument for their safety: first the limits, which cost nothing; then
the key, which may cost a derivation; then the seal. Only after the seal was checked is anything in
the header decrypted, parsed, or used to decode and move samples. Two schemes have no seal: a
context authenticates nothing, and a robust picture has its header in its samples.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.ciphers import (
    ENCRYPT,
    SCHEMES,
    SCRAMBLE_JPEG,
    ContextScheme,
    find_scheme,
)
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    UnsupportedError,
    UnsupportedVersionError,
    make_version_error,
)
from sudokucrypt.frozen import FrozenObject
from sudokucrypt.keys import (
    SALT_LENGTH,
    Key,
    KeyDerivation,
    KeyRing,
    Passphrase,
    PictureKey,
    RestoringKey,
)
from sudokucrypt.recipes.options import MAX_ROUNDS
from sudokucrypt.recipes.protection import Protection, Scheme, require_key
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt import images
    from sudokucrypt.header import Header
    from sudokucrypt.keys import Identity


class OpenedHeader(FrozenObject):
    """A header whose seal was checked, if the scheme of the header uses a seal."""

    stored_header: Header  # the header as read, with encrypted metadata
    header: Header  # the same header with decrypted metadata
    key: Key | PictureKey  # the key of the caller, or the key derived from the passphrase
    scheme: Scheme  # restores the samples

    @cached_property
    def record(self) -> images.PictureRecord:
        """The sealed record of the picture, with blank samples that take no memory.

        Raises `DecryptionError` if the record contradicts the header, although it was sealed with
        the key; and `UnsupportedVersionError` if only an earlier version can restore it.
        """
        header = self.header
        with unify_errors():
            record = self._read_record()
            pixels = record.picture.pixels
            if (header.shape, header.dtype) != (pixels.shape, pixels.dtype.name):
                raise DecryptionError
            self._require_consistent_record(record)
        return record

    def protection(self, threads: int | None) -> Protection:
        """Return the protection with the same scheme, unit and rounds under a new random salt."""
        return Protection(
            scheme=self.scheme,
            unit=self.header.unit,
            block_size=self.header.block_size,
            rounds=self.header.rounds,
            salt=secrets.token_bytes(SALT_LENGTH),
            threads=threads,
        )

    def _read_record(self) -> images.PictureRecord:
        from sudokucrypt import images  # imported here, since arrays do not need it

        header = self.header
        if header.encrypted_metadata is not None:
            blank_samples = images.blank_samples(header.encrypted_metadata)
            return images.parse_description(blank_samples, header.encrypted_metadata)
        try:
            pixels = np.broadcast_to(np.zeros((), dtype=header.dtype), header.shape)
            return images.PictureRecord(picture=images.Picture.plain(pixels, format=""))
        except (InvalidImageError, UnsupportedError, ValueError):
            # The header describes an array that is not a picture.
            raise DecryptionError from None

    def _require_consistent_record(self, record: images.PictureRecord) -> None:
        """Raise `FormatError` if the scheme of the header cannot have sealed this record."""
        if (record.structure is not None) != (self.scheme is SCRAMBLE_JPEG):
            raise FormatError("the header is damaged: scheme and JPEG structure do not match")
        if record.file and self.scheme is not ENCRYPT:
            raise FormatError("the header is damaged: its scheme cannot protect a file")
        if self.header.segment is not None and record.file is None:
            raise FormatError("the header is damaged: it has segments, but describes no file")


def open_header(
    header: Header,
    key: RestoringKey,
    *,
    scheme: Scheme | None = None,
    max_rounds: int = MAX_ROUNDS,
    threads: int | None = None,
) -> OpenedHeader:
    """Check the seal of a header, and decrypt its metadata.

    `scheme` is the scheme that the header names unless the caller passes it.

    Raises `DecryptionError` if the key is wrong, or the header was changed; `UnsupportedError` if
    the header asks for more rounds, or a costlier derivation, than is allowed;
    `UnsupportedVersionError` if this release does not know the scheme; `InvalidParameterError` if
    the scheme needs a context; and `FormatError` if the header has no seal.
    """
    require_key(key)
    scheme = scheme or find_scheme(header.scheme)
    # Before the derivation, which may take a second, so that the error comes at once.
    require_rounds(header, max_rounds)
    if isinstance(key, KeyRing):
        return key.open(
            header.key_id,
            lambda ring_key: open_header(
                header, ring_key, scheme=scheme, max_rounds=max_rounds, threads=threads
            ),
            needed=_name_needed_key(header),
        )
    resolved_key = resolve_key(key, header)
    with (
        unify_key_errors(key),
        Workers(threads, work_bytes=len(header.encrypted_metadata or b"")) as workers,
    ):
        # This checks the seal; the code below may trust the header.
        complete_header = scheme.open_header(resolved_key, header, workers)
    if isinstance(key, Passphrase) and key.budget is not None:
        key.budget.refund(KeyDerivation.from_text(header.kdf or ""))
    return OpenedHeader(
        stored_header=header, header=complete_header, key=resolved_key, scheme=scheme
    )


@contextmanager
def unify_errors() -> Iterator[None]:
    """Turn errors in sealed contents into the same error as for a wrong key."""
    try:
        yield
    except UnsupportedVersionError:  # the seal proves that an earlier version wrote the header
        raise
    except FormatError:
        # Another message would tell an attacker how far a forged header got.
        raise DecryptionError from None


@contextmanager
def unify_key_errors(key: RestoringKey) -> Iterator[None]:
    """Raise one error for any failure of a passphrase, and one for any failure of an identity.

    The id of a derived key is a short digest of the passphrase, and an attacker may have chosen a
    cheap derivation: an error that confirms the id would confirm guesses of the passphrase. Details
    about an age file would tell its sender which of several identities is used here.
    """
    try:
        yield
    except DecryptionError:
        if not isinstance(key, Key | Passphrase | PictureKey | KeyRing):
            raise DecryptionError(
                "wrong identity, or the header was changed",
                hint="pass the identity that the picture was made for",
            ) from None
        if isinstance(key, Passphrase):
            raise DecryptionError(
                "wrong passphrase, or the header was changed", hint=key.retry_hint
            ) from None
        raise


def require_rounds(header: Header, max_rounds: int) -> None:
    """Raise `UnsupportedError` if a header asks for more than `max_rounds` rounds."""
    if header.rounds > max_rounds:
        raise UnsupportedError(
            f"the header asks for {header.rounds} rounds, more than the {max_rounds} that are "
            "allowed",
            hint="if the file is meant to be slow, raise max_rounds",
            hint_key="max_rounds",
        )


def resolve_key(key: Key | Passphrase | PictureKey | Identity, header: Header) -> Key | PictureKey:
    """Return the key whose id is in the header, or raise `DecryptionError`.

    A passphrase is derived, and an identity opens the stored picture key. Key ids and derivations
    are public, so messages may name them. An equal id does not prove the key: the seal does.
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
        # An attacker may have chosen the costs, so they are checked before the derivation.
        derivation.require_affordable()
        if key.budget is not None:
            key.budget.charge(derivation)
        # The key id is compared too, since anyone with the passphrase could seal a header that
        # contains another key id.
        for passphrase in key.iterate_spellings():
            derived_key = derivation.derive(passphrase)
            if derived_key.id == header.key_id:
                return derived_key
        with unify_key_errors(key):
            raise DecryptionError
    if not isinstance(key, Key):
        if header.recipients is None:
            raise DecryptionError(
                f"wrong key: the picture has no recipients, and needs {_name_needed_key(header)}",
                hint="pass the key or passphrase that it needs, or ask for a copy made for you",
            )
        with unify_key_errors(key):
            return key.open(header.recipients)
    if header.key_id != key.id:
        raise DecryptionError(
            f"wrong key: the picture needs {_name_needed_key(header)}, "
            f"and {key.origin or 'this'} is key {key.id}",
            hint="pass the passphrase" if header.kdf else "Key.id is the id of a key",
            hint_key="passphrase" if header.kdf else "other_key",
        )
    return key


def _name_needed_key(header: Header) -> str:
    """Return the name that messages use for the key that a picture needs."""
    alternative_words = " or an identity of its recipients" if header.recipients else ""
    return ("a passphrase" if header.kdf else f"key {header.key_id}") + alternative_words


def find_scrambling_scheme(header: Header, context: str | None = None) -> Scheme:
    """Return the scheme of a scrambled picture; `InvalidParameterError` for an encrypted one."""
    scheme = find_scheme(header.scheme, context)
    if scheme.encrypts:
        raise InvalidParameterError(
            f"this picture is encrypted with scheme {scheme.name}, not scrambled",
            hint="decrypt it",
        )
    return scheme


def find_encryption_scheme(header: Header | None) -> Scheme:
    """Return the scheme of an encrypted picture; `InvalidParameterError` for a scrambled one."""
    header = require_header(header)
    scrambling_schemes = {ContextScheme.name, SCRAMBLE_JPEG.name}
    scrambling_schemes |= {name for name, scheme in SCHEMES.items() if not scheme.encrypts}
    if header.scheme in scrambling_schemes:
        raise InvalidParameterError("this picture is scrambled only", hint="unscramble it")
    return find_scheme(header.scheme)


def make_no_header_error(name: str | None = None) -> FormatError:
    """Return the error for an image without header, or for the file called `name`.

    A file may never have had a header, or a program removed it.
    """
    if name is None:
        return FormatError("there is no header", hint="pass the one that came with the image")
    return FormatError(
        f"'{name}' is not a protected picture, or an app removed what restoring needs",
        hint="use the file that was written, or pass its sidecar",
        hint_key="no_header",
    )


def require_header(header: Header | None, name: str | None = None) -> Header:
    """Return the header, or raise `FormatError` if the file called `name` has none."""
    if header is None:
        raise make_no_header_error(name)
    return header


def require_header_of_file(header: Header) -> Header:
    """Return the header of a file; `UnsupportedVersionError` if it was scrambled under a context.

    Since version 1.2 only arrays can be scrambled under a context.
    """
    if header.scheme == ContextScheme.name:
        raise make_version_error("a context")
    return header
