"""``sudokucrypt scramble``: pictures in, scrambled ones out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli import options
from sudokucrypt.cli.keys.secret import SecretOptions, secret_options
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.pictures.batch import BatchOptions, batch_options, run
from sudokucrypt.cli.pictures.regions import RegionOptions, region_options
from sudokucrypt.recipes import scramble_file

if TYPE_CHECKING:
    from sudokucrypt.typing import Unit


@click.command("scramble")
@batch_options
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
@region_options
@options.keep_option
@options.strip_option
@options.write_sidecar_option
@options.compress_option
@secret_options
def command(
    *,
    batch: BatchOptions,
    secret: SecretOptions,
    unit: Unit,
    block_size: int | None,
    rounds: int | None,
    deterministic: bool,
    context: str | None,
    region: RegionOptions,
    keep_metadata: bool,
    strip_metadata: bool,
    sidecar: bool,
    compress: int | None,
) -> None:
    """Scramble pictures: their pixels change places, by a map that only the key gives.

    IN is a file, a folder, or - for stdin. Values do not change, so this hides a picture from
    view but is not encryption. Metadata are sealed.
    """
    region.check(to_stdout=batch.to_stdout)
    key = secret.load_protecting(batch.sources)
    work = partial(
        scramble_file,
        key=key,
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        deterministic=deterministic,
        context=context,
        metadata=options.metadata_choice(keep=keep_metadata, strip=strip_metadata),
        sidecar=sidecar,
        compress=compress or 0,
    )
    reports = run(batch, "scrambled", region.applied(work, batch))
    small = unit == "block" and any(
        max(report.shape[:2]) < 2 * (block_size or 16) for report in reports
    )
    if small:
        say("warning", "no two whole blocks fit into the picture; choose a smaller --block-size")
    if context is not None and (unit != "pixel" or rounds is not None) and not sidecar:
        say("hint", "unit and rounds stand in the file's header; --sidecar keeps a copy of it")
