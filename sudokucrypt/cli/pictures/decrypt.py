"""``sudokucrypt decrypt``: encrypted pictures in, the plain ones out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.keys.secret import SecretOptions, secret_options
from sudokucrypt.cli.pictures.batch import BatchOptions, batch_options, run
from sudokucrypt.recipes import decrypt_file

if TYPE_CHECKING:
    from pathlib import Path


@click.command("decrypt")
@batch_options
@options.read_sidecar_option
@options.compress_option
@options.max_rounds_option
@secret_options
def command(
    *,
    batch: BatchOptions,
    secret: SecretOptions,
    sidecar: Path | None,
    compress: int | None,
    max_rounds: int,
) -> None:
    """Decrypt pictures exactly, or say that it cannot be done.

    IN is a file, a folder, or - for stdin. A wrong key and a changed picture are detected, and
    then nothing is written.
    """
    key = secret.load(batch.sources)
    level = 1 if compress is None else compress
    work = partial(decrypt_file, key=key, sidecar=sidecar, compress=level, max_rounds=max_rounds)
    run(batch, "decrypted", work)
