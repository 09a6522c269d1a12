"""Where keys and passphrases come from: files, stdin, the environment, the terminal."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.cli.keys.caution import warn_if_guessable, warn_if_open
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import FILE
from sudokucrypt.errors import InvalidKeyError, reason_of
from sudokucrypt.keys import (
    KEY_FILE_LIMIT,
    Passphrase,
    PictureKey,
    decode_key_file,
    error_context,
    is_locked,
    read_key,
    unlock,
)
from sudokucrypt.storage import read_limited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.keys import Key, MasterKey, RestoringKey

_KEY_VARIABLE = "SUDOKUCRYPT_KEY"
_PASSPHRASE_VARIABLE = "SUDOKUCRYPT_PASSPHRASE"  # noqa: S105 - a name, not a secret
_IS_KEY = re.compile(r"^\s*sudokucrypt-([a-z]+-)?key-1[0-9a-z]{20}", re.I | re.M)


@dataclass(frozen=True)
class SecretOptions:
    """What was said on the command line about where the secret is."""

    key: str | None = None
    prompt: bool = False
    file: str | None = None
    descriptor: int | None = None

    @property
    def given(self) -> bool:
        """Whether an option names a key or passphrase."""
        return self.prompt or {self.key, self.file, self.descriptor} != {None}

    @property
    def files(self) -> list[Path]:
        """The files that hold key and passphrase."""
        return [Path(name) for name in (self.key, self.file) if name not in (None, "-")]

    def load_protecting(self, sources: Sequence[object] = (), *, confirm: bool = True) -> MasterKey:
        """Read what can protect something, so no key of one picture; else as `load`."""
        key = self.load(sources, new=confirm)
        if isinstance(key, PictureKey):
            raise InvalidKeyError(
                "this is the key of one picture: it restores that picture, but cannot protect any",
                hint="use the key that it came from, or make one with 'sudokucrypt keygen'",
            )
        if confirm and isinstance(key, Passphrase):
            warn_if_guessable(key)
        return key

    def load(self, sources: Sequence[object] = (), *, new: bool = False) -> RestoringKey:
        """Read the key or passphrase; one that is to protect something, a new one, is asked twice.

        `sources` are what else is read; stdin cannot be both.
        """
        if Path("-") in sources and (self.key == "-" or self.descriptor == 0):
            raise click.UsageError("stdin cannot give both the picture and the secret")
        if self.key is not None:
            return self.load_key()
        if (passphrase := self.passphrase(confirm=new)) is not None:
            return passphrase
        if text := os.environ.get(_KEY_VARIABLE):
            return self._held_key(text)
        if text := os.environ.get(_PASSPHRASE_VARIABLE):
            return Passphrase(text)
        raise click.UsageError(
            f"no key: give --key FILE, --passphrase, or set {_KEY_VARIABLE} "
            "('sudokucrypt keygen' makes a key)"
        )

    def load_key(self) -> Key | PictureKey:
        """Read the key file that was named; errors as for `load`."""
        place = self.key or "-"
        origin = "stdin" if place == "-" else f"'{place}'"
        data = _read_key_file(place)
        with error_context(origin):
            text = decode_key_file(data)
        key = self._key(text, origin)
        if place != "-":
            warn_if_open(place)
        return key

    def passphrase(self, *, confirm: bool) -> Passphrase | None:
        """Read the passphrase that the options ask for, if they ask for one."""
        given = [self.prompt, self.file is not None, self.descriptor is not None]
        if sum(given) > 1:
            raise click.UsageError("give the passphrase in one way only")
        if self.file is not None:
            passphrase = Passphrase.from_file(self.file)
            warn_if_open(self.file)
            return passphrase
        if self.descriptor is not None:
            return _from_descriptor(self.descriptor)
        return _held_or_asked(confirm=confirm) if self.prompt else None

    def _key(self, text: str, origin: str) -> Key | PictureKey:
        passphrase = self.passphrase(confirm=False)
        if not is_locked(text):
            if passphrase is not None:
                raise click.UsageError(
                    f"{origin} is not locked; give the key or a passphrase, not both"
                )
            return read_key(text, origin=origin)
        if passphrase is None:
            passphrase = _held_or_asked(confirm=False)
        return unlock(text, passphrase, origin=origin)

    def _held_key(self, text: str) -> Key | PictureKey:
        try:
            return self._key(text, _KEY_VARIABLE)
        except InvalidKeyError as error:
            if error.hint_key != "keygen":  # a damaged key
                raise
            raise InvalidKeyError(
                str(error),
                hint="it must hold the text of a key; name a key file with --key",
            ) from None


secret_options = option_group(
    "secret",
    SecretOptions,
    option(
        "-k, --key KEY",
        f"Key file, or - for stdin. By default the text of the key is read from {_KEY_VARIABLE}.",
        type=FILE,
    ),
    option(
        "--passphrase",
        f"Prompt for a passphrase; or set {_PASSPHRASE_VARIABLE}.",
        name="prompt",
    ),
    option("--passphrase-file F", "Read the passphrase from a file.", name="file", type=FILE),
    option(
        "--passphrase-fd N",
        "Read the passphrase from an open file descriptor.",
        name="descriptor",
        type=click.IntRange(0, 65535),
    ),
)
"""Gives a command the options for keys and passphrases, as one parameter ``secret``."""


def _read_key_file(place: str) -> bytes:
    """Return the content of a key file or of stdin; the message of an error never repeats it."""
    if _IS_KEY.search(place):
        raise click.UsageError(
            "the key itself is on the command line, where others can read it; "
            f"put it in a file or in {_KEY_VARIABLE}"
        )
    try:
        if place == "-":
            return sys.stdin.buffer.read(KEY_FILE_LIMIT)
        return read_limited(Path(place), KEY_FILE_LIMIT)
    except OSError as error:
        reason = (error.strerror or "it is not a file").lower()
        raise InvalidKeyError(f"cannot read the key file '{place}': {reason}") from None


def _from_descriptor(number: int) -> Passphrase:
    try:
        with os.fdopen(os.dup(number), "rb") as file:
            return Passphrase.from_bytes(file.read(KEY_FILE_LIMIT))
    except OSError as error:
        reason = reason_of(error)
        raise InvalidKeyError(f"cannot read file descriptor {number}: {reason}") from None


def _held_or_asked(*, confirm: bool) -> Passphrase:
    """Take the environment's, or ask on the terminal, without showing what is typed."""
    if held := os.environ.get(_PASSPHRASE_VARIABLE):
        return Passphrase(held)
    if not sys.stdin.isatty():
        raise click.UsageError(
            "there is no terminal to ask for the passphrase on; "
            "use --passphrase-file or --passphrase-fd"
        )
    while True:
        text = click.prompt("passphrase", hide_input=True, err=True)
        if not confirm:
            return Passphrase(text)
        again = click.prompt("the same passphrase again", hide_input=True, err=True)
        if again == text:
            return Passphrase(text)
        say("warning", "the two passphrases differ; type them again")
