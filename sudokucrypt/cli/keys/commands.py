"""``sudokucrypt keygen`` and ``sudokucrypt key``: make keys, inspect them, and share them."""

import os
import stat
from pathlib import Path

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.extensions import Group, option
from sudokucrypt.cli.inputs import Item, SourcePath
from sudokucrypt.cli.keys.card import card, read_card
from sudokucrypt.cli.keys.caution import warn_if_guessable
from sudokucrypt.cli.keys.secret import SecretOptions, secret_options
from sudokucrypt.cli.messages import say
from sudokucrypt.errors import InvalidKeyError
from sudokucrypt.keys import Key, lock
from sudokucrypt.storage import require_free, write_secret

_output_option = option(
    "-o, --output KEY",
    "A new file, readable only by you. By default the key goes to stdout.",
    type=options.PATH,
)


@click.command()
@_output_option
@option("--passphrase", "Lock the key with a passphrase.", name="locked")
@option(
    "--passphrase-file F",
    "Lock the key with the passphrase in a file.",
    name="file",
    type=options.FILE,
)
def keygen(*, output: Path | None, locked: bool, file: str | None) -> None:
    """Make a new random key of 256 bits.

    Anyone who has the key can restore the pictures; without it nobody can, not even you.
    """
    if output is not None:
        require_free(output, secret=True)
    made = Key.generate()
    passphrase = SecretOptions(prompt=locked, file=file).passphrase(confirm=True)
    if passphrase is not None:
        warn_if_guessable(passphrase)
    text = made.to_file_text() if passphrase is None else lock(made, passphrase)
    if output is None:
        if passphrase is None:
            _warn_if_readable()
        click.echo(text, nl=False)
    else:
        write_secret(output, text.encode("ascii"))
        say("note", f"key {made.id} is in '{output}'; keep a copy in a safe place")


def _warn_if_readable() -> None:
    """Warn when stdout is a file that other users of this computer may read."""
    try:
        mode = os.fstat(1).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode) and mode & (stat.S_IRGRP | stat.S_IROTH):
        say("warning", "the key goes to a file that others may read; 'keygen -o FILE' is safer")


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def key() -> None:
    """Show a key, print it as a card, or derive the key of one picture."""


@key.command()
@click.argument("place", metavar="KEY", type=options.FILE)
@option("--id", "Print only the id of the key.", name="only_id")
def show(*, place: str, only_id: bool) -> None:
    """Check a key, and print its text or its id.

    KEY is a key file, or - for stdin. The passphrase of a locked key is prompted for, or taken from
    SUDOKUCRYPT_PASSPHRASE.
    """
    found = SecretOptions(key=place).load_key()
    if only_id and not isinstance(found, Key):
        raise InvalidKeyError("the key of one picture has no id")
    click.echo(found.id if only_id and isinstance(found, Key) else found.to_text())


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
    from sudokucrypt.recipes import picture_key, read_header  # NumPy, which no other command needs

    if output is not None:
        require_free(output, secret=True)
    master = secret.load_protecting((source,), confirm=False)
    header = read_header(Item(source).content(), sidecar=sidecar, max_pixels=max_pixels)
    text = picture_key(master, header).to_text()
    if output is None:
        click.echo(text)
    else:
        write_secret(output, f"{text}\n".encode("ascii"))
    say("note", f"whoever has this key can restore '{source}'")


key.add_command(card)
key.add_command(read_card)
