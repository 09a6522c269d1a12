"""``sudokucrypt keygen`` and ``sudokucrypt key``: make, show, lock and split keys."""

import os
import secrets
import sys
from math import log2
from pathlib import Path

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import Group, option
from sudokucrypt.cli.keys.card import card, read_card
from sudokucrypt.cli.keys.caution import warn_if_guessable
from sudokucrypt.cli.keys.secret_options import (
    SecretOptions,
    get_default_key_path,
    list_key_variables,
    load_keys,
    load_passphrase,
    load_restoring_key,
    make_picture_key_error,
    make_private_folder,
    read_key_argument,
    read_passphrase,
    secret_options,
    warn_if_accessible,
    warn_if_output_is_readable,
)
from sudokucrypt.cli.keys.shares import join, split
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import InputItem, SourcePath
from sudokucrypt.errors import InvalidKeyError, OutputExistsError, SudokucryptError
from sudokucrypt.keys import (
    Identity,
    Key,
    KeyRing,
    PictureKey,
    is_locked,
    list_words,
    lock,
    read_key,
    unlock,
)
from sudokucrypt.storage import (
    FileStatus,
    exists,
    require_free,
    write_atomically,
    write_secret_file,
)

_LOCKED_TITLE_ENDING = ", locked with a passphrase"

_output_option = option(
    "-o, --output KEY",
    "A new file, readable only by you. By default the key goes to stdout.",
    type=options.PATH_TYPE,
)


@click.command()
@_output_option
@option(
    "--default",
    "Make the key that is used where nothing names another, in your configuration folder.",
)
@option("--passphrase", "Lock the key with a passphrase.", name="locked")
@option(
    "--passphrase-file F",
    "Lock the key with the passphrase in a file.",
    name="file",
    type=options.FILE_TYPE,
)
@option("--identity", "Make an age identity instead, and print its recipient for others.")
@option("--post-quantum", "Make one whose pictures stay secret against quantum computers.")
@option(
    "--words N",
    "Make a passphrase of N words instead, drawn from 1,296.",
    type=click.IntRange(4, 40),
)
def keygen(
    *,
    output: Path | None,
    default: bool,
    locked: bool,
    file: str | None,
    identity: bool,
    post_quantum: bool,
    words: int | None,
) -> None:
    """Make a new random key of 256 bits.

    Anyone who has the key can restore the pictures; without it nobody can, not even you.
    """
    if post_quantum and not identity:
        raise click.UsageError("--post-quantum is for --identity")
    if words is not None and (identity or locked or file is not None):
        raise click.UsageError("--words makes a passphrase; leave out --passphrase and --identity")
    if default:
        if output is not None or words is not None:
            raise click.UsageError("--default makes the default key; leave out -o and --words")
        output = _require_free_default_path()
    elif output is not None:
        require_free(output, secret=True)
    if words is not None:
        _draw_passphrase(words, output)
        return
    key = Identity.generate(post_quantum=post_quantum) if identity else Key.generate()
    passphrase = load_passphrase(SecretOptions(prompt=locked, file=file), confirm=True)
    if passphrase is not None:
        warn_if_guessable(passphrase)
    text = key.to_file_text() if passphrase is None else lock(key, passphrase)
    if output is None:
        _print_key(text, secret=passphrase is None)
    else:
        _store_key(key, text, output, default=default)


def _print_key(text: str, *, secret: bool) -> None:
    """Print a key file to stdout, and warn if stdout is a file that other users may read."""
    if secret:
        warn_if_output_is_readable()
    click.echo(text, nl=False)
    if sys.stdout.isatty():
        say("hint", "'sudokucrypt keygen --default' stores a key that needs no option later")


def _store_key(key: Key | Identity, text: str, output: Path, *, default: bool) -> None:
    """Write a new key file, and print its id or recipient; make the folder of a default key."""
    if default:
        make_private_folder(output.parent)
    write_secret_file(output, text.encode("ascii"))
    description = f"key {key.id}" if isinstance(key, Key) else "the identity"
    say("note", f"{description} is in '{output}'; keep a copy in a safe place")
    if not isinstance(key, Key):
        click.echo(key.recipient.to_text())
    if default and (variable_names := list_key_variables()):
        say("warning", f"{' and '.join(variable_names)} is set, and is used instead of it")


def _require_free_default_path() -> Path:
    """Return the path for the default key; raise `OutputExistsError` if a key is there."""
    try:
        path = get_default_key_path()
    except RuntimeError:
        raise SudokucryptError(
            "there is no home folder for the default key", hint="name a file with -o"
        ) from None
    if exists(path):
        raise OutputExistsError(
            f"there is a default key already: '{path}' exists",
            hint="a key file is never replaced; commands use it without --key",
        )
    return path


def _draw_passphrase(count: int, output: Path | None) -> None:
    """Print a passphrase of random words, or write it to a file."""
    word_list = list_words()
    text = " ".join(secrets.choice(word_list) for _ in range(count))
    if output is None:
        warn_if_output_is_readable()
        click.echo(text)
    else:
        write_secret_file(output, f"{text}\n".encode("ascii"))
    bits = count * log2(len(word_list))
    location = "" if output is None else f" in '{output}'"
    say("note", f"{count} words{location}, each one of {len(word_list):,}: {bits:.0f} bits")


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def key() -> None:
    """Show a key, lock it, print it, split it, or derive the key of one picture."""


