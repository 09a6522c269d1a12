"""The arguments that several commands share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from sudokucrypt.errors import InvalidKeyError
from sudokucrypt.keys import Key

_KEY_VARIABLE = "SUDOKUCRYPT_KEY"
_KEY_LIMIT = 64 * 1024

source_argument = click.argument("source", metavar="IN", type=click.Path(path_type=Path))
output_option = click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Where to write; .png, .tiff or .webp (lossless). By default a PNG beside IN.",
)
key_option = click.option(
    "--key",
    metavar="KEY",
    help=f"Key file, or - for stdin. Without it {_KEY_VARIABLE} must hold the text of the key.",
)
context_option = click.option(
    "--context",
    metavar="TEXT",
    help="One permutation per key and context, without a tag: no change is detected.",
)
compress_option = click.option(
    "--compress",
    metavar="LEVEL",
    type=click.IntRange(0, 9),
    help="0..9 for PNG: 0 stores the samples, 9 is slowest. Default: scramble 0, unscramble 1.",
)
threads_option = click.option(
    "--threads",
    metavar="N",
    type=int,
    help="Threads that share the work; by default one for each core.",
)
force_option = click.option("--force", is_flag=True, help="Replace existing output.")


def load_key(place: str | None) -> Key:
    """Read the key from a file, stdin or the environment, in this order.

    Raises
    ------
    click.UsageError
        If no key was given, or the key itself stands in the arguments.
    InvalidKeyError
        If what was given is not a key.
    """
    if place is None:
        text = os.environ.get(_KEY_VARIABLE)
        if not text:
            raise click.UsageError(
                f"no key: give --key FILE or set {_KEY_VARIABLE} ('sudokucrypt keygen' makes one)"
            )
        return Key.from_text(text)
    if place.upper().startswith("SUDOKUCRYPT-KEY-"):
        raise click.UsageError(
            "the key itself stands in the arguments, where others can read it; "
            f"put it in a file or in {_KEY_VARIABLE}"
        )
    if place == "-":
        data = sys.stdin.buffer.read(_KEY_LIMIT)
        try:
            return Key.from_text(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise InvalidKeyError("stdin does not hold a key: it is not text") from None
    return Key.from_file(place)


def default_output(source: Path, word: str) -> Path:
    """Return the PNG beside `source` whose name says what was done to it."""
    stem = source.stem.removesuffix(".scrambled")
    return source.with_name(f"{stem}.{word}.png")
