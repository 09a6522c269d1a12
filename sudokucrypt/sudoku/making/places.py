"""Puzzles whose givens are in the places that a user chose."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidGridError, UndecidedError, UnsupportedError
from sudokucrypt.sudoku.making.exchange import FEWEST
from sudokucrypt.sudoku.making.puzzles import Made, full_sheets
from sudokucrypt.sudoku.model.array_interface import OPEN
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.sudoku.solving.batch import solve_batch
from sudokucrypt.sudoku.solving.solver import check_digits, count_solutions, is_ordinary, solve
from sudokucrypt.typing import CellDigits, IntArray, RandomSource

# Counting further than this does not tell better puzzles from worse ones.
_MOST = 2000  # solutions beyond which puzzles are not compared
_EMPTY = ".0_-"
_STUCK = 12  # changes without fewer solutions after which an attempt ends
_NODES = 20_000  # of a search for these solutions


def make_puzzle_at(
    places: str | ArrayLike,
    source: SeedLike = None,
    *,
    variant: Variant | None = None,
    attempts: int = 10,
) -> Made:
    """Make a puzzle with exactly one solution and givens in these places, no others.

    Each attempt takes the givens from a random full sheet, and changes one of them at a time as
    long as that leaves fewer solutions. Not every puzzle with the places is equally likely, and
    some givens may not be needed.

    Parameters
    ----------
    places : str or array_like of bool
        Text with a symbol for each cell in reading order, ``.``, ``0``, ``_`` or ``-`` for an open
        cell and any other for a given, blanks and line ends left out; or an array that is true at
        the givens, as a sheet or with the cells alone.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    variant : Variant, optional
        The rules, by default those of ordinary 9x9 Sudoku.
    attempts : int, optional
        How often to begin, 1 or more.

    Raises
    ------
    InvalidGridError
        If the places do not fit the sheet.
    UnsupportedError
        If there is no such puzzle, as with fewer than 17 places on a 9x9 sheet, or the sheet has
        more than 64 digits.
    UndecidedError
        If none was found, as with few more places.

    Examples
    --------
    >>> puzzle, _ = make_puzzle_at("xx.. ..xx .x.. ..x.", 1, variant=Variant.standard((2, 2)))
    >>> puzzle.number_of_givens
    6
    """
    variant = variant or Variant.standard()
    check_digits(variant.digits)
    wanted = _read(places, variant)
    _refuse_hopeless(wanted, variant)
    given = np.flatnonzero(wanted)
    attempts = checked_integer("the number of attempts", attempts)
    source = as_source(source)
    for _ in range(attempts):
        givens = _improved(full_sheets(variant, source, 1)[0], given, variant, source)
        if givens is not None:
            puzzle = SudokuPuzzle.unchecked(givens, variant)
            return Made(puzzle, solve(puzzle))
    raise UndecidedError(
        f"no puzzle with its givens in these places was found in {attempts} attempts",
        hint="choose more places, or allow more attempts",
    )


def _read(places: str | ArrayLike, variant: Variant) -> NDArray[np.bool_]:
    """Return for each cell whether it is given."""
    if isinstance(places, str):
        array = np.array([symbol not in _EMPTY for symbol in "".join(places.split())])
    else:
        try:
            array = np.asarray(places)
        except ValueError:  # rows of different lengths
            array = np.array(None)
        if array.dtype.kind not in "biu":
            raise InvalidGridError("places are text, or an array of true and false")
        array = array != 0
    if array.shape == variant.shape:
        array = array[variant.positions]
    if array.shape != (len(variant.cells),):
        raise InvalidGridError(
            f"{array.size} places do not fit {variant.name}",
            hint=f"it has {len(variant.cells)} cells",
        )
    return array


def _improved(
    full: CellDigits, given: IntArray, variant: Variant, source: RandomSource
) -> CellDigits | None:
    """Change one given after the other, until there is one solution or no way on."""
    givens = np.full_like(full, OPEN)
    givens[given] = full[given]
    least, stuck = _MOST + 1, 0
    seen = set()
    trials = givens[None].copy()
    while len(trials) and stuck < _STUCK:
        counts = _counts(trials, variant, min(_MOST, 2 * least))
        counts[counts == 0] = _MOST + 1
        fewest = int(counts.min())
        choice = np.flatnonzero(counts == fewest)
        givens[:] = trials[choice[source.below(len(choice))]]
        if fewest == 1:
            return givens
        stuck = 0 if fewest < least else stuck + 1
        least = min(least, fewest)
        # Never go back to a puzzle: with equal counts the walk would turn in circles.
        seen.add(givens.tobytes())
        trials = np.array(
            [other for other in _changed(givens, given, variant) if other.tobytes() not in seen]
        )
    return None


def _changed(givens: CellDigits, given: IntArray, variant: Variant) -> Iterator[CellDigits]:
    """Yield all puzzles with another digit in one place."""
    for cell in given.tolist():
        seen = set(givens[[cell, *variant.peers(cell)]].tolist())
        for digit in range(variant.digits):
            if digit not in seen:
                other = givens.copy()
                other[cell] = digit
                yield other


def _counts(trials: CellDigits, variant: Variant, limit: int) -> IntArray:
    """Return how many solutions each puzzle has, up to a limit; 0 where a short search is lost."""
    if is_ordinary(variant):
        return solve_batch(trials, limit=limit, first=0, empty=OPEN).counts
    counts = []
    for trial in trials:
        try:
            puzzle = SudokuPuzzle.unchecked(trial, variant)
            counts.append(count_solutions(puzzle, limit, budget=_NODES))
        except UndecidedError:
            counts.append(0)
    return np.array(counts)


def _refuse_hopeless(given: NDArray[np.bool_], variant: Variant) -> None:
    """Refuse places that no puzzle with one solution has, for ordinary rules."""
    p, q = variant.box
    if variant != Variant.standard((p, q)):
        return
    fewest = FEWEST if is_ordinary(variant) else variant.digits - 1
    if given.sum() < fewest:
        raise UnsupportedError(
            f"givens in {given.sum()} places leave several solutions",
            hint=f"choose {fewest} places or more",
        )
    sheet = given.reshape(p * q, p * q)
    for lines, size, name in ((sheet, p, "rows"), (sheet.T, q, "columns")):
        empty = np.flatnonzero(~lines.any(axis=1))
        pairs = np.flatnonzero(empty[1:] // size == empty[:-1] // size)
        if len(pairs):
            one, other = empty[pairs[0] : pairs[0] + 2] + 1
            raise UnsupportedError(
                f"{name} {one} and {other} can change places, as both are without givens",
                hint="choose a place in one of them",
            )
