"""``sudokucrypt key``: look at a key."""

from __future__ import annotations

import click

from sudokucrypt.cli.secret import SecretOptions


@click.group("key", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Look at a key."""


@command.command("show")
@click.argument("place", metavar="KEY", type=click.Path())
@click.option("--id", "only_id", is_flag=True, help="Print the id of the key, not the key.")
def show(*, place: str, only_id: bool) -> None:
    """Check the key in the file KEY (or - for stdin) and print its text or its id.

    The passphrase of a locked key is asked for, or taken from SUDOKUCRYPT_PASSPHRASE.
    """
    key = SecretOptions(key=place, prompt=False, file=None, descriptor=None).load_key()
    click.echo(key.id if only_id else key.to_text())
