"""``sudokucrypt decrypt``: an encrypted picture file in, the plain one out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.messages import say_done
from sudokucrypt.cli.secret import SecretOptions, secret_options
from sudokucrypt.recipes import decrypt_file

if TYPE_CHECKING:
    from pathlib import Path


@click.command("decrypt")
@options.source_argument
@options.output_option
@options.read_sidecar_option
@options.compress_option
@options.threads_option
@options.force_option
@secret_options
def command(
    *,
    source: Path,
    output: Path | None,
    secret: SecretOptions,
    sidecar: Path | None,
    compress: int | None,
    threads: int | None,
    force: bool,
) -> None:
    """Decrypt the picture IN exactly, or say that it cannot be done.

    A wrong key and a changed picture are detected, and then nothing is written.
    """
    target = output or options.default_output(source, "decrypted")
    report = decrypt_file(
        source,
        target,
        secret.load(),
        sidecar=sidecar,
        compress=1 if compress is None else compress,
        threads=threads,
        replace=force,
    )
    say_done(report, target, named=output is not None)
