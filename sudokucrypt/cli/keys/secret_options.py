"""Options that name keys, passphrases and recipients, and functions that read these."""

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
from sudokucrypt.cli.messages import say, say_if_verbose
from sudokucrypt.cli.options import FILE_TYPE
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
_KEY_FILE_VARIABLE = "SUDOKUCRYPT_KEY_FILE"


class SecretOptions(FrozenValue):
    """The options that say where keys, passphrases and recipients are."""

    key: tuple[str, ...] = option(
        (),
        "Key file, folder of key files, or - for stdin; restoring takes several. By default "
        f"{KEY_VARIABLE} holds the text of the key, {_KEY_FILE_VARIABLE} names its file, or it "
        "is the "
        "file 'key' in your configuration folder.",
        "-k, --key KEY",
        type=FILE_TYPE,
        multiple=True,
        heading="Key",
        everyday=True,
    )
    identity: tuple[str, ...] = option(
        (),
        "Identity file of age, as 'keygen --identity' and 'age-keygen' write it, or - for stdin.",
        "-i, --identity FILE",
        type=FILE_TYPE,
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
        type=FILE_TYPE,
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
        None,
        "Read the passphrase from a file.",
        "--passphrase-file F",
        type=FILE_TYPE,
        heading="Key",
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
        "Refuse files whose key takes longer to derive than usual once N of them could not be "
        "opened, and other files once failures took the work of 8 N usual derivations.",
        "--max-derivation N",
        unit="files",
        least=0,
        heading="Key",
    )

    @property
    def is_given(self) -> bool:
        """Whether any option names a key or passphrase."""
        return bool(
            self.prompt
            or self.key
            or self.identity
            or self.file is not None
            or self.descriptor is not None
        )

    def is_available(self) -> bool:
        """Return whether an option, the environment or the default key provides a secret."""
        return bool(self.is_given or list_key_variables() or find_default_key())

    @property
    def keys(self) -> tuple[str, ...]:
        """The key files and identity files that options name."""
        return self.key + self.identity

    @property
    def reads_stdin(self) -> bool:
        """Whether a key, recipients or a passphrase are read from stdin."""
        return "-" in (*self.keys, *self.to_file) or self.descriptor == 0

    def list_files(self) -> list[Path]:
        """Return the files that contain keys, the passphrase and recipients."""
        names = [name for name in (*self.keys, *self.to_file, self.file) if name not in (None, "-")]
        default = None if self.is_given or list_key_variables() else find_default_key()
        paths = [Path(name) for name in names] + ([default] if default else [])
        return [file for name in paths for file in list_key_files(name)]


_RECIPIENT_FIELDS = ("to", "to_file")

# Decorators that add options to a command as one parameter ``secret``: the options for keys and
# passphrases, and the options for recipients.
secret_options = option_group("secret", SecretOptions, excluded_names=_RECIPIENT_FIELDS)
recipient_options = option_group("secret", SecretOptions, included_names=_RECIPIENT_FIELDS)


def find_default_key() -> Path | None:
    """Return the key file that is used if no option names a key, or None if it does not exist."""
    with suppress(RuntimeError):  # the user has no home folder
        path = get_default_key_path()
        return path if path.exists() or is_default_key_named() else None
    return None


def get_default_key_path() -> Path:
    """Return the path of the default key file, which need not exist.

    Raises `RuntimeError` if the user has no home folder.
    """
    if path := os.environ.get(_KEY_FILE_VARIABLE):
        return Path(path)
    return _find_configuration_folder() / "sudokucrypt" / "key"


def is_default_key_named() -> bool:
    """Return whether an environment variable names the default key file."""
    return bool(os.environ.get(_KEY_FILE_VARIABLE))


def make_private_folder(folder: Path) -> None:
    """Make a folder and its missing parents, readable only by their owner.

    Raises `SudokucryptError` if a folder cannot be made.
    """
    try:
        for path in (*reversed(folder.parents), folder):
            if not path.is_dir():
                path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        reason = format_reason(error)
        raise SudokucryptError(f"cannot make the folder '{folder}': {reason}") from error


