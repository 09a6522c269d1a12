"""Audits of collections of puzzles: what is wrong with each row, and what they consist of."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidGridError, format_reason
from sudokucrypt.sudoku.datasets.digests import (
    DIGEST,
    PuzzleDigits,
    class_digests,
    class_of_several,
    digest,
)
from sudokucrypt.sudoku.datasets.result import (
    FAULTS,
    MOST_COUNTED,
    Audit,
    Fault,
    FaultKind,
    Ratings,
    Records,
)
from sudokucrypt.sudoku.datasets.rows import PuzzleFile, Row
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.batch import BatchResult, read_lines, solve_batch

_HOUSES = np.array([house.cells for house in Variant.standard().houses])


def readable(rows: Sequence[Row]) -> tuple[list[Row], PuzzleDigits, list[Fault]]:
    """Return the rows whose puzzles can be read, their digits, and why others cannot."""
    texts = [_remove_white_space((row.pair and row.pair.puzzle) or "") for row in rows]
    whole = [index for index, text in enumerate(texts) if len(text) == _CELLS]
    digits = read_lines([texts[index] for index in whole])
    known = (digits >= 0).all(axis=1)
    good = [whole[index] for index in np.flatnonzero(known)]
    bad = sorted({*range(len(rows))} - {*good})
    return (
        [rows[index] for index in good],
        digits[known],
        [_make_unreadable_fault(rows[index], texts[index]) for index in bad],
    )


def _make_unreadable_fault(row: Row, text: str) -> Fault:
    if row.pair is None or row.pair.puzzle is None:
        return Fault(row.line, FaultKind.NO_PUZZLE if row.pair else FaultKind.NO_TEXT)
    kinds = FaultKind.LENGTH, FaultKind.SYMBOL
    return _find_malformed(row.line, text, 0, *kinds) or Fault(row.line, FaultKind.NO_PUZZLE)


def _remove_white_space(text: str) -> str:
    """Return the symbols without white space between them."""
    return text if len(text) == _CELLS else "".join(text.split())


def not_unique(rows: Sequence[Row], puzzles: PuzzleDigits, counts: BatchResult) -> Iterator[Fault]:
    """Yield the faults of readable puzzles, whose solutions were counted up to two."""
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
    """Yield the faults of the solutions of readable puzzles."""
    texts = [(row.pair and row.pair.solution) or "" for row in rows]
    stated = [index for index, row in enumerate(rows) if row.pair and row.pair.solution is not None]
    whole = np.array([index for index in stated if len(texts[index]) == _CELLS], dtype=np.int64)
    digits = read_lines([texts[index] for index in whole])
    # All that are right at once; the others are looked at one by one.
    right = whole[(digits == solved.first[whole]).all(axis=1) & (solved.counts[whole] == 1)]
    for index in sorted({*stated} - {*right.tolist()}):
        if fault := _find_solution_fault(rows[index].line, texts[index], puzzles[index]):
            yield fault


def _find_solution_fault(line: int, text: str, puzzle: PuzzleDigits) -> Fault | None:
    """Return the fault of a solution, which may be one of several."""
    kinds = FaultKind.SOLUTION_LENGTH, FaultKind.SOLUTION_SYMBOL
    text = _remove_white_space(text)
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


PuzzleSource: TypeAlias = str | os.PathLike[str] | BinaryIO

_KEYS = np.dtype(
    [("line", "u8"), *((name, f"S{DIGEST}") for name in ("exact", "puzzle", "solution"))]
)
_CELLS = 81
_BLOCK, _RATED_BLOCK = 1 << 14, 1 << 8  # rows between two looks at the progress


def audit(
    puzzles: PuzzleSource,
    *,
    against: PuzzleSource | None = None,
    rate: bool = False,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Audit:
    r"""Find the faults in a collection of 9x9 puzzles.

    A file has a puzzle on each line, perhaps with its solution behind it; or it is a table with
    named columns, JSON, or an array of NumPy (.npy, or named ones in .npz) of shape (N, 81),
    (N, 9, 9) or of records with such fields. Files are read in blocks, an array of JSON as a
    whole; of each puzzle about 60 bytes are kept. A puzzle takes about 0.1 ms, with ratings some
    milliseconds.

    Two puzzles are the same up to symmetry if exchanges of digits, of lines, bands and stacks and
    transposition make one of the other. That is found for puzzles with one solution to 100; others
    are compared as they are.

    Raises `InvalidGridError` if a file cannot be read, is empty, or is neither a text nor an array
    of puzzles.

    Parameters
    ----------
    puzzles : path or BinaryIO
        The file.
    against : path or BinaryIO, optional
        Another one, such as training data, whose puzzles and solutions must not be in the first;
        what is wrong with it is not reported.
    rate : bool, optional
        Whether to rate the puzzles and count techniques.
    threads : int, optional
        1..1024; by default SUDOKUCRYPT_THREADS, else the cores that this process may use.
    progress : callable, optional
        Gets again and again how many bytes of the file were read, of `against` before the first.

    Examples
    --------
    >>> import io
    >>> line = b"4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"
    >>> turned = bytes(line[9 * column + row] for row in range(9) for column in range(9))
    >>> for fault in audit(io.BytesIO(line + b"\n" + turned + b"\n" + line[:80])):
    ...     print(fault)
    line 2 is the same as line 1 up to symmetry
    line 3 has 80 symbols, not 81
    """
    result = Audit(ratings=Ratings() if rate else None)
    other = None if against is None else _check_rows(against, Audit(), threads, progress)
    keys = _check_rows(puzzles, result, threads, progress)
    faulty = [result.records, _find_duplicates(keys, FaultKind.DUPLICATE, FaultKind.EQUIVALENT)]
    if other is not None:
        result.against = len(other)
        kinds = FaultKind.DUPLICATE_AGAINST, FaultKind.EQUIVALENT_AGAINST
        faulty.append(_find_duplicates(keys, *kinds, other))
        shared = _find_shared_solutions(keys, other)
        result.shared_solutions = len(shared)
        known = faulty[-1]["line"]
        faulty.append(shared[~np.isin(shared["line"], known)])
    one = keys[keys["solution"] != b""]
    result.classes = len(np.unique(one["puzzle"]))
    result.solution_classes = len(np.unique(one["solution"]))
    result.keep(np.concatenate(faulty))
    return result


def _check_rows(
    source: PuzzleSource, result: Audit, threads: int | None, progress: Callable[[int], None]
) -> Records:
    """Check all rows of a file, count them in the result, and return their keys."""
    keys, faults = [np.empty(0, _KEYS)], [result.records]
    with _open_named(source) as file:
        name = str(getattr(file, "name", "the input"))
        rows = PuzzleFile(file, name)
        for block in rows.blocks(_RATED_BLOCK if result.ratings else _BLOCK):
            good, puzzles, records = readable(block)
            solved = solve_batch(puzzles, threads=threads)
            records += [*not_unique(good, puzzles, solved), *wrong_solutions(good, puzzles, solved)]
            faults.append(np.array(records, dtype=FAULTS))
            keys.append(_hash_puzzles(good, puzzles, solved, threads))
            result.count(block, puzzles, solved.counts == 1)
            # A pipe has no position.
            if file.seekable():
                progress(file.tell())
        result.remarks = rows.remarks()
    if full := result.givens[_CELLS]:
        result.remarks.append(f"puzzles without an open cell: {full}")
    if not result.rows:
        raise InvalidGridError(f"'{name}' holds no puzzle")
    result.records = np.concatenate(faults)
    return np.concatenate(keys)


@contextmanager
def _open_named(source: PuzzleSource) -> Iterator[BinaryIO]:
    """Open a file that is given by name, and close only files that were opened here."""
    if not isinstance(source, str | os.PathLike):
        yield source
        return
    try:
        with Path(source).open("rb") as file:
            yield file
    except OSError as error:
        raise InvalidGridError(f"cannot read '{source}': {format_reason(error)}") from None


def _hash_puzzles(
    rows: Sequence[Row], puzzles: PuzzleDigits, solved: BatchResult, threads: int | None
) -> Records:
    """Return the lines of readable puzzles, and digests of their digits and classes."""
    one = solved.counts == 1
    keys = np.zeros(len(rows), dtype=_KEYS)
    keys["line"] = [row.line for row in rows]
    keys["exact"] = [digest(puzzle.tobytes()) for puzzle in puzzles]
    # Without one solution a puzzle has no class here, and is the same as itself alone.
    keys["puzzle"] = keys["exact"]
    keys["puzzle"][one], keys["solution"][one] = class_digests(
        puzzles[one], solved.first[one], threads=threads
    )
    for index in np.flatnonzero(solved.counts > 1).tolist():
        keys["puzzle"][index] = class_of_several(puzzles[index]) or keys["exact"][index]
    return keys


def _find_duplicates(
    keys: Records, exact: FaultKind, equivalent: FaultKind, other: Records | None = None
) -> Records:
    """Return the puzzles that are the same as an earlier one, or as one of the other file."""
    before = keys[:0] if other is None else other
    every = np.concatenate([before, keys])
    earliest = {}
    for name in ("exact", "puzzle"):
        _, first, inverse = np.unique(every[name], return_index=True, return_inverse=True)
        earliest[name] = first[inverse][len(before) :]
    # In the same file each puzzle is the same as itself, elsewhere all that count come before.
    own = np.arange(len(before), len(every)) if other is None else len(before)
    same, like = earliest["exact"] < own, earliest["puzzle"] < own
    records = np.zeros(len(keys), dtype=FAULTS)
    records["line"] = keys["line"]
    records["kind"] = np.where(same, exact, equivalent)
    records["value"] = every["line"][np.where(same, earliest["exact"], earliest["puzzle"])]
    return records[same | like]


def _find_shared_solutions(keys: Records, other: Records) -> Records:
    """Return the puzzles whose solution is that of a puzzle of the other file up to symmetry."""
    solved, own = other[other["solution"] != b""], keys[keys["solution"] != b""]
    classes, first = np.unique(solved["solution"], return_index=True)
    own = own[np.isin(own["solution"], classes)]
    records = np.zeros(len(own), dtype=FAULTS)
    records["line"], records["kind"] = own["line"], FaultKind.SOLUTION_AGAINST
    records["value"] = solved["line"][first[np.searchsorted(classes, own["solution"])]]
    return records
