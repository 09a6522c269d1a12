"""``sudokucrypt compare``: schemes side by side on the same pictures."""

from __future__ import annotations

from pathlib import Path

import click

from sudokucrypt.analysis import compare_schemes
from sudokucrypt.cli import options
from sudokucrypt.cli.analysis.output import OutputOptions, output_options
from sudokucrypt.cli.analysis.pictures import level_option, read_images
from sudokucrypt.cli.analysis.schemes import (
    chosen_schemes,
    list_schemes_option,
    own_scheme_option,
    usual_names,
)
from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.reports import comparison_report


@click.command("compare")
@click.argument(
    "sources", metavar="IN...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--schemes",
    metavar="A,B,...",
    help="What to compare, names with commas between; by default scramble, scramble-context, "
    "encrypt, and all schemes of the literature that are here.",
)
@own_scheme_option
@list_schemes_option
@level_option
@click.option(
    "--repeats",
    metavar="N",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="How often a scheme runs to be timed; the least time counts.",
)
@output_options
@options.max_pixels_option
def command(
    *,
    sources: tuple[Path, ...],
    schemes: str | None,
    own: tuple[str, ...],
    level: float,
    repeats: int,
    output: OutputOptions,
    max_pixels: int | None,
) -> None:
    """Compare schemes on the pictures IN, in a table as papers have it.

    A row for each scheme, with figures, verdicts and times; one key for all.
    """
    output.check(sources)
    names = usual_names() if schemes is None else schemes.split(",")
    chosen = chosen_schemes(names, own=own)
    pictures = read_images(sources, max_pixels=max_pixels)
    with progress_bar("comparing") as advance:
        found = compare_schemes(pictures, chosen, level=level, repeats=repeats, progress=advance)
    output.write(comparison_report(found))
