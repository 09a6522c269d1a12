"""``sudokucrypt unscramble``: a scrambled picture file in, the restored one out."""

from __future__ import annotations

from pathlib import Path

import click

from sudokucrypt.cli.messages import note_left_out, say
from sudokucrypt.cli.options import (
    compress_option,
    context_option,
    default_output,
    force_option,
    key_option,
    load_key,
    output_option,
    source_argument,
    threads_option,
)
from sudokucrypt.recipes import unscramble_file


@click.command("unscramble")
@source_argument
@output_option
@key_option
@click.option(
    "--sidecar",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Read the header here; by default from IN.sudokucrypt.json or from IN itself.",
)
@context_option
@compress_option
@threads_option
@force_option
def command(
    *,
    source: Path,
    output: Path | None,
    key: str | None,
    sidecar: Path | None,
    context: str | None,
    compress: int | None,
    threads: int | None,
    force: bool,
) -> None:
    """Restore the scrambled picture IN exactly, or say that it cannot be done.

    A wrong key and a changed picture are detected, and then nothing is written.
    """
    target = output or default_output(source, "restored")
    report = unscramble_file(
        source,
        target,
        load_key(key),
        sidecar=sidecar,
        context=context,
        compress=1 if compress is None else compress,
        threads=threads,
        replace=force,
    )
    note_left_out(report.left_out)
    if output is None:
        say("note", f"wrote '{target}'")
