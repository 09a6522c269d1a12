"""``sudokucrypt sudoku count``: how many grids there are."""

from __future__ import annotations

import json

import click

from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.cli.sudoku.rules import VariantOptions, variant_options
from sudokucrypt.sudoku import count_grids, count_samurai_grids, count_x_grids


@click.command("count")
@variant_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, rules: VariantOptions, as_json: bool) -> None:
    """Count all grids with boxes of a shape, by computation."""
    variant = rules.variant()
    counters = {"standard": count_grids, "x": count_x_grids, "samurai": count_samurai_grids}
    with progress_bar("counting") as advance:
        number = counters[rules.kind](variant.box, progress=advance)
    if as_json:
        fields = {"variant": rules.kind, "box": list(variant.box), "count": number}
        click.echo(json.dumps(fields))
    else:
        click.echo(number)
