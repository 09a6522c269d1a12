"""Read keys, passphrases and recipients from files, stdin, the environment and the terminal."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.extensions import HintedUsageError
from sudokucrypt.cli.keys.secret_options import (
    KEY_VARIABLE,
    PASSPHRASE_VARIABLE,
    SecretOptions,
    default_key_file,
    files_in,
    is_default_named,
    warn_if_open,
)
from sudokucrypt.cli.messages import say, say_more
from sudokucrypt.errors import InvalidKeyError, MissingKeyError, SudokucryptError, reason_of
from sudokucrypt.keys import (
    KEY_FILE_LIMIT,
    DerivationBudget,
    Key,
    KeyRing,
    KeyShare,
    Passphrase,
    PictureKey,
    bech32,
    decode_key_file,
    error_context,
    is_locked,
    key_texts,
    read_key,
    read_key_file,
    unlock,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.keys import Identity, ProtectingKey, Recipient, RestoringKey

# A key in place of a name: no message may repeat it.
_IS_KEY = re.compile(r"^\s*(sudokucrypt|age)-([a-z]+-)*key-(pq-)?1[0-9a-z ]{20}", re.I | re.M)
_IS_SHARE = re.compile(r"^\s*sudokucrypt-key-share-1[0-9a-z ]{20}", re.I | re.M)


def load_protecting(secret: SecretOptions, sources: Sequence[object] = ()) -> ProtectingKey:
    """Read what can protect something: one key, recipients or both; else as `load`.

    With recipients, only a key that an option names counts.
    """
    recipients = _recipients(secret, sources)
    loaded = load(secret, sources, new=True) if secret.given or not recipients else None
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
            from sudokucrypt.cli.keys.caution import warn_if_guessable

            warn_if_guessable(key)
    if masters and len(each) == 1 and not recipients:
        return masters[0]
    others = [key for key in each if not isinstance(key, Key | Passphrase | PictureKey)]
    identities = [key.recipient for key in others]
    return [*masters, *identities, *recipients]


def _recipients(secret: SecretOptions, sources: Sequence[object]) -> list[Recipient]:
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
        with _restoring():
            return load_keys(secret)
    passphrase = load_passphrase(secret, confirm=new)
    if passphrase is None and (text := os.environ.get(KEY_VARIABLE)):
        return _held_key(secret, text)
    if passphrase is None and (text := os.environ.get(PASSPHRASE_VARIABLE)):
        passphrase = Passphrase(text)
    if passphrase is not None:
        passphrase.budget = DerivationBudget(secret.max_derivation)
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
        _needed_by(sources),
        click.get_current_context(silent=True),
        hint="look for its file, its card or its passphrase; give it with --key FILE, "
        f"--passphrase or in {KEY_VARIABLE}; see docs/howto/lost.md",
    )


@contextmanager
def _restoring() -> Iterator[None]:
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


def _needed_by(sources: Sequence[object]) -> str:
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
    if not both or any(is_locked(text) for name in secret.keys for _, text in _texts_in(name)):
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
        with error_context("stdin" if name == "-" else f"'{name}'"):
            return KeyShare.from_text(text)
    return _require_one(
        _keys(SecretOptions(), _read_typed(text, "stdin" if name == "-" else f"'{name}'"))
    )


def _require_one(key: Key | PictureKey | Identity | KeyRing) -> Key | PictureKey | Identity:
    if isinstance(key, KeyRing):
        raise InvalidKeyError(
            f"there are {len(key)} keys, not one", hint="name a file with one key"
        )
    return key


def load_keys(secret: SecretOptions) -> Key | PictureKey | Identity | KeyRing:
    """Read the files of keys and identities that were named, and those in folders."""
    return _keys(secret, [text for name in secret.keys or ("-",) for text in _texts_in(name)])


def load_passphrase(secret: SecretOptions, *, confirm: bool) -> Passphrase | None:
    """Read the passphrase that the options ask for, if they ask for one."""
    given = [secret.prompt, secret.file is not None, secret.descriptor is not None]
    if sum(given) > 1:
        raise click.UsageError("give the passphrase in one way only")
    if secret.file is not None:
        passphrase = Passphrase.from_file(secret.file)
        warn_if_open(secret.file)
        return passphrase
    if secret.descriptor is not None:
        return _from_descriptor(secret.descriptor)
    return _held_or_asked(confirm=confirm) if secret.prompt else None


def _keys(
    secret: SecretOptions, texts: Sequence[tuple[str, str]]
) -> Key | PictureKey | Identity | KeyRing:
    """Read keys from their origins and texts; one passphrase opens all that are locked."""
    passphrase = load_passphrase(secret, confirm=False)
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


def _held_key(secret: SecretOptions, text: str) -> Key | PictureKey | Identity | KeyRing:
    try:
        return _keys(secret, _read_typed(text, KEY_VARIABLE))
    except InvalidKeyError as error:
        if re.search("sudokucrypt-|age-secret-", text, re.I):  # it was a key, and is damaged
            raise
        raise InvalidKeyError(
            str(error),
            hint="it must hold the text of a key; name a key file with --key",
        ) from None


def cannot_protect() -> InvalidKeyError:
    """Return the error for the key of one picture where something is to be protected."""
    return InvalidKeyError(
        "this is the key of one picture: it restores that picture, but cannot protect any",
        hint="use the key that it came from, or make one with 'sudokucrypt keygen'",
    )


def say_who_opens(key: ProtectingKey) -> None:
    """Say who can open results that have recipients."""
    if not isinstance(key, Key | Passphrase):
        from sudokucrypt.recipes.protection import divide_key

        own, recipients = divide_key(key)
        many = f"{len(recipients)} recipient{'s' * (len(recipients) > 1)}"
        if own is None:
            say("note", f"only {many} can open the results, with their identities")
        else:
            name = f"key {own.id}" if isinstance(own, Key) else "your passphrase"
            say("note", f"{name} and {many} can open the results")


def _texts_in(name: str) -> list[tuple[str, str]]:
    """Return origin and text of each key in a file, in a folder of files, or in stdin."""
    if name != "-" and os.path.isdir(name):
        texts = [text for path in files_in(Path(name)) for text in _texts_in_folder(str(path))]
        if not texts:
            raise InvalidKeyError(f"no file in the folder '{name}' holds a key", hint_key="keygen")
        return texts
    origin = "stdin" if name == "-" else f"'{name}'"
    text = read_key_argument(name)
    if name != "-":
        warn_if_open(name)
    return _read_typed(text, origin)


def _read_typed(text: str, origin: str) -> list[tuple[str, str]]:
    """Return origin and text of each key that somebody may have typed."""
    # A text without any key is read too: the error says what is wrong with it.
    texts = key_texts(text) or [text]
    try:
        for each in texts:
            bech32.decode(each)
    except ValueError:  # locked, or with a mistake
        from sudokucrypt.keys.texts import normalize, require_no_mistake

        with error_context(origin):
            require_no_mistake(text)
        texts = [normalize(each) for each in texts]
    return [(origin, each) for each in texts]


def _texts_in_folder(name: str) -> list[tuple[str, str]]:
    """Return the keys in a file of a folder that may also hold other files."""
    with suppress(InvalidKeyError):
        if _IS_KEY.search(read_key_file(name)):
            return _texts_in(name)
    return []


def read_key_argument(name: str) -> str:
    """Return the text in a key file or in stdin; the message of an error never repeats it."""
    if _IS_KEY.search(name) or _IS_SHARE.search(name):
        raise click.UsageError(
            "the key itself is on the command line, where others can read it; "
            f"put it in a file or in {KEY_VARIABLE}"
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
    if held and (text := os.environ.get(PASSPHRASE_VARIABLE)):
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