def _find_configuration_folder() -> Path:
    """Return the folder for settings of this user's programs."""
    # Relative paths are ignored, as the XDG Base Directory Specification demands: the current
    # folder may belong to anyone.
    if os.path.isabs(folder := os.environ.get("XDG_CONFIG_HOME", "")):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".config"


def list_key_variables() -> list[str]:
    """Return the names of environment variables that contain a key or a passphrase."""
    return [name for name in (KEY_VARIABLE, PASSPHRASE_VARIABLE) if os.environ.get(name)]


def list_key_files(path: Path) -> list[Path]:
    """Return the path of a file, or the paths of all visible files in a folder."""
    if not path.is_dir():
        return [path]
    return sorted(
        file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")
    )


def warn_if_accessible(name: str) -> None:
    """Print a warning if other users may read or change a file with a secret.

    Pipes and open descriptors, which shells make for `<(...)`, are private.
    """
    if os.name == "nt" or name.startswith(("/dev/", "/proc/")):
        return
    try:
        file_mode = os.stat(name).st_mode
    except (OSError, ValueError):  # reading the file will raise the same error
        return
    actions = [word for word, bits in (("read", 0o044), ("change", 0o022)) if file_mode & bits]
    if actions and stat.S_ISREG(file_mode):
        say("warning", f"other users can {' and '.join(actions)} '{name}'")
        say("hint", f"to keep it to yourself: chmod 600 {shlex.quote(name)}")


def warn_if_output_is_readable() -> None:
    """Print a warning if stdout is a file that other users of this computer may read."""
    try:
        file_mode = os.fstat(1).st_mode
    except OSError:
        return
    if stat.S_ISREG(file_mode) and file_mode & (stat.S_IRGRP | stat.S_IROTH):
        say("warning", "the key goes to a file that others may read; -o FILE is safer")


# Patterns of the beginning of keys and of shares: an argument that matches is not a file name.
_KEY_PATTERN = re.compile(r"^\s*(sudokucrypt|age)-([a-z]+-)*key-(pq-)?1[0-9a-z ]{20}", re.I | re.M)
_SHARE_PATTERN = re.compile(r"^\s*sudokucrypt-key-share-1[0-9a-z ]{20}", re.I | re.M)


def load_protecting_key(secret: SecretOptions, sources: Sequence[object] = ()) -> ProtectingKey:
    """Read one key, recipients or both, by which a command can protect something.

    With recipients, a key is only read if an option names one.
    """
    recipients = _read_recipients(secret, sources)
    loaded_key = (
        load_restoring_key(secret, sources, is_new=True)
        if secret.is_given or not recipients
        else None
    )
    loaded_keys = (
        loaded_key.keys
        if isinstance(loaded_key, keys.KeyRing)
        else [loaded_key]
        if loaded_key
        else []
    )
    master_keys = [key for key in loaded_keys if isinstance(key, keys.Key | keys.Passphrase)]
    if len(master_keys) > 1:
        raise InvalidKeyError(
            f"there are {len(master_keys)} keys, but only one can protect",
            hint="name a file with one key",
        )
    if any(isinstance(key, keys.PictureKey) for key in loaded_keys):
        raise make_picture_key_error()
    for key in master_keys:
        if isinstance(key, keys.Passphrase):
            from sudokucrypt.cli.keys.caution import warn_if_guessable

            warn_if_guessable(key)
    if master_keys and len(loaded_keys) == 1 and not recipients:
        return master_keys[0]
    identities = [
        key
        for key in loaded_keys
        if not isinstance(key, keys.Key | keys.Passphrase | keys.PictureKey)
    ]
    identity_recipients = [key.recipient for key in identities]
    return [*master_keys, *identity_recipients, *recipients]


def _read_recipients(secret: SecretOptions, sources: Sequence[object]) -> list[Recipient]:
    """Read the recipients that ``--to`` and ``--to-file`` name."""
    if not (secret.to or secret.to_file):
        return []
    from sudokucrypt.keys import Recipient

    if secret.reads_stdin and Path("-") in sources:
        raise click.UsageError("stdin cannot give both the picture and the recipients")
    if file := next((text for text in secret.to if os.path.isfile(text)), None):
        raise click.UsageError(f"--to takes a recipient; for the file '{file}' use --to-file")
    recipients = [Recipient.from_text(text) for text in secret.to]
    for name in secret.to_file:
        source_name = "stdin" if name == "-" else f"'{name}'"
        file_recipients = Recipient.from_lines(read_key_argument(name), origin=source_name)
        if not file_recipients:
            raise InvalidKeyError(f"there is no recipient in '{name}'")
        recipients += file_recipients
    return recipients


