"""``sudokucrypt sudoku unrank``: the grid of a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.sudoku.options import box_option
from sudokucrypt.sudoku import unrank

if TYPE_CHECKING:
    from sudokucrypt.typing import Box


@click.command("unrank", context_settings={"ignore_unknown_options": True})
@click.argument("number", metavar="K", type=int)
@box_option
def command(*, number: int, box: Box | None) -> None:
    """Print the grid number K, counting from 0, in line form."""
    click.echo(unrank(number, box or (3, 3)).to_text())
