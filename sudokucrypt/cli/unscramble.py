"""``sudokucrypt unscramble``: a scrambled picture file in, the restored one out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.messages import say_done
from sudokucrypt.cli.secret import SecretOptions, secret_options
from sudokucrypt.recipes import unscramble_file

if TYPE_CHECKING:
    from pathlib import Path


@click.command("unscramble")
@options.source_argument
@options.output_option
@options.read_sidecar_option
@options.context_option
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
    context: str | None,
    compress: int | None,
    threads: int | None,
    force: bool,
) -> None:
    """Restore the scrambled picture IN exactly, or say that it cannot be done.

    A wrong key and a changed picture are detected, and then nothing is written.
    """
    target = output or options.default_output(source, "restored")
    report = unscramble_file(
        source,
        target,
        secret.load(),
        sidecar=sidecar,
        context=context,
        compress=1 if compress is None else compress,
        threads=threads,
        replace=force,
    )
    say_done(report, target, named=output is not None)