def load_restoring_key(
    secret: SecretOptions, sources: Sequence[object] = (), *, is_new: bool = False
) -> RestoringKey:
    """Read the keys or the passphrase; with `is_new`, a passphrase is prompted for twice.

    `sources` are the inputs of the command; stdin cannot be both an input and a secret.
    """
    if Path("-") in sources and secret.reads_stdin:
        raise click.UsageError("stdin cannot give both the picture and the secret")
    if secret.keys and is_new:
        return load_keys(secret)
    if secret.keys:
        with _advise_for_restoring():
            return load_keys(secret)
    passphrase = load_passphrase(secret, confirm=is_new)
    if passphrase is None and (text := os.environ.get(KEY_VARIABLE)):
        return _read_key_variable(secret, text)
    if passphrase is None and (text := os.environ.get(PASSPHRASE_VARIABLE)):
        passphrase = keys.Passphrase(text)
    if passphrase is not None:
        passphrase.budget = keys.DerivationBudget(secret.max_derivation)
        return passphrase
    if path := find_default_key():
        # The use of a key file that an environment variable names is always reported, since the
        # variable can change; the key file in the configuration folder is always the same.
        note = f"using the key file '{path}'"
        if is_default_key_named():
            say("note", note)
        else:
            say_if_verbose(note)
        return load_restoring_key(replace(secret, key=(str(path),)), is_new=is_new)
    if is_new:
        raise click.UsageError(
            f"no key: give --key FILE, --passphrase, or set {KEY_VARIABLE} "
            "('sudokucrypt keygen --default' makes a key that is used without these)"
        )
    raise HintedUsageError(
        _describe_needed_key(sources),
        click.get_current_context(silent=True),
        hint="look for its file, its card or its passphrase; give it with --key FILE, "
        f"--passphrase or in {KEY_VARIABLE}; see docs/howto/lost.md",
    )


@contextmanager
def _advise_for_restoring() -> Iterator[None]:
    """Replace hints to make a key by hints to find the key, since a new key restores nothing."""
    try:
        yield
    except InvalidKeyError as error:
        is_missing = isinstance(error, MissingKeyError)
        if error.hint_key != "keygen" and not is_missing:
            raise
        hint = (
            "name the file of the key that protected it; a new key does not restore it; "
            "see docs/howto/lost.md"
        )
        raise type(error)(str(error), hint=hint) from None


def _describe_needed_key(sources: Sequence[object]) -> str:
    """Return a message that names the key which the first existing input needs, by its header."""
    from sudokucrypt.recipes import read_header

    source = next((path for path in sources if isinstance(path, Path) and path.is_file()), None)
    if source is not None:
        with suppress(SudokucryptError, OSError):
            header = read_header(source)
            needed_secrets = ["its passphrase" if header.kdf else f"key {header.key_id}"]
            needed_secrets += ["the identity of one of its recipients"] * bool(header.recipients)
            return f"'{source}' needs {', or '.join(needed_secrets)}"
    return "no key: an input can only be restored with the key that protected it"


def split_secret_options(secret: SecretOptions) -> list[SecretOptions]:
    """Return separate options for keys and for a passphrase, if these are separate secrets.

    Layers of one picture can need both. If the passphrase unlocks a key, the options are returned
    unchanged.
    """
    options_without_passphrase = replace(secret, prompt=False, file=None, descriptor=None)
    has_both_secrets = (
        secret.keys and options_without_passphrase != secret and "-" not in secret.keys
    )
    if not has_both_secrets or any(
        keys.is_locked(text) for name in secret.keys for _, text in _read_key_texts(name)
    ):
        return [secret]
    return [options_without_passphrase, replace(secret, key=(), identity=())]


