"""Puzzles: the givens of any variant, checked against its rules."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import BrokenRuleError, InvalidGridError
from sudokucrypt.sudoku.model.array_interface import (
    OPEN,
    ArrayInterface,
    convert_digits,
    convert_to_integers,
)
from sudokucrypt.sudoku.model.boxes import default_box, find_square_order, get_cell_name
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.jigsaw_maps import draw_regions, read_outlined_map
from sudokucrypt.sudoku.model.text import (
    draw_boxes,
    find_ruled_box,
    format_line,
    get_digit_name,
    make_excerpt,
    read_line,
)
from sudokucrypt.sudoku.model.variant import Variant

if TYPE_CHECKING:
    from sudokucrypt.sudoku.model.sheet_picture import Panel


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class SudokuPuzzle(ArrayInterface):
    """An immutable puzzle: givens and open cells. A puzzle without open cells is a solution.

    NumPy treats it as an array of digits 1..n with 0 in open cells: ``puzzle[0, 0]`` is the digit
    of the top left cell, and ``np.asarray(puzzle)`` contains all cells. The attributes `givens` and
    `cells` contain digits from 0, and -1 in open cells, the form that the engine uses.

    Raises `InvalidGridError` if the cells do not fit the variant, and its subclass
    `BrokenRuleError` if a house contains a digit twice; the message names the first such house.

    Parameters
    ----------
    cells : array_like of shape (rows, columns) or (number of cells,)
        Digits 1..n, and 0 in open cells: either the whole grid, with 0 in its gaps, or only the
        cells in reading order. The array is copied.
    variant : Variant, optional
        The rules; by default ordinary Sudoku with the most nearly square boxes.
    first : {1, 0}, optional
        The lowest digit in `cells`.
    empty : int, optional
        The value of open cells: -1 or more, and none of the digits.

    Examples
    --------
    >>> puzzle = SudokuPuzzle([[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]])
    >>> puzzle
    <SudokuPuzzle 4x4 with 2x2 boxes, 4 givens: 1.....2..3.....4>
    >>> puzzle == SudokuPuzzle.from_text("1... ..2. .3.. ...4")
    True
    """

    givens: NDArray[np.int32]
    variant: Variant

    def __init__(
        self, cells: ArrayLike, variant: Variant | None = None, *, first: int = 1, empty: int = 0
    ) -> None:
        array = convert_to_integers(cells)
        if variant is None:
            variant = Variant.standard(default_box(find_square_order(array.size)))
        if array.shape == variant.shape:
            is_outside = array != empty
            is_outside[variant.positions] = False
            for row, column in np.argwhere(is_outside).tolist():
                raise InvalidGridError(
                    f"{variant.name} has no cell {get_cell_name(row, column)}",
                    hint=f"put {empty} where {variant.name} has no cell",
                )
            array = array[variant.positions]
        if array.shape != (len(variant.cells),):
            sides = "x".join(map(str, variant.shape))
            raise InvalidGridError(
                f"cells of shape {array.shape} do not fit {variant.name}",
                hint=f"give an array of {sides}, or {len(variant.cells)} cells in reading order",
            )
        positions = variant.cells
        self._store_fields(
            convert_digits(
                array,
                variant.digits,
                lambda cell: get_cell_name(*positions[cell]),
                first=first,
                empty=empty,
            ),
            variant,
        )
        self.require_rules(lambda digit: get_digit_name(digit, variant.digits))

    def require_rules(self, name_digit: Callable[[int], str]) -> None:
        """Raise `BrokenRuleError` if a house has a digit twice or a constraint is broken.

        `name_digit` returns the name of a digit in the message.
        """
        digits = self.variant.digits
        places, members = self.variant.memberships
        # Each house has one more count, before the counts of its digits, for its open cells.
        counts = np.bincount(places + self.givens[members], minlength=1)
        counts[:: digits + 1] = 0
        if counts.max() > 1:
            house, digit = divmod(int((counts > 1).argmax()), digits + 1)
            digit -= 1
            raise BrokenRuleError(
                f"{self.variant.houses[house].name} holds {name_digit(digit)} twice",
                hint="take away one of the two givens",
            )
        given_digits = (self.givens + 1).tolist() if self.variant.constraints else []
        for constraint, cells in self.variant.constraint_scopes:
            if all(given_digits[cell] for cell in cells) and not constraint.holds(
                given_digits, self.variant
            ):
                rule = constraint.sentence(self.variant)
                raise BrokenRuleError(f"a constraint is broken: {rule}")

    def _store_fields(self, givens: NDArray[np.int32], variant: Variant) -> None:
        givens.flags.writeable = False
        object.__setattr__(self, "givens", givens)
        object.__setattr__(self, "variant", variant)

    @classmethod
    def wrap_valid(cls, givens: NDArray[np.int32], variant: Variant) -> "SudokuPuzzle":
        """Wrap givens that are valid by construction and referenced nowhere else."""
        puzzle = object.__new__(cls)
        puzzle._store_fields(givens, variant)
        return puzzle

    @classmethod
    def empty(cls, variant: Variant) -> "SudokuPuzzle":
        """Return a puzzle without givens."""
        return cls.wrap_valid(np.full(len(variant.cells), OPEN, dtype=np.int32), variant)

    @classmethod
    def from_grid(cls, grid: SudokuGrid) -> "SudokuPuzzle":
        """Return a full grid as a puzzle without open cells."""
        return cls.wrap_valid(grid.cells.ravel(), Variant.standard(grid.box))

    @property
    def number_of_givens(self) -> int:
        """The number of cells that are not open."""
        return int((self.givens >= 0).sum())

    @property
    def cells(self) -> NDArray[np.int32]:
        """The whole grid, shape (rows, columns): -1 in open cells and in gaps of the grid."""
        cells = np.full(self.variant.shape, OPEN, dtype=np.int32)
        cells[self.variant.positions] = self.givens
        return cells

    def panel(self) -> "Panel":
        """Return the content of pictures of the puzzle; givens are bold if cells are open."""
        from sudokucrypt.sudoku.model.sheet_picture import Panel

        cells = self.cells
        return Panel(self.variant, cells, cells >= 0, bold=bool((self.givens < 0).any()))

    def to_grid(self) -> SudokuGrid:
        """Return a full puzzle as a grid.

        Raises `InvalidGridError` if cells are open, or the variant does not consist of one grid.
        """
        open_count = len(self.givens) - self.number_of_givens
        if open_count:
            cells = "cell" if open_count == 1 else "cells"
            raise InvalidGridError(
                f"the puzzle has {open_count} open {cells}, a grid has none", hint="solve it first"
            )
        if len(self.givens) != self.variant.digits**2:
            raise InvalidGridError(f"{self.variant.name} is not one grid")
        return SudokuGrid(self.cells, self.variant.box, first=0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SudokuPuzzle):
            return NotImplemented
        return self.variant == other.variant and np.array_equal(self.givens, other.givens)

    def __hash__(self) -> int:
        return hash((self.variant.name, self.givens.tobytes()))

    def __repr__(self) -> str:
        text = make_excerpt(self.givens, self.variant.digits)
        return f"<SudokuPuzzle {self.variant.name}, {self.number_of_givens} givens: {text}>"

    def __str__(self) -> str:
        return self.pretty()

    def to_text(self) -> str:
        """Return the line form: one symbol per cell, or spaced numbers for more than 35 digits."""
        return format_line(self.givens.tolist(), self.variant.digits)

    @classmethod
    def from_text(cls, text: str, variant: Variant | None = None) -> "SudokuPuzzle":
        """Read text as `SudokuGrid.from_text` does; an open cell is ``.``, ``0``, ``*`` or ``_``.

        `variant` and errors are the same as in the constructor. Without `variant`, lines between
        boxes in the text decide the boxes, or borders like those of `pretty` decide the regions.
        """
        if variant is None and (regions := read_outlined_map(text)):
            variant = Variant.jigsaw(regions)
        digits, names = read_line(text, order=variant.digits if variant else None)
        if variant is None:
            order = find_square_order(len(digits))
            variant = Variant.standard(find_ruled_box(text, order) or default_box(order))
        if len(digits) != len(variant.cells):
            raise InvalidGridError(
                f"{len(digits)} cells do not fit {variant.name}",
                hint=f"it has {len(variant.cells)} cells",
            )
        puzzle = cls.wrap_valid(np.array(digits, dtype=np.int32), variant)
        puzzle.require_rules(names.__getitem__)
        return puzzle

    def pretty(self) -> str:
        """Return the puzzle as several lines of text with lines between its boxes or regions."""
        if self.variant.regions:
            return draw_regions(self.cells.tolist(), self.variant.map_houses("border"))
        rows, columns = self.variant.shape
        digits = dict(zip(self.variant.cells, self.givens.tolist(), strict=True))
        lines = [[digits.get((row, column)) for column in range(columns)] for row in range(rows)]
        return draw_boxes(lines, self.variant.box, self.variant.digits)


# The types of puzzles as arguments; a text or an array gets the rules of ordinary Sudoku.
PuzzleLike: TypeAlias = SudokuPuzzle | SudokuGrid | str | ArrayLike

# The types of full grids, such as solutions, as arguments; no cell may be open.
GridLike: TypeAlias = PuzzleLike


def as_puzzle(puzzle: PuzzleLike) -> SudokuPuzzle:
    """Convert an argument to a puzzle; errors are the same as in the constructors."""
    if isinstance(puzzle, SudokuGrid):
        return SudokuPuzzle.from_grid(puzzle)
    if isinstance(puzzle, str):
        return SudokuPuzzle.from_text(puzzle)
    return puzzle if isinstance(puzzle, SudokuPuzzle) else SudokuPuzzle(puzzle)


def as_grid(grid: GridLike) -> SudokuGrid:
    """Convert an argument to a full grid; errors are the same as in the constructors."""
    if isinstance(grid, SudokuPuzzle):
        return grid.to_grid()
    if isinstance(grid, str):
        return SudokuGrid.from_text(grid)
    return grid if isinstance(grid, SudokuGrid) else SudokuGrid(grid)
