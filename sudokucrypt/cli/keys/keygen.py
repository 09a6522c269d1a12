"""``sudokucrypt keygen``: make a key."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import click

from sudokucrypt.cli.keys.secret import SecretOptions
from sudokucrypt.cli.messages import say
from sudokucrypt.keys import Key, lock
from sudokucrypt.storage import require_free, write_secret


@click.command("keygen")
@click.option(
    "-o",
    "--output",
    metavar="KEY",
    type=click.Path(path_type=Path),
    help="A new file, readable by you alone. By default the key goes to stdout.",
)
@click.option("--passphrase", "locked", is_flag=True, help="Lock the key with a passphrase.")
@click.option(
    "--passphrase-file",
    "file",
    metavar="F",
    type=click.Path(),
    help="Lock it with the one in a file.",
)
def command(*, output: Path | None, locked: bool, file: str | None) -> None:
    """Make a new random key of 256 bits.

    Whoever has the key can restore the pictures; without it nobody can, you included.
    """
    if output is not None:
        require_free(output, secret=True)
    key = Key.generate()
    source = SecretOptions(key=None, prompt=locked, file=file, descriptor=None)
    passphrase = source.passphrase(confirm=True)
    text = key.to_file_text() if passphrase is None else lock(key, passphrase)
    if output is None:
        if passphrase is None:
            _warn_if_readable()
        click.echo(text, nl=False)
    else:
        write_secret(output, text.encode("ascii"))
        say("note", f"key {key.id} is in '{output}'; keep a copy in a safe place")


def _warn_if_readable() -> None:
    """Warn when stdout is a file that other users of this computer may read."""
    try:
        mode = os.fstat(1).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode) and mode & (stat.S_IRGRP | stat.S_IROTH):
        say("warning", "the key goes to a file that others may read; 'keygen -o FILE' is safer")
