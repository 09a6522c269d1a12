"""``sudokucrypt scramble``: a picture file in, a scrambled one out."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from sudokucrypt.recipes import scramble_file

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.typing import Unit


@click.command("scramble")
@source_argument
@output_option
@key_option
@click.option(
    "--unit",
    type=click.Choice(["pixel", "sample", "block"]),
    default="pixel",
    show_default=True,
    help="What moves as a whole.",
)
@click.option("--block-size", metavar="B", type=int, help="Side of a block in pixels; default 16.")
@click.option(
    "--rounds",
    metavar="R",
    type=int,
    help="1..255; by default 2 for large pictures, 3 or 8 for small ones.",
)
@click.option("--deterministic", is_flag=True, help="No salt: equal pictures give equal output.")
@context_option
@click.option("--sidecar", is_flag=True, help="Also write the header to OUT.sudokucrypt.json.")
@compress_option
@threads_option
@force_option
def command(
    *,
    source: Path,
    output: Path | None,
    key: str | None,
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
    target = output or default_output(source, "scrambled")
    report = scramble_file(
        source,
        target,
        load_key(key),
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        deterministic=deterministic,
        context=context,
        sidecar=sidecar,
        compress=0 if compress is None else compress,
        threads=threads,
        replace=force,
    )
    note_left_out(report.left_out)
    if unit == "block" and max(report.shape[:2]) < 2 * (block_size or 16):
        say("warning", "no two whole blocks fit into the picture; choose a smaller --block-size")
    if context is not None and (unit != "pixel" or rounds is not None) and not sidecar:
        say("hint", "unit and rounds stand in the file's header; --sidecar keeps a copy of it")
    if output is None:
        say("note", f"wrote '{target}'")
