"""Keys, passphrases and recipients: the options that say where they are, and reading them there."""

from __future__ import annotations

import os
import re
import shlex
import stat
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt import keys
from sudokucrypt.cli.extensions import HintedUsageError, option_group
from sudokucrypt.cli.messages import say, say_more
from sudokucrypt.cli.options import FILE
from sudokucrypt.errors import InvalidKeyError, MissingKeyError, SudokucryptError, format_reason
from sudokucrypt.frozen import FrozenValue
from sudokucrypt.options import option

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.keys import (
        Identity,
        Key,
        KeyRing,
        KeyShare,
        Passphrase,
        PictureKey,
        ProtectingKey,
        Recipient,
        RestoringKey,
    )

KEY_VARIABLE = "SUDOKUCRYPT_KEY"
PASSPHRASE_VARIABLE = "SUDOKUCRYPT_PASSPHRASE"  # noqa: S105 - a name, not a secret
_FILE_VARIABLE = "SUDOKUCRYPT_KEY_FILE"


class SecretOptions(FrozenValue):
    """Where the command line says that the secret is."""

    key: tuple[str, ...] = option(
        (),
        "Key file, folder of key files, or - for stdin; restoring takes several. By default "
        f"{KEY_VARIABLE} holds the text of the key, {_FILE_VARIABLE} names its file, or it is the "
        "file 'key' in your configuration folder.",
        "-k, --key KEY",
        type=FILE,
        multiple=True,
        heading="Key",
        everyday=True,
    )
    identity: tuple[str, ...] = option(
        (),
        "Identity file of age, as 'keygen --identity' and 'age-keygen' write it, or - for stdin.",
        "-i, --identity FILE",
        type=FILE,
        multiple=True,
        heading="Key",
        everyday=True,
    )
    to: tuple[str, ...] = option(
        (),
        "Let RECIPIENT open the result too, by its age identity: age1... or age1pq1... Without a "
        "key or passphrase option, nobody else can.",
        "--to RECIPIENT",
        multiple=True,
        heading="Key",
        everyday=True,
    )
    to_file: tuple[str, ...] = option(
        (),
        "Read recipients from a file, one a line; what follows # is ignored.",
        "--to-file FILE",
        type=FILE,
        multiple=True,
        heading="Key",
    )
    prompt: bool = option(
        False,
        f"Prompt for a passphrase; or set {PASSPHRASE_VARIABLE}.",
        "--passphrase",
        heading="Key",
        everyday=True,
    )
    file: str | None = option(
        None, "Read the passphrase from a file.", "--passphrase-file F", type=FILE, heading="Key"
    )
    descriptor: int | None = option(
        None,
        "Read the passphrase from an open file descriptor.",
        "--passphrase-fd N",
        least=0,
        most=65535,
        heading="Key",
    )
    max_derivation: int = option(
        3,
        "Refuse files whose key takes longer to derive than usual after N of them did not open, "
        "and others after the work of 8 N usual ones.",
        "--max-derivation N",
        unit="files",
        least=0,
        heading="Key",
    )

    @property
    def given(self) -> bool:
        """Whether an option names a key or passphrase."""
        return bool(
            self.prompt
            or self.key
            or self.identity
            or self.file is not None
            or self.descriptor is not None
        )

    def is_available(self) -> bool:
        """Return whether there is a secret: named, in the environment, or the default key."""
        return bool(self.given or list_key_variables() or default_key_file())

    @property
    def keys(self) -> tuple[str, ...]:
        """The files of keys and identities."""
        return self.key + self.identity

    @property
    def reads_stdin(self) -> bool:
        """Whether anything but a picture comes from stdin."""
        return "-" in (*self.keys, *self.to_file) or self.descriptor == 0

    def list_files(self) -> list[Path]:
        """Return the files that hold keys, passphrase and recipients."""
        named = [name for name in (*self.keys, *self.to_file, self.file) if name not in (None, "-")]
        default = None if self.given or list_key_variables() else default_key_file()
        paths = [Path(name) for name in named] + ([default] if default else [])
        return [file for name in paths for file in list_key_files(name)]


