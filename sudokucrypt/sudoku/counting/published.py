"""Counts of grids that others published and that `count_grids` does not compute, with sources.

Numbers of Latin squares are those of boxes with one row.
"""

from typing import NamedTuple

from sudokucrypt.typing import Box


class PublishedCount(NamedTuple):
    """A number of full grids, and who published it."""

    grids: int
    source: str


_LATIN = "OEIS A002860"

PUBLISHED_COUNTS: dict[Box, PublishedCount] = {
    (1, 1): PublishedCount(1, _LATIN),
    (1, 2): PublishedCount(2, _LATIN),
    (1, 3): PublishedCount(12, _LATIN),
    (1, 4): PublishedCount(576, _LATIN),
    (1, 5): PublishedCount(161280, _LATIN),
    (1, 6): PublishedCount(812851200, _LATIN),
    (1, 7): PublishedCount(61479419904000, _LATIN),
    (1, 8): PublishedCount(108776032459082956800, _LATIN),
    (1, 9): PublishedCount(5524751496156892842531225600, _LATIN),
    (1, 10): PublishedCount(9982437658213039871725064756920320000, _LATIN),
    (1, 11): PublishedCount(
        776966836171770144107444346734230682311065600000,
        "B. D. McKay and I. M. Wanless, On the number of Latin squares, 2005",
    ),
    (2, 4): PublishedCount(29136487207403520, "E. Russell, as in Wikipedia, Mathematics of Sudoku"),
    (2, 5): PublishedCount(
        1903816047972624930994913280000,
        "K. F. Pettersen, as in Wikipedia, Mathematics of Sudoku",
    ),
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

PUBLISHED_X_COUNT = PublishedCount(
    55613393399531520,
    "Mathimagics, SudokuX (Diagonal Sudoku), New Sudoku Players' Forum, 2018, times 9!",
)
"""The number of 9x9 grids in which both diagonals hold every digit."""
