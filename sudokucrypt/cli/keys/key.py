"""``sudokucrypt key``: look at a key, and take the key of one picture from it."""

from __future__ import annotations

from pathlib import Path

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.inputs import Item, SourcePath
from sudokucrypt.cli.keys.secret import SecretOptions, secret_options
from sudokucrypt.cli.messages import say
from sudokucrypt.errors import InvalidKeyError
from sudokucrypt.keys import Key
from sudokucrypt.recipes import picture_key, read_header
from sudokucrypt.storage import require_free, write_secret


@click.group("key", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Look at a key, or take the key of one picture from it."""


@command.command("show")
@click.argument("place", metavar="KEY", type=click.Path())
@click.option("--id", "only_id", is_flag=True, help="Print the id of the key, not the key.")
def show(*, place: str, only_id: bool) -> None:
    """Check the key in the file KEY (or - for stdin) and print its text or its id.

    The passphrase of a locked key is asked for, or taken from SUDOKUCRYPT_PASSPHRASE.
    """
    key = SecretOptions(key=place, prompt=False, file=None, descriptor=None).load_key()
    if only_id and not isinstance(key, Key):
        raise InvalidKeyError("the key of one picture has no id")
    click.echo(key.id if only_id and isinstance(key, Key) else key.to_text())


@command.command("picture")
@click.argument("source", metavar="IN", type=SourcePath())
@options.read_sidecar_option
@options.max_pixels_option
@click.option(
    "-o",
    "--output",
    metavar="KEY",
    type=click.Path(path_type=Path),
    help="A new file, readable by you alone. By default the key goes to stdout.",
)
@secret_options
def picture(
    *,
    source: Path,
    secret: SecretOptions,
    sidecar: Path | None,
    max_pixels: int | None,
    output: Path | None,
) -> None:
    """Print the key of the one protected picture IN, to share that picture.

    It restores IN and opens nothing else. Whoever has it can also make another picture that
    passes as yours under the salt of IN, and it cannot be taken back: 'rekey' makes a new copy,
    but copies of IN still open.
    """
    if output is not None:
        require_free(output, secret=True)
    key = secret.load_protecting((source,), confirm=False)
    stream = Item(source).stream()
    place = source if stream is None else stream
    header = read_header(place, sidecar=sidecar, max_pixels=max_pixels)
    text = picture_key(key, header).to_text()
    if output is None:
        click.echo(text)
    else:
        write_secret(output, f"{text}\n".encode("ascii"))
    say("note", f"whoever has this key can restore '{source}'")