_OF_RECIPIENTS = ("to", "to_file")

# Give a command the options for keys and passphrases, and those for who else opens a result, as one
# parameter ``secret``.
secret_options = option_group("secret", SecretOptions, without=_OF_RECIPIENTS)
recipient_options = option_group("secret", SecretOptions, only=_OF_RECIPIENTS)


def default_key_file() -> Path | None:
    """Return the key file that is used where nothing names a key, or None if there is none."""
    with suppress(RuntimeError):  # there is no home
        path = default_key_path()
        return path if path.exists() or is_default_named() else None
    return None


def default_key_path() -> Path:
    """Return where the key file is, or would be, that is used where nothing names a key.

    Raises `RuntimeError` if the user has no home folder.
    """
    if named := os.environ.get(_FILE_VARIABLE):
        return Path(named)
    return _find_configuration_folder() / "sudokucrypt" / "key"


def is_default_named() -> bool:
    """Return whether a variable names the default key file."""
    return bool(os.environ.get(_FILE_VARIABLE))


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner may read, and those above it, unless they exist.

    Raises `SudokucryptError` if it cannot be made.
    """
    try:
        for each in (*reversed(folder.parents), folder):
            if not each.is_dir():
                each.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        reason = format_reason(error)
        raise SudokucryptError(f"cannot make the folder '{folder}': {reason}") from error


def _find_configuration_folder() -> Path:
    """Return the folder where programs of this user keep their settings."""
    # The XDG Base Directory Specification ignores relative paths: the folder at hand is not a place
    # for a key, and may be anybody's.
    if os.path.isabs(folder := os.environ.get("XDG_CONFIG_HOME", "")):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".config"


def list_key_variables() -> list[str]:
    """Return the variables that hold a key or a passphrase."""
    return [name for name in (KEY_VARIABLE, PASSPHRASE_VARIABLE) if os.environ.get(name)]


def list_key_files(path: Path) -> list[Path]:
    """Return a file, or those of a folder that are not hidden."""
    if not path.is_dir():
        return [path]
    return sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))


def warn_if_open(name: str) -> None:
    """Warn of a file with a secret that other users may read or change.

    Pipes and open descriptors, such as shells make for `<(...)`, are nobody else's.
    """
    if os.name == "nt" or name.startswith(("/dev/", "/proc/")):
        return
    try:
        mode = os.stat(name).st_mode
    except (OSError, ValueError):  # reading it will say why
        return
    can = [word for word, bits in (("read", 0o044), ("change", 0o022)) if mode & bits]
    if can and stat.S_ISREG(mode):
        say("warning", f"other users can {' and '.join(can)} '{name}'")
        say("hint", f"to keep it to yourself: chmod 600 {shlex.quote(name)}")


def warn_if_readable() -> None:
    """Warn when stdout is a file that other users of this computer may read."""
    try:
        mode = os.fstat(1).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode) and mode & (stat.S_IRGRP | stat.S_IROTH):
        say("warning", "the key goes to a file that others may read; -o FILE is safer")


# A key in place of a name: no message may repeat it.
_IS_KEY = re.compile(r"^\s*(sudokucrypt|age)-([a-z]+-)*key-(pq-)?1[0-9a-z ]{20}", re.I | re.M)
_IS_SHARE = re.compile(r"^\s*sudokucrypt-key-share-1[0-9a-z ]{20}", re.I | re.M)


def load_protecting(secret: SecretOptions, sources: Sequence[object] = ()) -> ProtectingKey:
    """Read what can protect something: one key, recipients or both; else as `load`.

    With recipients, only a key that an option names counts.
    """
    recipients = _read_recipients(secret, sources)
    loaded = load(secret, sources, new=True) if secret.given or not recipients else None
    each = loaded.keys if isinstance(loaded, keys.KeyRing) else [loaded] if loaded else []
    masters = [key for key in each if isinstance(key, keys.Key | keys.Passphrase)]
    if len(masters) > 1:
        raise InvalidKeyError(
            f"there are {len(masters)} keys, but one protects", hint="name a file with one key"
        )
    if any(isinstance(key, keys.PictureKey) for key in each):
        raise make_protect_error()
    for key in masters:
        if isinstance(key, keys.Passphrase):
            from sudokucrypt.cli.keys.caution import warn_if_guessable

            warn_if_guessable(key)
    if masters and len(each) == 1 and not recipients:
        return masters[0]
    others = [
        key for key in each if not isinstance(key, keys.Key | keys.Passphrase | keys.PictureKey)
    ]
    identities = [key.recipient for key in others]
    return [*masters, *identities, *recipients]


def _read_recipients(secret: SecretOptions, sources: Sequence[object]) -> list[Recipient]:
    """Read the recipients that options name."""
    if not (secret.to or secret.to_file):
        return []
    from sudokucrypt.keys import Recipient

    if secret.reads_stdin and Path("-") in sources:
        raise click.UsageError("stdin cannot give both the picture and the recipients")
    if named := next((text for text in secret.to if os.path.isfile(text)), None):
        raise click.UsageError(f"--to takes a recipient; for the file '{named}' use --to-file")
    recipients = [Recipient.from_text(text) for text in secret.to]
    for name in secret.to_file:
        origin = "stdin" if name == "-" else f"'{name}'"
        listed = Recipient.from_lines(read_key_argument(name), origin=origin)
        if not listed:
            raise InvalidKeyError(f"there is no recipient in '{name}'")
        recipients += listed
    return recipients


def load(
    secret: SecretOptions, sources: Sequence[object] = (), *, new: bool = False
) -> RestoringKey:
    """Read the key or passphrase; one that is to protect something, a new one, is asked twice.

    `sources` are what else is read; stdin cannot be both.
    """
    if Path("-") in sources and secret.reads_stdin:
        raise click.UsageError("stdin cannot give both the picture and the secret")
    if secret.keys and new:
        return load_keys(secret)
    if secret.keys:
        with _advise_for_restoring():
            return load_keys(secret)
    passphrase = load_passphrase(secret, confirm=new)
    if passphrase is None and (text := os.environ.get(KEY_VARIABLE)):
        return _get_held_key(secret, text)
    if passphrase is None and (text := os.environ.get(PASSPHRASE_VARIABLE)):
        passphrase = keys.Passphrase(text)
    if passphrase is not None:
        passphrase.budget = keys.DerivationBudget(secret.max_derivation)
        return passphrase
    if path := default_key_file():
        # The key of the configuration folder is always the same; a variable may name any.
        note = f"using the key file '{path}'"
        if is_default_named():
            say("note", note)
        else:
            say_more(note)
        return load_keys(replace(secret, key=(str(path),)))
    if new:
        raise click.UsageError(
            f"no key: give --key FILE, --passphrase, or set {KEY_VARIABLE} "
            "('sudokucrypt keygen --default' makes a key that is used without these)"
        )
    raise HintedUsageError(
        _find_needed_key(sources),
        click.get_current_context(silent=True),
        hint="look for its file, its card or its passphrase; give it with --key FILE, "
        f"--passphrase or in {KEY_VARIABLE}; see docs/howto/lost.md",
    )


@contextmanager
def _advise_for_restoring() -> Iterator[None]:
    """Advise nobody to make a key where only an old one helps."""
    try:
        yield
    except InvalidKeyError as error:
        missing = isinstance(error, MissingKeyError)
        if error.hint_key != "keygen" and not missing:
            raise
        hint = (
            "name the file of the key that protected it; a new key does not restore it; "
            "see docs/howto/lost.md"
        )
        raise type(error)(str(error), hint=hint) from None


def _find_needed_key(sources: Sequence[object]) -> str:
    """Return which key the first of some inputs needs, which its header says."""
    from sudokucrypt.recipes import read_header

    source = next((each for each in sources if isinstance(each, Path) and each.is_file()), None)
    if source is not None:
        with suppress(SudokucryptError, OSError):
            header = read_header(source)
            ways = ["its passphrase" if header.kdf else f"key {header.key_id}"]
            ways += ["the identity of one of its recipients"] * bool(header.recipients)
            return f"'{source}' needs {', or '.join(ways)}"
    return "no key: what is to be restored needs the key that protected it"


def split_secret(secret: SecretOptions) -> list[SecretOptions]:
    """Return the options for the keys, and those for a passphrase if it is not that of a key.

    Layers of one picture can need both.
    """
    alone = replace(secret, prompt=False, file=None, descriptor=None)
    both = secret.keys and alone != secret and "-" not in secret.keys
    if not both or any(
        keys.is_locked(text) for name in secret.keys for _, text in _read_key_texts(name)
    ):
        return [secret]
    return [alone, replace(secret, key=(), identity=())]


def load_key(secret: SecretOptions) -> Key | PictureKey | Identity:
    """Read one key; errors as for `load`."""
    return _require_one(load_keys(secret))


def load_key_or_share(name: str) -> Key | PictureKey | Identity | KeyShare:
    """Read one key, or one share of a key, from a file or stdin; errors as for `load`."""
    if name != "-" and os.path.isdir(name):
        return load_key(SecretOptions(key=(name,)))
    text = read_key_argument(name)
    if name != "-":
        warn_if_open(name)
    if _IS_SHARE.search(text):
        with keys.error_context("stdin" if name == "-" else f"'{name}'"):
            return keys.KeyShare.from_text(text)
    return _require_one(
        _read_keys(SecretOptions(), _read_typed(text, "stdin" if name == "-" else f"'{name}'"))
    )


def _require_one(key: Key | PictureKey | Identity | KeyRing) -> Key | PictureKey | Identity:
    if isinstance(key, keys.KeyRing):
        raise InvalidKeyError(
            f"there are {len(key)} keys, not one", hint="name a file with one key"
        )
    return key


def load_keys(secret: SecretOptions) -> Key | PictureKey | Identity | KeyRing:
    """Read the files of keys and identities that were named, and those in folders."""
    return _read_keys(
        secret, [text for name in secret.keys or ("-",) for text in _read_key_texts(name)]
    )


def load_passphrase(secret: SecretOptions, *, confirm: bool) -> Passphrase | None:
    """Read the passphrase that the options ask for, if they ask for one."""
    given = [secret.prompt, secret.file is not None, secret.descriptor is not None]
    if sum(given) > 1:
        raise click.UsageError("give the passphrase in one way only")
    if secret.file is not None:
        passphrase = keys.Passphrase.from_file(secret.file)
        warn_if_open(secret.file)
        return passphrase
    if secret.descriptor is not None:
        return _read_descriptor(secret.descriptor)
    return _get_held_or_ask(confirm=confirm) if secret.prompt else None


def _read_keys(
    secret: SecretOptions, texts: Sequence[tuple[str, str]]
) -> Key | PictureKey | Identity | KeyRing:
    """Read keys from their origins and texts; one passphrase opens all that are locked."""
    passphrase = load_passphrase(secret, confirm=False)
    if any(keys.is_locked(text) for _, text in texts):
        passphrase = passphrase or _get_held_or_ask(confirm=False)
    elif passphrase is not None:
        raise click.UsageError(
            f"{texts[0][0]} is not locked; give the key or a passphrase, not both"
        )
    found = {
        keys.unlock(text, passphrase, origin=origin)
        if passphrase is not None and keys.is_locked(text)
        else keys.read_key(text, origin=origin): None
        for origin, text in texts
    }
    return keys.KeyRing(found) if len(found) > 1 else next(iter(found))


def _get_held_key(secret: SecretOptions, text: str) -> Key | PictureKey | Identity | KeyRing:
    try:
        return _read_keys(secret, _read_typed(text, KEY_VARIABLE))
    except InvalidKeyError as error:
        if re.search("sudokucrypt-|age-secret-", text, re.I):  # it was a key, and is damaged
            raise
        raise InvalidKeyError(
            str(error),
            hint="it must hold the text of a key; name a key file with --key",
        ) from None


def make_protect_error() -> InvalidKeyError:
    """Return the error for the key of one picture where something is to be protected."""
    return InvalidKeyError(
        "this is the key of one picture: it restores that picture, but cannot protect any",
        hint="use the key that it came from, or make one with 'sudokucrypt keygen'",
    )


def say_who_opens(key: ProtectingKey) -> None:
    """Say who can open results that have recipients."""
    if not isinstance(key, keys.Key | keys.Passphrase):
        from sudokucrypt.recipes.protection import divide_key

        own, recipients = divide_key(key)
        many = f"{len(recipients)} recipient{'s' * (len(recipients) > 1)}"
        if own is None:
            say("note", f"only {many} can open the results, with their identities")
        else:
            name = f"key {own.id}" if isinstance(own, keys.Key) else "your passphrase"
            say("note", f"{name} and {many} can open the results")


def _read_key_texts(name: str) -> list[tuple[str, str]]:
    """Return origin and text of each key in a file, in a folder of files, or in stdin."""
    if name != "-" and os.path.isdir(name):
        texts = [
            text for path in list_key_files(Path(name)) for text in _read_folder_texts(str(path))
        ]
        if not texts:
            raise InvalidKeyError(f"no file in the folder '{name}' holds a key", hint_key="keygen")
        return texts
    origin = "stdin" if name == "-" else f"'{name}'"
    text = read_key_argument(name)
    if name != "-":
        warn_if_open(name)
    return _read_typed(text, origin)


def _read_typed(text: str, origin: str) -> list[tuple[str, str]]:
    """Return origin and text of each key that someone may have typed."""
    # A text without any key is read too: the error says what is wrong with it.
    from sudokucrypt.keys.texts import decode_bech32, normalize, require_no_mistake

    texts = keys.key_texts(text) or [text]
    try:
        for each in texts:
            decode_bech32(each)
    except ValueError:  # locked, or with a mistake
        with keys.error_context(origin):
            require_no_mistake(text)
        texts = [normalize(each) for each in texts]
    return [(origin, each) for each in texts]


def _read_folder_texts(name: str) -> list[tuple[str, str]]:
    """Return the keys in a file of a folder that may also hold other files."""
    with suppress(InvalidKeyError):
        if _IS_KEY.search(keys.read_key_file(name)):
            return _read_key_texts(name)
    return []


def read_key_argument(name: str) -> str:
    """Return the text in a key file or in stdin; the message of an error never repeats it."""
    if _IS_KEY.search(name) or _IS_SHARE.search(name):
        raise click.UsageError(
            "the key itself is on the command line, where others can read it; "
            f"put it in a file or in {KEY_VARIABLE}"
        )
    if name != "-":
        return keys.read_key_file(name)
    with keys.error_context("stdin"):
        return keys.decode_key_file(sys.stdin.buffer.read(keys.KEY_FILE_LIMIT))


def read_passphrase(file: str | None, title: str, *, confirm: bool) -> Passphrase:
    """Read a passphrase from a file, or ask for what is called `title`, twice to `confirm` it."""
    if file is None:
        return _get_held_or_ask(title, confirm=confirm, held=not confirm)
    warn_if_open(file)
    return keys.Passphrase.from_file(file)


def _read_descriptor(number: int) -> Passphrase:
    try:
        with os.fdopen(os.dup(number), "rb") as file:
            return keys.Passphrase.from_bytes(file.read(keys.KEY_FILE_LIMIT))
    except OSError as error:
        reason = format_reason(error)
        raise InvalidKeyError(f"cannot read file descriptor {number}: {reason}") from None


def _get_held_or_ask(title: str = "passphrase", *, confirm: bool, held: bool = True) -> Passphrase:
    """Take the environment's if `held`, or ask on the terminal, without showing what is typed."""
    if held and (text := os.environ.get(PASSPHRASE_VARIABLE)):
        return keys.Passphrase(text)
    if not sys.stdin.isatty():
        raise click.UsageError(
            f"there is no terminal to ask for the {title} on; use --{title.replace(' ', '-')}-file"
            + (" or --passphrase-fd" if held else "")
        )
    while True:
        text = click.prompt(title, hide_input=True, err=True)
        if not confirm:
            return keys.Passphrase(text)
        again = click.prompt(f"the same {title} again", hide_input=True, err=True)
        if again == text:
            return keys.Passphrase(text)
        say("warning", "the two passphrases differ; type them again")
