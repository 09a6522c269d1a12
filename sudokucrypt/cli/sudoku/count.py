"""``sudokucrypt sudoku count``: how many grids there are."""

from __future__ import annotations

import json

import click

from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.cli.sudoku.options import SheetCommand, VariantOptions, variant_options


@click.command("count", cls=SheetCommand)
@variant_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, rules: VariantOptions, as_json: bool) -> None:
    """Count all grids with boxes of a shape, by computation."""
    with progress_bar("counting") as advance:
        number = rules.kind.count_sheets(rules.shape, progress=advance)
    if as_json:
        box = {} if rules.numbers else {"box": list(rules.shape)}
        fields = {"variant": rules.kind.name, **box, **rules.fields(), "count": number}
        click.echo(json.dumps(fields))
    else:
        click.echo(number)
