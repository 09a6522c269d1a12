"""``sudokucrypt sudoku rank``: the number of a grid among all grids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.sudoku.options import box_option
from sudokucrypt.cli.sudoku.texts import grid_argument, read_grid
from sudokucrypt.sudoku import rank

if TYPE_CHECKING:
    from sudokucrypt.typing import Box


@click.command("rank")
@grid_argument
@box_option
def command(*, text: str, box: Box | None) -> None:
    """Print the number of GRID, from 0 on; `unrank` turns it back into the grid."""
    click.echo(rank(read_grid(text, box)))
