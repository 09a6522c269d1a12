"""``sudokucrypt encrypt``: a picture file in, an encrypted one out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.messages import say_done
from sudokucrypt.cli.secret import SecretOptions, secret_options
from sudokucrypt.recipes import encrypt_file

if TYPE_CHECKING:
    from pathlib import Path


@click.command("encrypt")
@options.source_argument
@options.output_option
@options.rounds_option
@options.deterministic_option
@options.write_sidecar_option
@options.threads_option
@options.force_option
@secret_options
def command(
    *,
    source: Path,
    output: Path | None,
    secret: SecretOptions,
    rounds: int | None,
    deterministic: bool,
    sidecar: bool,
    threads: int | None,
    force: bool,
) -> None:
    """Encrypt the picture IN: the result is a picture of the same shape that looks like noise.

    Shape, depth and the id of the key stay visible, and nothing else.
    """
    target = output or options.default_output(source, "encrypted")
    report = encrypt_file(
        source,
        target,
        secret.load(new=True),
        rounds=rounds,
        deterministic=deterministic,
        sidecar=sidecar,
        threads=threads,
        replace=force,
    )
    say_done(report, target, named=output is not None)