@key.command()
@click.argument("name", metavar="KEY", type=options.FILE_TYPE)
@option("--id", "Print only the id of the key.", name="only_id")
def show(*, name: str, only_id: bool) -> None:
    """Check a key, and print its text or its id; of an age identity, print the recipient.

    KEY is a key file, or - for stdin; of a folder or a file with several keys all are printed. The
    passphrase of a locked key is prompted for, or taken from SUDOKUCRYPT_PASSPHRASE.
    """
    loaded_keys = load_keys(SecretOptions(key=(name,)))
    for part in loaded_keys.keys if isinstance(loaded_keys, KeyRing) else [loaded_keys]:
        if only_id and not isinstance(part, Key):
            description = "an identity" if isinstance(part, Identity) else "the key of one picture"
            raise InvalidKeyError(f"{description} has no id")
        if isinstance(part, Identity):
            click.echo(part.recipient.to_text())  # the identity itself is never printed
        else:
            click.echo(part.id if only_id and isinstance(part, Key) else part.to_text())


@key.command()
@click.argument("source", metavar="IN", type=SourcePath())
@options.read_sidecar_option
@options.max_pixels_option
@_output_option
@secret_options
def picture(
    *,
    source: Path,
    secret: SecretOptions,
    sidecar: Path | None,
    max_pixels: int | None,
    output: Path | None,
) -> None:
    """Print the key of one protected picture, to share that picture.

    The key restores IN and no other picture. Anyone who has it can also forge a picture with the
    salt of IN that passes as yours. It cannot be revoked: 'rekey' makes a new copy, but existing
    copies of IN still open.
    """
    # imported here, since it imports NumPy, which other commands for keys do not need
    from sudokucrypt.recipes import picture_key, read_header

    if output is not None:
        require_free(output, secret=True)
    source_key = load_restoring_key(secret, (source,))
    if isinstance(source_key, PictureKey):
        raise make_picture_key_error()
    if isinstance(source_key, KeyRing):
        raise InvalidKeyError("give one key or identity, not several, to get the key of a picture")
    content = InputItem(source).get_file_source()
    header = read_header(content, sidecar=sidecar, max_pixels=max_pixels, undisputed=True)
    text = picture_key(source_key, header).to_text()
    if output is None:
        click.echo(text)
    else:
        write_secret_file(output, f"{text}\n".encode("ascii"))
    say("note", f"anyone who has this key can restore '{source}'")


@key.command()
@click.argument("name", metavar="KEY", type=options.PATH_TYPE)
@option(
    "--passphrase-file F",
    "Read the present passphrase from a file.",
    name="old_file",
    type=options.FILE_TYPE,
)
@option(
    "--new-passphrase-file F",
    "Read the new passphrase from a file.",
    name="new_file",
    type=options.FILE_TYPE,
)
@option("--remove", "Leave the key without a passphrase.")
def passphrase(*, name: Path, old_file: str | None, new_file: str | None, remove: bool) -> None:
    """Set, change or remove the passphrase of a key file.

    The key stays the same. The file is replaced in one step and is readable only by you; copies of
    it keep their old passphrase. Both passphrases are prompted for unless files give them.
    """
    if remove and new_file is not None:
        raise click.UsageError("--remove leaves no passphrase; leave out --new-passphrase-file")
    # Follows a link, so that its target is replaced and not the link.
    path = Path(os.path.realpath(name))
    text = read_key_argument(str(name))
    warn_if_accessible(str(name))
    if not is_locked(text) and (remove or old_file is not None):
        raise click.UsageError(f"'{name}' has no passphrase")
    old_passphrase = (
        read_passphrase(old_file, "passphrase", confirm=False) if is_locked(text) else None
    )
    origin = f"'{name}'"
    stored_key = (
        read_key(text, origin=origin)
        if old_passphrase is None
        else unlock(text, old_passphrase, origin=origin)
    )
    if isinstance(stored_key, PictureKey):
        raise InvalidKeyError("a picture key cannot be locked", hint="lock the key itself")
    if remove:
        new_text = stored_key.to_file_text()
    else:
        new_passphrase = read_passphrase(new_file, "new passphrase", confirm=True)
        warn_if_guessable(new_passphrase)
        new_text = lock(stored_key, new_passphrase)
        # Checked before the only copy is replaced.
        if unlock(new_text, new_passphrase) != stored_key:
            raise SudokucryptError("the locked key does not open again; nothing was changed")
    new_content = _keep_comments(text, new_text).encode()
    write_atomically({path: [new_content]}, replace=True, source_status=FileStatus(mode=0o600))
    outcome = "has no passphrase any more" if remove else "has a new passphrase"
    say("note", f"'{name}' {outcome}; copies of it are unchanged")


def _keep_comments(old_text: str, new_text: str) -> str:
    """Return a new content of a key file with the comments of the old one, except its title."""
    secret_kinds = ("key", "identity")
    titles = {
        f"# sudokucrypt {kind}{ending}"
        for kind in secret_kinds
        for ending in ("", _LOCKED_TITLE_ENDING)
    }
    comments = [line.strip() for line in old_text.splitlines() if line.strip().startswith("#")]
    title, *_ = lines = new_text.splitlines()
    content = [line for line in lines if not line.startswith("#")]
    if not comments:
        return new_text
    return "\n".join([title, *(line for line in comments if line not in titles), *content, ""])


key.add_command(card)
key.add_command(read_card)
key.add_command(split)
key.add_command(join)