def load_key(secret: SecretOptions) -> Key | PictureKey | Identity:
    """Read one key; raise the errors of `load_restoring_key`."""
    return _require_one_key(load_keys(secret))


def load_key_or_share(name: str) -> Key | PictureKey | Identity | KeyShare:
    """Read a key, or a share of one, from a file or stdin; raise errors as `load_restoring_key`."""
    if name != "-" and os.path.isdir(name):
        return load_key(SecretOptions(key=(name,)))
    text = read_key_argument(name)
    if name != "-":
        warn_if_accessible(name)
    if _SHARE_PATTERN.search(text):
        with keys.add_origin_to_errors("stdin" if name == "-" else f"'{name}'"):
            return keys.KeyShare.from_text(text)
    return _require_one_key(
        _read_keys(SecretOptions(), _split_key_texts(text, "stdin" if name == "-" else f"'{name}'"))
    )


def _require_one_key(key: Key | PictureKey | Identity | KeyRing) -> Key | PictureKey | Identity:
    if isinstance(key, keys.KeyRing):
        raise InvalidKeyError(
            f"there are {len(key)} keys, not one", hint="name a file with one key"
        )
    return key


def load_keys(secret: SecretOptions) -> Key | PictureKey | Identity | KeyRing:
    """Read the key files and identity files that options name, also those in folders."""
    return _read_keys(
        secret, [text for name in secret.keys or ("-",) for text in _read_key_texts(name)]
    )


def load_passphrase(secret: SecretOptions, *, confirm: bool) -> Passphrase | None:
    """Read the passphrase from where the options say, or return None if they name none."""
    given_way_flags = [secret.prompt, secret.file is not None, secret.descriptor is not None]
    if sum(given_way_flags) > 1:
        raise click.UsageError("give the passphrase in one way only")
    if secret.file is not None:
        passphrase = keys.Passphrase.from_file(secret.file)
        warn_if_accessible(secret.file)
        return passphrase
    if secret.descriptor is not None:
        return _read_from_descriptor(secret.descriptor)
    return _prompt_for_passphrase(confirm=confirm) if secret.prompt else None


def _read_keys(
    secret: SecretOptions, texts: Sequence[tuple[str, str]]
) -> Key | PictureKey | Identity | KeyRing:
    """Read keys from pairs of origin and text; one passphrase unlocks all locked ones."""
    passphrase = load_passphrase(secret, confirm=False)
    if any(keys.is_locked(text) for _, text in texts):
        passphrase = passphrase or _prompt_for_passphrase(confirm=False)
    elif passphrase is not None:
        raise click.UsageError(
            f"{texts[0][0]} is not locked; give the key or a passphrase, not both"
        )
    unique_keys = {
        keys.unlock(text, passphrase, origin=origin)
        if passphrase is not None and keys.is_locked(text)
        else keys.read_key(text, origin=origin): None
        for origin, text in texts
    }
    return keys.KeyRing(unique_keys) if len(unique_keys) > 1 else next(iter(unique_keys))


def _read_key_variable(secret: SecretOptions, text: str) -> Key | PictureKey | Identity | KeyRing:
    try:
        return _read_keys(secret, _split_key_texts(text, KEY_VARIABLE))
    except InvalidKeyError as error:
        if re.search("sudokucrypt-|age-secret-", text, re.I):  # a damaged key
            raise
        raise InvalidKeyError(
            str(error),
            hint="it must contain the text of a key; name a key file with --key",
        ) from None


def make_picture_key_error() -> InvalidKeyError:
    """Make the error for a key of one picture, which cannot protect anything."""
    return InvalidKeyError(
        "this is the key of one picture: it restores that picture, but cannot protect any",
        hint="use the key that it came from, or make one with 'sudokucrypt keygen'",
    )


def say_who_can_open(key: ProtectingKey) -> None:
    """Print a note about who can open results that have recipients."""
    if not isinstance(key, keys.Key | keys.Passphrase):
        from sudokucrypt.recipes.protection import divide_key

        master_key, recipients = divide_key(key)
        recipients_text = f"{len(recipients)} recipient{'s' * (len(recipients) > 1)}"
        if master_key is None:
            say("note", f"only {recipients_text} can open the results, with their identities")
        else:
            opener_text = (
                f"key {master_key.id}" if isinstance(master_key, keys.Key) else "your passphrase"
            )
            say("note", f"{opener_text} and {recipients_text} can open the results")


