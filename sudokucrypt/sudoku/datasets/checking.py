"""What is wrong with the puzzles and solutions of some rows."""

from collections.abc import Iterator, Sequence

import numpy as np

from sudokucrypt.sudoku.datasets.digests import PuzzleDigits
from sudokucrypt.sudoku.datasets.faults import MOST_COUNTED, Fault, FaultKind
from sudokucrypt.sudoku.datasets.rows import Row
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.batch import BatchResult, read_lines, solve_batch

_CELLS = 81
_HOUSES = np.array([house.cells for house in Variant.standard().houses])


def readable(rows: Sequence[Row]) -> tuple[list[Row], PuzzleDigits, list[Fault]]:
    """Return the rows whose puzzles can be read, their digits, and why others cannot."""
    texts = [_symbols((row.pair and row.pair.puzzle) or "") for row in rows]
    whole = [index for index, text in enumerate(texts) if len(text) == _CELLS]
    digits = read_lines([texts[index] for index in whole])
    known = (digits >= 0).all(axis=1)
    good = [whole[index] for index in np.flatnonzero(known)]
    bad = sorted({*range(len(rows))} - {*good})
    return (
        [rows[index] for index in good],
        digits[known],
        [_unreadable(rows[index], texts[index]) for index in bad],
    )


def _unreadable(row: Row, text: str) -> Fault:
    if row.pair is None or row.pair.puzzle is None:
        return Fault(row.line, FaultKind.NO_PUZZLE if row.pair else FaultKind.NO_TEXT)
    kinds = FaultKind.LENGTH, FaultKind.SYMBOL
    return _find_malformed(row.line, text, 0, *kinds) or Fault(row.line, FaultKind.NO_PUZZLE)


def _symbols(text: str) -> str:
    """Return the symbols without white space between them."""
    return text if len(text) == _CELLS else "".join(text.split())


def not_unique(rows: Sequence[Row], puzzles: PuzzleDigits, counts: BatchResult) -> Iterator[Fault]:
    """Yield what is wrong with readable puzzles, whose solutions were counted up to two."""
    for index in np.flatnonzero(counts.counts == 0).tolist():
        twice = _find_repeated(puzzles[index])
        kind = FaultKind.REPEATED if twice else FaultKind.UNSOLVABLE
        yield Fault(rows[index].line, kind, *(twice or ()))
    several = np.flatnonzero(counts.counts > 1)
    # Counted further only here, since nearly all puzzles have one solution.
    exact = solve_batch(puzzles[several], limit=MOST_COUNTED + 1).counts
    for index, count in zip(several.tolist(), exact.tolist(), strict=True):
        yield Fault(rows[index].line, FaultKind.SEVERAL, count)


def wrong_solutions(
    rows: Sequence[Row], puzzles: PuzzleDigits, solved: BatchResult
) -> Iterator[Fault]:
    """Yield what is wrong with the solutions of readable puzzles."""
    texts = [(row.pair and row.pair.solution) or "" for row in rows]
    stated = [index for index, row in enumerate(rows) if row.pair and row.pair.solution is not None]
    whole = np.array([index for index in stated if len(texts[index]) == _CELLS], dtype=np.int64)
    digits = read_lines([texts[index] for index in whole])
    # All that are right at once; the others are looked at one by one.
    right = whole[(digits == solved.first[whole]).all(axis=1) & (solved.counts[whole] == 1)]
    for index in sorted({*stated} - {*right.tolist()}):
        if fault := _wrong(rows[index].line, texts[index], puzzles[index]):
            yield fault


def _wrong(line: int, text: str, puzzle: PuzzleDigits) -> Fault | None:
    """Return what is wrong with a solution, which may be one of several."""
    kinds = FaultKind.SOLUTION_LENGTH, FaultKind.SOLUTION_SYMBOL
    text = _symbols(text)
    if fault := _find_malformed(line, text, 1, *kinds):
        return fault
    digits = read_lines([text])[0]
    if twice := _find_repeated(digits):
        return Fault(line, FaultKind.SOLUTION_REPEATED, *twice)
    for cell in np.flatnonzero((puzzle > 0) & (puzzle != digits)).tolist():
        return Fault(line, FaultKind.SOLUTION_OTHER, int(digits[cell]), cell)
    return None


def _find_malformed(
    line: int, text: str, least: int, length: FaultKind, symbol: FaultKind
) -> Fault | None:
    """Return a fault unless a text has 81 cells with digits of at least this one, open cells 0."""
    if len(text) != _CELLS:
        return Fault(line, length, len(text))
    digits = read_lines([text])[0]
    for cell in np.flatnonzero(digits < least).tolist():
        return Fault(line, symbol, ord(text[cell]), cell + 1)
    return None


def _find_repeated(digits: PuzzleDigits) -> tuple[int, int] | None:
    """Return a digit that a house has twice, and the house."""
    for house, cells in enumerate(digits[_HOUSES].tolist()):
        for digit in range(1, 10):
            if cells.count(digit) > 1:
                return digit, house
    return None
