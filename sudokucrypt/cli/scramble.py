"""``sudokucrypt scramble``: a picture file in, a scrambled one out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.messages import say, say_done
from sudokucrypt.cli.secret import SecretOptions, secret_options
from sudokucrypt.recipes import scramble_file

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.typing import Unit


@click.command("scramble")
@options.source_argument
@options.output_option
@click.option(
    "--unit",
    type=click.Choice(["pixel", "sample", "block"]),
    default="pixel",
    show_default=True,
    help="What moves as a whole.",
)
@click.option("--block-size", metavar="B", type=int, help="Side of a block in pixels; default 16.")
@options.rounds_option
@options.deterministic_option
@options.context_option
@options.write_sidecar_option
@options.compress_option
@options.threads_option
@options.force_option
@secret_options
def command(
    *,
    source: Path,
    output: Path | None,
    secret: SecretOptions,
    unit: Unit,
    block_size: int | None,
    rounds: int | None,
    deterministic: bool,
    context: str | None,
    sidecar: bool,
    compress: int | None,
    threads: int | None,
    force: bool,
) -> None:
    """Scramble the picture IN: its pixels change places, by a map that only the key gives.

    Values do not change, so this hides a picture from view but is not encryption.
    """
    target = output or options.default_output(source, "scrambled")
    report = scramble_file(
        source,
        target,
        secret.load(new=True),
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        deterministic=deterministic,
        context=context,
        sidecar=sidecar,
        compress=compress or 0,
        threads=threads,
        replace=force,
    )
    if unit == "block" and max(report.shape[:2]) < 2 * (block_size or 16):
        say("warning", "no two whole blocks fit into the picture; choose a smaller --block-size")
    if context is not None and (unit != "pixel" or rounds is not None) and not sidecar:
        say("hint", "unit and rounds stand in the file's header; --sidecar keeps a copy of it")
    say_done(report, target, named=output is not None)
