"""``sudokucrypt sudoku canonical``, ``count``, ``rank`` and ``unrank``: grids as numbers."""

import json

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import progress_bar
from sudokucrypt.cli.sudoku.options import SheetCommand, VariantOptions, box_option, variant_options
from sudokucrypt.cli.sudoku.texts import grid_argument, read_grid
from sudokucrypt.typing import Box


@click.command()
@grid_argument
@box_option
@option("--json", "Print the number of automorphisms too.", name="as_json")
def canonical(*, text: str, box: Box | None, as_json: bool) -> None:
    """Print the first grid, in reading order, among all that are essentially the same as GRID."""
    form = sudoku.canonical_form(read_grid(text, box))
    line = form.grid.to_text()
    if as_json:
        line = json.dumps({"canonical": line, "automorphisms": form.automorphisms})
    click.echo(line)


@click.command(cls=SheetCommand)
@variant_options
@option("--json", "Print JSON.", name="as_json")
def count(*, rules: VariantOptions, as_json: bool) -> None:
    """Count all grids with boxes of a shape, by computation."""
    with progress_bar("counting") as advance:
        number = rules.kind.count_sheets(rules.shape, progress=advance)
    if as_json:
        box = {} if rules.numbers else {"box": list(rules.shape)}
        fields = {"variant": rules.kind.name, **box, **rules.fields(), "count": number}
        click.echo(json.dumps(fields))
    else:
        click.echo(number)


@click.command()
@grid_argument
@box_option
def rank(*, text: str, box: Box | None) -> None:
    """Print the number of GRID, from 0 on; `unrank` turns it back into the grid."""
    click.echo(sudoku.rank(read_grid(text, box)))


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("number", metavar="K", type=int)
@box_option
def unrank(*, number: int, box: Box | None) -> None:
    """Print the grid number K, counting from 0, in line form."""
    click.echo(sudoku.unrank(number, box or (3, 3)).to_text())
