"""The one door: whatever a header protects, the header is opened here and nowhere else.

The order is the argument for its safety. First come limits, which cost nothing; then the key, which
may cost a derivation; then the seal. Only behind the seal is anything that a stranger may have
written unmasked, parsed, or used to decode and move samples. Two schemes have no such seal: under a
context nothing is authenticated, and a robust picture has its header in its samples.
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
    made_earlier,
)
from sudokucrypt.frozen import Frozen
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


class OpenedHeader(Frozen):
    """A header whose seal holds, if its scheme has one."""

    stored: Header  # as it was read
    header: Header  # the same with its encrypted metadata in plain form
    # What opens it: the key that was given, or the one derived from the passphrase.
    key: Key | PictureKey
    scheme: Scheme  # what restores the samples

    @cached_property
    def record(self) -> images.PictureRecord:
        """What is sealed about the picture, whose samples are all zero here and take no memory.

        Raises `DecryptionError` if whoever had the key sealed what no picture of this header can
        be; and `UnsupportedVersionError` for what only earlier versions restore.
        """
        header = self.header
        with uniform_decryption_error():
            record = self._read_record()
            pixels = record.picture.pixels
            if (header.shape, header.dtype) != (pixels.shape, pixels.dtype.name):
                raise DecryptionError
            self._require_suiting(record)
        return record

    def protection(self, threads: int | None) -> Protection:
        """Return what protects a picture in the same way under a new random salt."""
        return Protection(
            scheme=self.scheme,
            unit=self.header.unit,
            block_size=self.header.block_size,
            rounds=self.header.rounds,
            salt=secrets.token_bytes(SALT_LENGTH),
            threads=threads,
        )

    def _read_record(self) -> images.PictureRecord:
        from sudokucrypt import images  # which arrays do not need

        header = self.header
        if header.encrypted_metadata is not None:
            blank = images.blank_samples(header.encrypted_metadata)
            return images.parse_description(blank, header.encrypted_metadata)
        try:
            pixels = np.broadcast_to(np.zeros((), dtype=header.dtype), header.shape)
            return images.PictureRecord(picture=images.Picture.plain(pixels, format=""))
        except (InvalidImageError, UnsupportedError, ValueError):
            # The header of an array that no picture can hold.
            raise DecryptionError from None

    def _require_suiting(self, record: images.PictureRecord) -> None:
        """Raise `FormatError` for what this scheme never seals."""
        if (record.structure is not None) != (self.scheme is SCRAMBLE_JPEG):
            raise FormatError("the header is damaged: only a JPEG has the structure of one")
        if record.file and self.scheme is not ENCRYPT:
            raise FormatError("the header is damaged: only encryption takes files")
        if self.header.segment is not None and record.file is None:
            raise FormatError("the header is damaged: only a file has segments")


def open_header(
    header: Header,
    key: RestoringKey,
    *,
    scheme: Scheme | None = None,
    max_rounds: int = MAX_ROUNDS,
    threads: int | None = None,
) -> OpenedHeader:
    """Open a header, whose scheme is the one that it names unless the caller knows it already.

    Raises `DecryptionError` if the key is wrong, or the header was changed; `UnsupportedError` if
    it asks for more rounds, or a costlier derivation, than is allowed; `UnsupportedVersionError` or
    `InvalidParameterError` if this release does not know its scheme, or the scheme needs a context;
    and `FormatError` if it lacks its seal.
    """
    require_key(key)
    scheme = scheme or find_scheme(header.scheme)
    # Before the derivation, which may take a second: this says so at once, regardless of the key.
    require_rounds(header, max_rounds)
    if isinstance(key, KeyRing):
        return key.open(
            header.key_id,
            lambda one: open_header(
                header, one, scheme=scheme, max_rounds=max_rounds, threads=threads
            ),
            needed=_name_needed_key(header),
        )
    resolved = resolve_key(key, header)
    with (
        uniform_key_error(key),
        Workers(threads, work=len(header.encrypted_metadata or b"")) as workers,
    ):
        # Here the seal is checked; what follows may trust the header.
        opened = scheme.open_header(resolved, header, workers)
    if isinstance(key, Passphrase) and key.budget is not None:
        key.budget.refund(KeyDerivation.from_text(header.kdf or ""))
    return OpenedHeader(stored=header, header=opened, key=resolved, scheme=scheme)


@contextmanager
def uniform_decryption_error() -> Iterator[None]:
    """Turn faults of what a seal covers into the one refusal of a wrong key."""
    try:
        yield
    except UnsupportedVersionError:  # behind the seal, what earlier versions wrote is no forgery
        raise
    except FormatError:
        # A different message would tell anyone who forges headers how far a forgery came.
        raise DecryptionError from None


@contextmanager
def uniform_key_error(key: RestoringKey) -> Iterator[None]:
    """Refuse passphrases and identities in one way, whatever is wrong.

    The id of a derived key is a short digest of the passphrase, under costs that a stranger may
    have chosen: to say that it fits would be to test guesses for them. What is wrong with an age
    file would tell anyone who sent it which of several identities is here.
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