def _read_key_texts(name: str) -> list[tuple[str, str]]:
    """Return the origin and text of each key in a file, in the files of a folder, or in stdin."""
    if name != "-" and os.path.isdir(name):
        texts = [
            text
            for path in list_key_files(Path(name))
            for text in _read_key_texts_if_any(str(path))
        ]
        if not texts:
            raise InvalidKeyError(
                f"no file in the folder '{name}' contains a key", hint_key="keygen"
            )
        return texts
    source_name = "stdin" if name == "-" else f"'{name}'"
    text = read_key_argument(name)
    if name != "-":
        warn_if_accessible(name)
    return _split_key_texts(text, source_name)


def _split_key_texts(text: str, origin: str) -> list[tuple[str, str]]:
    """Return the origin and text of each key in a text, which may have been typed.

    A text without any key is returned as one key, so that reading it raises a helpful error.
    """
    from sudokucrypt.keys.texts import decode_bech32, normalize_key_text, require_no_mistake

    texts = keys.split_key_texts(text) or [text]
    try:
        for key_text in texts:
            decode_bech32(key_text)
    except ValueError:  # a locked key, or a typing mistake
        with keys.add_origin_to_errors(origin):
            require_no_mistake(text)
        texts = [normalize_key_text(key_text) for key_text in texts]
    return [(origin, key_text) for key_text in texts]


def _read_key_texts_if_any(name: str) -> list[tuple[str, str]]:
    """Return the keys in a file, or an empty list if the file contains no key."""
    with suppress(InvalidKeyError):
        if _KEY_PATTERN.search(keys.read_key_file(name)):
            return _read_key_texts(name)
    return []


def read_key_argument(name: str) -> str:
    """Return the text in a key file or in stdin; error messages never repeat it."""
    if _KEY_PATTERN.search(name) or _SHARE_PATTERN.search(name):
        raise click.UsageError(
            "the key itself is on the command line, where others can read it; "
            f"put it in a file or in {KEY_VARIABLE}"
        )
    if name != "-":
        return keys.read_key_file(name)
    with keys.add_origin_to_errors("stdin"):
        return keys.decode_key_file(sys.stdin.buffer.read(keys.MAX_KEY_FILE_BYTES))


def read_passphrase(file: str | None, title: str, *, confirm: bool) -> Passphrase:
    """Read a passphrase from a file, or prompt for `title`; with `confirm`, prompt twice."""
    if file is None:
        return _prompt_for_passphrase(title, confirm=confirm, use_environment=not confirm)
    warn_if_accessible(file)
    return keys.Passphrase.from_file(file)


def _read_from_descriptor(number: int) -> Passphrase:
    try:
        with os.fdopen(os.dup(number), "rb") as file:
            return keys.Passphrase.from_bytes(file.read(keys.MAX_KEY_FILE_BYTES))
    except OSError as error:
        reason = format_reason(error)
        raise InvalidKeyError(f"cannot read file descriptor {number}: {reason}") from None


def _prompt_for_passphrase(
    title: str = "passphrase", *, confirm: bool, use_environment: bool = True
) -> Passphrase:
    """Prompt for a passphrase on the terminal, without showing it.

    With `use_environment`, the passphrase of an environment variable is used if it is set.
    """
    if use_environment and (text := os.environ.get(PASSPHRASE_VARIABLE)):
        return keys.Passphrase(text)
    if not sys.stdin.isatty():
        raise click.UsageError(
            f"there is no terminal to ask for the {title} on; use --{title.replace(' ', '-')}-file"
            + (" or --passphrase-fd" if use_environment else "")
        )
    while True:
        text = click.prompt(title, hide_input=True, err=True)
        if not confirm:
            return keys.Passphrase(text)
        repeated_text = click.prompt(f"the same {title} again", hide_input=True, err=True)
        if repeated_text == text:
            return keys.Passphrase(text)
        say("warning", "the two passphrases differ; type them again")
