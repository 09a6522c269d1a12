"""Counts that others published and that nothing here computes, with their sources."""

from typing import NamedTuple

from sudokucrypt.typing import Box


class PublishedCount(NamedTuple):
    """A number of full grids, and who published it."""

    grids: int
    source: str


PUBLISHED_COUNTS: dict[Box, PublishedCount] = {
    (2, 6): PublishedCount(
        38296278920738107863746324732012492486187417600000,
        "K. F. Pettersen, New Sudoku Players' Forum, 14 November 2006",
    ),
    (3, 4): PublishedCount(
        81171437193104932746936103027318645818654720000,
        "New Sudoku Players' Forum, 2006, as in Wikipedia, Mathematics of Sudoku",
    ),
}
"""Numbers of grids by the rows and columns of their boxes, the fewer first."""
