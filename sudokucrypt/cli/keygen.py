"""``sudokucrypt keygen``: make a key."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import click

from sudokucrypt.cli.messages import say
from sudokucrypt.keys import Key


@click.command("keygen")
@click.option(
    "-o",
    "--output",
    metavar="KEY",
    type=click.Path(path_type=Path),
    help="A new file, readable by you alone. By default the key goes to stdout.",
)
def command(*, output: Path | None) -> None:
    """Make a new random key of 256 bits.

    Whoever has the key can restore the pictures; without it nobody can, you included.
    """
    key = Key.generate()
    if output is None:
        _warn_if_readable()
        click.echo(key.to_file_text(), nl=False)
    else:
        key.to_file(output)
        say("note", f"key {key.id} is in '{output}'; keep a copy in a safe place")


def _warn_if_readable() -> None:
    """Warn when stdout is a file that other users of this computer may read."""
    try:
        mode = os.fstat(1).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode) and mode & (stat.S_IRGRP | stat.S_IROTH):
        say("warning", "the key goes to a file that others may read; 'keygen -o FILE' is safer")