def require_rounds(header: Header, most: int) -> None:
    """Raise `UnsupportedError` if a header asks for more rounds than are allowed."""
    if header.rounds > most:
        raise UnsupportedError(
            f"the header asks for {header.rounds} rounds, more than the {most} that are allowed",
            hint="if the file is meant to be slow, raise max_rounds",
            hint_key="max_rounds",
        )


def resolve_key(key: Key | Passphrase | PictureKey | Identity, header: Header) -> Key | PictureKey:
    """Return the key that a header names, or raise `DecryptionError`.

    Ids and derivations in headers are public, so messages may name them; only the seal shows
    whether the key fits.
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
        # A stranger chose the costs, so they are limited before they are paid.
        derivation.require_affordable()
        if key.budget is not None:
            key.budget.charge(derivation)
        # The seal alone does not do: whoever knows the passphrase can seal another id.
        for passphrase in key.readings():
            derived = derivation.derive(passphrase)
            if derived.id == header.key_id:
                return derived
        with uniform_key_error(key):
            raise DecryptionError
    if not isinstance(key, Key):
        if header.recipients is None:
            raise DecryptionError(
                f"wrong key: the picture has no recipients, and needs {_name_needed_key(header)}",
                hint="pass what it was made with, or ask for a copy made for you",
            )
        with uniform_key_error(key):
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
    """Return what messages call the key that a picture needs."""
    others = " or an identity of its recipients" if header.recipients else ""
    return ("a passphrase" if header.kdf else f"key {header.key_id}") + others


def scrambling_scheme(header: Header, context: str | None = None) -> Scheme:
    """Return the scheme that undoes a scrambled picture; what encrypts is refused."""
    scheme = find_scheme(header.scheme, context)
    if scheme.encrypts:
        raise InvalidParameterError(
            f"this picture is of scheme {scheme.name}, not scrambled", hint="decrypt it"
        )
    return scheme


def encryption_scheme(header: Header | None) -> Scheme:
    """Return the scheme that decrypts, or raise `InvalidParameterError` for a scrambled picture."""
    header = require_header(header)
    scrambled = {ContextScheme.name, SCRAMBLE_JPEG.name}
    scrambled |= {name for name, scheme in SCHEMES.items() if not scheme.encrypts}
    if header.scheme in scrambled:
        raise InvalidParameterError("this picture is scrambled only", hint="unscramble it")
    return find_scheme(header.scheme)


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


def require_header(header: Header | None, name: str | None = None) -> Header:
    """Return the header, or raise `FormatError` if there is none in what is called `name`."""
    if header is None:
        raise no_header(name)
    return header


def require_header_of_file(header: Header) -> Header:
    """Return the header of a file; `UnsupportedVersionError` if it was scrambled under a context.

    Only arrays are since version 1.2.
    """
    if header.scheme == ContextScheme.name:
        raise made_earlier("a context")
    return header
