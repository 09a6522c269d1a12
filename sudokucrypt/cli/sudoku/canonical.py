"""``sudokucrypt sudoku canonical``: the form that all equivalent grids share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.sudoku.options import box_option
from sudokucrypt.cli.sudoku.texts import grid_argument, read_grid
from sudokucrypt.sudoku import canonical_form

if TYPE_CHECKING:
    from sudokucrypt.typing import Box


@click.command("canonical")
@grid_argument
@box_option
@click.option("--json", "as_json", is_flag=True, help="Print the number of automorphisms too.")
def command(*, text: str, box: Box | None, as_json: bool) -> None:
    """Print the first grid, in reading order, among all that are essentially the same as GRID."""
    form = canonical_form(read_grid(text, box))
    line = form.grid.to_text()
    if as_json:
        click.echo(json.dumps({"canonical": line, "automorphisms": form.automorphisms}))
    else:
        click.echo(line)
