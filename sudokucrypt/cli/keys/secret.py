"""Where keys and passphrases come from: files, stdin, the environment, the terminal."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
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
    DerivationBudget,
    Key,
    KeyRing,
    Passphrase,
    PictureKey,
    decode_key_file,
    error_context,
    is_locked,
    key_texts,
    read_key,
    read_key_file,
    unlock,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.keys import Identity, ProtectingKey, Recipient, RestoringKey

_KEY_VARIABLE = "SUDOKUCRYPT_KEY"
_FILE_VARIABLE = "SUDOKUCRYPT_KEY_FILE"
_PASSPHRASE_VARIABLE = "SUDOKUCRYPT_PASSPHRASE"  # noqa: S105 - a name, not a secret
# A key in place of a name: no message may repeat it.
_IS_KEY = re.compile(r"^\s*(sudokucrypt|age)-([a-z]+-)*key-(pq-)?1[0-9a-z ]{20}", re.I | re.M)


@dataclass(frozen=True)
class SecretOptions:
    """Where the command line says that the secret is."""

    key: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    to_file: tuple[str, ...] = ()
    prompt: bool = False
    file: str | None = None
    descriptor: int | None = None
    max_derivation: int = 3

    @property
    def given(self) -> bool:
        """Whether an option names a key or passphrase."""
        return bool(self.prompt or self.keys) or {self.file, self.descriptor} != {None}

    @property
    def keys(self) -> tuple[str, ...]:
        """The files of keys and identities."""
        return self.key + self.identity

    @property
    def reads_stdin(self) -> bool:
        """Whether anything but a picture comes from stdin."""
        return "-" in (*self.keys, *self.to_file) or self.descriptor == 0

    @property
    def files(self) -> list[Path]:
        """The files that hold keys, passphrase and recipients."""
        named = [name for name in (*self.keys, *self.to_file, self.file) if name not in (None, "-")]
        default = None if self.given or _held() else default_key_file()
        paths = [Path(name) for name in named] + ([default] if default else [])
        return [file for name in paths for file in _files_in(name)]

    def load_protecting(self, sources: Sequence[object] = ()) -> ProtectingKey:
        """Read what can protect something: one key, recipients or both; else as `load`.

        With recipients, only a key that an option names counts.
        """
        recipients = self._recipients(sources)
        loaded = self.load(sources, new=True) if self.given or not recipients else None
        each = loaded.keys if isinstance(loaded, KeyRing) else [loaded] if loaded else []
        masters = [key for key in each if isinstance(key, Key | Passphrase)]
        if len(masters) > 1:
            raise InvalidKeyError(
                f"there are {len(masters)} keys, but one protects", hint="name a file with one key"
            )
        if any(isinstance(key, PictureKey) for key in each):
            raise cannot_protect()
        for key in masters:
            if isinstance(key, Passphrase):
                warn_if_guessable(key)
        if masters and len(each) == 1 and not recipients:
            return masters[0]
        others = [key for key in each if not isinstance(key, Key | Passphrase | PictureKey)]
        identities = [key.recipient for key in others]
        return [*masters, *identities, *recipients]

    def _recipients(self, sources: Sequence[object]) -> list[Recipient]:
        """Read the recipients that options name."""
        if not (self.to or self.to_file):
            return []
        from sudokucrypt.keys import Recipient

        if self.reads_stdin and Path("-") in sources:
            raise click.UsageError("stdin cannot give both the picture and the recipients")
        recipients = [Recipient.from_text(text) for text in self.to]
        for name in self.to_file:
            listed = Recipient.from_lines(read_key_argument(name))
            if not listed:
                raise InvalidKeyError(f"there is no recipient in '{name}'")
            recipients += listed
        return recipients

    def load(self, sources: Sequence[object] = (), *, new: bool = False) -> RestoringKey:
        """Read the key or passphrase; one that is to protect something, a new one, is asked twice.

        `sources` are what else is read; stdin cannot be both.
        """
        if Path("-") in sources and self.reads_stdin:
            raise click.UsageError("stdin cannot give both the picture and the secret")
        if self.keys:
            return self.load_keys()
        passphrase = self.passphrase(confirm=new)
        if passphrase is None and (text := os.environ.get(_KEY_VARIABLE)):
            return self._held_key(text)
        if passphrase is None and (text := os.environ.get(_PASSPHRASE_VARIABLE)):
            passphrase = Passphrase(text)
        if passphrase is not None:
            passphrase.budget = DerivationBudget(self.max_derivation)
            return passphrase
        if path := default_key_file():
            say("note", f"using the key file '{path}'")
            return replace(self, key=(str(path),)).load_keys()
        raise click.UsageError(
            f"no key: give --key FILE, --passphrase, or set {_KEY_VARIABLE} "
            "('sudokucrypt keygen' makes a key)"
        )

    def load_each(self, sources: Sequence[object] = ()) -> list[RestoringKey]:
        """Read the keys, and beside them a passphrase, if options name both and no key is locked.

        Layers of one picture can need both.
        """
        alone = replace(self, prompt=False, file=None, descriptor=None)
        both = self.keys and alone != self and "-" not in self.keys
        if not both or any(is_locked(text) for name in self.keys for _, text in _texts_in(name)):
            return [self.load(sources)]
        return [alone.load(sources), replace(self, key=(), identity=()).load(sources)]

    def load_key(self) -> Key | PictureKey | Identity:
        """Read one key; errors as for `load`."""
        key = self.load_keys()
        if isinstance(key, KeyRing):
            raise InvalidKeyError(
                f"there are {len(key)} keys, not one", hint="name a file with one key"
            )
        return key

    def load_keys(self) -> Key | PictureKey | Identity | KeyRing:
        """Read the files of keys and identities that were named, and those in folders."""
        return self._keys([text for name in self.keys or ("-",) for text in _texts_in(name)])

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

    def _keys(self, texts: Sequence[tuple[str, str]]) -> Key | PictureKey | Identity | KeyRing:
        """Read keys from their origins and texts; one passphrase opens all that are locked."""
        passphrase = self.passphrase(confirm=False)
        if any(is_locked(text) for _, text in texts):
            passphrase = passphrase or _held_or_asked(confirm=False)
        elif passphrase is not None:
            raise click.UsageError(
                f"{texts[0][0]} is not locked; give the key or a passphrase, not both"
            )
        keys = {
            unlock(text, passphrase, origin=origin)
            if passphrase is not None and is_locked(text)
            else read_key(text, origin=origin): None
            for origin, text in texts
        }
        return KeyRing(keys) if len(keys) > 1 else next(iter(keys))

    def _held_key(self, text: str) -> Key | PictureKey | Identity | KeyRing:
        try:
            return self._keys([(_KEY_VARIABLE, each) for each in key_texts(text) or [text]])
        except InvalidKeyError as error:
            if re.search("sudokucrypt-|age-secret-", text, re.I):  # it was a key, and is damaged
                raise
            raise InvalidKeyError(
                str(error),
                hint="it must hold the text of a key; name a key file with --key",
            ) from None


# Gives a command the options for keys and passphrases, as one parameter ``secret``.
secret_options = option_group(
    "secret",
    SecretOptions,
    option(
        "-k, --key KEY",
        "Key file, folder of key files, or - for stdin; restoring takes several. By default "
        f"{_KEY_VARIABLE} holds the text of the key, {_FILE_VARIABLE} names its file, or it is the "
        "file 'key' in your configuration folder.",
        type=FILE,
        multiple=True,
    ),
    option(
        "-i, --identity FILE",
        "Identity file of age, as 'keygen --identity' and 'age-keygen' write it, or - for stdin.",
        type=FILE,
        multiple=True,
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
    option(
        "--max-derivation N",
        "Refuse files whose key takes longer to derive than usual after N of them did not open, "
        "and usual ones after 8 N.",
        type=click.IntRange(0),
        default=3,
    ),
    heading="Key",
)


# Adds who else opens a result, to the same parameter ``secret``.
recipient_options = option_group(
    "secret",
    SecretOptions,
    option(
        "--to RECIPIENT",
        "Let RECIPIENT open the result too, by its age identity: age1... or age1pq1... Without "
        "a key or passphrase option, nobody else can.",
        multiple=True,
    ),
    option(
        "--to-file FILE",
        "Read recipients from a file, one a line; lines that begin with # are ignored.",
        type=FILE,
        multiple=True,
    ),
    heading="Key",
)


def cannot_protect() -> InvalidKeyError:
    """Return the error for the key of one picture where something is to be protected."""
    return InvalidKeyError(
        "this is the key of one picture: it restores that picture, but cannot protect any",
        hint="use the key that it came from, or make one with 'sudokucrypt keygen'",
    )


def say_who_opens(key: ProtectingKey) -> None:
    """Say who can open results that have recipients."""
    if not isinstance(key, Key | Passphrase):
        from sudokucrypt.recipes.protection import divided

        own, recipients = divided(key)
        many = f"{len(recipients)} recipient{'s' * (len(recipients) > 1)}"
        if own is None:
            say("note", f"only {many} can open the results, with their identities")
        else:
            name = f"key {own.id}" if isinstance(own, Key) else "your passphrase"
            say("note", f"{name} and {many} can open the results")


def default_key_file() -> Path | None:
    """Return the key file that is used where nothing names a key, if there is one."""
    if named := os.environ.get(_FILE_VARIABLE):
        return Path(named)
    with suppress(RuntimeError):  # there is no home
        path = _configuration() / "sudokucrypt" / "key"
        return path if path.exists() else None
    return None


def _configuration() -> Path:
    """Return the folder where programs of this user keep their settings."""
    if folder := os.environ.get("XDG_CONFIG_HOME"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".config"


def _held() -> bool:
    return any(os.environ.get(name) for name in (_KEY_VARIABLE, _PASSPHRASE_VARIABLE))


def _files_in(path: Path) -> list[Path]:
    """Return a file, or those of a folder that are not hidden."""
    if not path.is_dir():
        return [path]
    return sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))


def _texts_in(name: str) -> list[tuple[str, str]]:
    """Return origin and text of each key in a file, in a folder of files, or in stdin."""
    if name != "-" and os.path.isdir(name):
        texts = [text for path in _files_in(Path(name)) for text in _texts_in_folder(str(path))]
        if not texts:
            raise InvalidKeyError(f"no file in the folder '{name}' holds a key", hint_key="keygen")
        return texts
    origin = "stdin" if name == "-" else f"'{name}'"
    text = read_key_argument(name)
    if name != "-":
        warn_if_open(name)
    # A text without any key is read too: the error says what is wrong with it.
    return [(origin, each) for each in key_texts(text) or [text]]


def _texts_in_folder(name: str) -> list[tuple[str, str]]:
    """Return the keys in a file of a folder, in which other files may stand too."""
    with suppress(InvalidKeyError):
        if _IS_KEY.search(read_key_file(name)):
            return _texts_in(name)
    return []


def read_key_argument(name: str) -> str:
    """Return the text in a key file or in stdin; the message of an error never repeats it."""
    if _IS_KEY.search(name):
        raise click.UsageError(
            "the key itself is on the command line, where others can read it; "
            f"put it in a file or in {_KEY_VARIABLE}"
        )
    if name != "-":
        return read_key_file(name)
    with error_context("stdin"):
        return decode_key_file(sys.stdin.buffer.read(KEY_FILE_LIMIT))


def read_passphrase(file: str | None, title: str, *, confirm: bool) -> Passphrase:
    """Read a passphrase from a file, or ask for what is called `title`, twice to `confirm` it."""
    if file is None:
        return _held_or_asked(title, confirm=confirm, held=not confirm)
    warn_if_open(file)
    return Passphrase.from_file(file)


def _from_descriptor(number: int) -> Passphrase:
    try:
        with os.fdopen(os.dup(number), "rb") as file:
            return Passphrase.from_bytes(file.read(KEY_FILE_LIMIT))
    except OSError as error:
        reason = reason_of(error)
        raise InvalidKeyError(f"cannot read file descriptor {number}: {reason}") from None


def _held_or_asked(title: str = "passphrase", *, confirm: bool, held: bool = True) -> Passphrase:
    """Take the environment's if `held`, or ask on the terminal, without showing what is typed."""
    if held and (text := os.environ.get(_PASSPHRASE_VARIABLE)):
        return Passphrase(text)
    if not sys.stdin.isatty():
        raise click.UsageError(
            f"there is no terminal to ask for the {title} on; use --{title.replace(' ', '-')}-file"
            + (" or --passphrase-fd" if held else "")
        )
    while True:
        text = click.prompt(title, hide_input=True, err=True)
        if not confirm:
            return Passphrase(text)
        again = click.prompt(f"the same {title} again", hide_input=True, err=True)
        if again == text:
            return Passphrase(text)
        say("warning", "the two passphrases differ; type them again")
