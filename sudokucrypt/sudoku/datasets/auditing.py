"""Audit collections of puzzles: find the faults of each row, and count properties."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidGridError, format_reason
from sudokucrypt.sudoku.datasets.digests import (
    DIGEST_SIZE,
    PuzzleDigits,
    hash_ambiguous_class,
    hash_bytes,
    hash_classes,
)
from sudokucrypt.sudoku.datasets.result import (
    FAULT_DTYPE,
    MAX_COUNTED_SOLUTIONS,
    Audit,
    Fault,
    FaultKind,
    Ratings,
    Records,
)
from sudokucrypt.sudoku.datasets.rows import PuzzleFile, Row
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.batch import BatchResult, read_lines, solve_batch

_HOUSE_CELLS = np.array([house.cells for house in Variant.standard().houses])


def split_readable_rows(rows: Sequence[Row]) -> tuple[list[Row], PuzzleDigits, list[Fault]]:
    """Return the rows with readable puzzles, their digits, and the faults of all other rows."""
    texts = [_remove_white_space((row.pair and row.pair.puzzle) or "") for row in rows]
    complete_indexes = [index for index, text in enumerate(texts) if len(text) == _CELL_COUNT]
    digits = read_lines([texts[index] for index in complete_indexes])
    is_readable = (digits >= 0).all(axis=1)
    readable_indexes = [complete_indexes[index] for index in np.flatnonzero(is_readable)]
    unreadable_indexes = sorted({*range(len(rows))} - {*readable_indexes})
    return (
        [rows[index] for index in readable_indexes],
        digits[is_readable],
        [_make_unreadable_fault(rows[index], texts[index]) for index in unreadable_indexes],
    )


def _make_unreadable_fault(row: Row, text: str) -> Fault:
    if row.pair is None or row.pair.puzzle is None:
        return Fault(row.line, FaultKind.NO_PUZZLE if row.pair else FaultKind.NO_TEXT)
    kinds = FaultKind.LENGTH, FaultKind.SYMBOL
    return _find_format_fault(row.line, text, 0, *kinds) or Fault(row.line, FaultKind.NO_PUZZLE)


def _remove_white_space(text: str) -> str:
    """Return a text without white space."""
    return text if len(text) == _CELL_COUNT else "".join(text.split())


def find_uniqueness_faults(
    rows: Sequence[Row], puzzles: PuzzleDigits, counts: BatchResult
) -> Iterator[Fault]:
    """Yield the faults of puzzles without exactly one solution; `counts` stops at two."""
    for index in np.flatnonzero(counts.counts == 0).tolist():
        repetition = _find_repeated_digit(puzzles[index])
        kind = FaultKind.REPEATED if repetition else FaultKind.UNSOLVABLE
        yield Fault(rows[index].line, kind, *(repetition or ()))
    ambiguous_indexes = np.flatnonzero(counts.counts > 1)
    # Solutions beyond the second are counted only for these puzzles, since nearly all others have
    # one solution.
    exact_counts = solve_batch(puzzles[ambiguous_indexes], limit=MAX_COUNTED_SOLUTIONS + 1).counts
    for index, count in zip(ambiguous_indexes.tolist(), exact_counts.tolist(), strict=True):
        yield Fault(rows[index].line, FaultKind.SEVERAL, count)


def find_solution_faults(
    rows: Sequence[Row], puzzles: PuzzleDigits, batch_result: BatchResult
) -> Iterator[Fault]:
    """Yield the faults of the solutions that the rows of readable puzzles contain."""
    texts = [(row.pair and row.pair.solution) or "" for row in rows]
    indexes_with_solution = [
        index for index, row in enumerate(rows) if row.pair and row.pair.solution is not None
    ]
    complete_indexes = np.array(
        [index for index in indexes_with_solution if len(texts[index]) == _CELL_COUNT],
        dtype=np.int64,
    )
    digits = read_lines([texts[index] for index in complete_indexes])
    # Correct solutions are found all at once; the others are examined one by one.
    correct_indexes = complete_indexes[
        (digits == batch_result.first[complete_indexes]).all(axis=1)
        & (batch_result.counts[complete_indexes] == 1)
    ]
    for index in sorted({*indexes_with_solution} - {*correct_indexes.tolist()}):
        if fault := _find_solution_fault(rows[index].line, texts[index], puzzles[index]):
            yield fault


def _find_solution_fault(line: int, text: str, puzzle: PuzzleDigits) -> Fault | None:
    """Return the fault of a solution, or None; the puzzle may have several solutions."""
    kinds = FaultKind.SOLUTION_LENGTH, FaultKind.SOLUTION_SYMBOL
    text = _remove_white_space(text)
    if fault := _find_format_fault(line, text, 1, *kinds):
        return fault
    digits = read_lines([text])[0]
    if repetition := _find_repeated_digit(digits):
        return Fault(line, FaultKind.SOLUTION_REPEATED, *repetition)
    for cell in np.flatnonzero((puzzle > 0) & (puzzle != digits)).tolist():
        return Fault(line, FaultKind.SOLUTION_OTHER, int(digits[cell]), cell)
    return None


def _find_format_fault(
    line: int,
    text: str,
    lowest_digit: int,
    length_fault_kind: FaultKind,
    symbol_fault_kind: FaultKind,
) -> Fault | None:
    """Return a fault, or None for 81 digits of at least `lowest_digit` (0 is an open cell)."""
    if len(text) != _CELL_COUNT:
        return Fault(line, length_fault_kind, len(text))
    digits = read_lines([text])[0]
    for cell in np.flatnonzero(digits < lowest_digit).tolist():
        return Fault(line, symbol_fault_kind, ord(text[cell]), cell + 1)
    return None


def _find_repeated_digit(digits: PuzzleDigits) -> tuple[int, int] | None:
    """Return a repeated digit and the number of its house, or None if no house repeats one."""
    for house, cells in enumerate(digits[_HOUSE_CELLS].tolist()):
        for digit in range(1, 10):
            if cells.count(digit) > 1:
                return digit, house
    return None


PuzzleSource: TypeAlias = str | os.PathLike[str] | BinaryIO

_KEY_DTYPE = np.dtype(
    [("line", "u8"), *((name, f"S{DIGEST_SIZE}") for name in ("exact", "puzzle", "solution"))]
)
_CELL_COUNT = 81
_ROWS_PER_BLOCK, _ROWS_PER_RATED_BLOCK = 1 << 14, 1 << 8  # rows between two reports of progress


def audit(
    puzzles: PuzzleSource,
    *,
    against: PuzzleSource | None = None,
    rate: bool = False,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Audit:
    r"""Find the faults in a collection of 9x9 puzzles.

    A file has a puzzle on each line, possibly followed by its solution; or it is a table with named
    columns, JSON, or an array of NumPy (.npy, or named arrays in .npz) of shape (N, 81), (N, 9, 9)
    or of records with such fields. Files are read in blocks, except that an array of JSON is read
    as a whole. Each puzzle needs about 60 bytes of memory and about 0.1 ms, with ratings some
    milliseconds.

    Two puzzles are the same up to symmetry if exchanging digits, lines, bands and stacks, and
    transposing, can change one into the other. This is tested for puzzles with 1 to 100 solutions;
    others are compared digit by digit.

    Raises `InvalidGridError` if a file cannot be read, is empty, or is neither a text nor an array
    of puzzles.

    Parameters
    ----------
    puzzles : path or BinaryIO
        The file.
    against : path or BinaryIO, optional
        Another file, such as training data, whose puzzles and solutions must not occur in the
        first; its own faults are not reported.
    rate : bool, optional
        Whether to rate the puzzles and count techniques.
    threads : int, optional
        The number of threads, 1..1024; by default SUDOKUCRYPT_THREADS, otherwise the number of
        cores that this process may use.
    progress : callable, optional
        Called repeatedly with the number of bytes read so far, first of `against`, then of the
        file.

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
    other_keys = None if against is None else _check_rows(against, Audit(), threads, progress)
    keys = _check_rows(puzzles, result, threads, progress)
    fault_records = [
        result.records,
        _find_duplicates(keys, FaultKind.DUPLICATE, FaultKind.EQUIVALENT),
    ]
    if other_keys is not None:
        result.against = len(other_keys)
        kinds = FaultKind.DUPLICATE_AGAINST, FaultKind.EQUIVALENT_AGAINST
        fault_records.append(_find_duplicates(keys, *kinds, other_keys))
        shared_faults = _find_shared_solutions(keys, other_keys)
        result.shared_solutions = len(shared_faults)
        repeated_lines = fault_records[-1]["line"]
        fault_records.append(shared_faults[~np.isin(shared_faults["line"], repeated_lines)])
    solved_keys = keys[keys["solution"] != b""]
    result.classes = len(np.unique(solved_keys["puzzle"]))
    result.solution_classes = len(np.unique(solved_keys["solution"]))
    result.store_faults(np.concatenate(fault_records))
    return result


def _check_rows(
    source: PuzzleSource, result: Audit, threads: int | None, progress: Callable[[int], None]
) -> Records:
    """Check all rows of a file, add them to the result, and return the digests of all puzzles."""
    keys, faults = [np.empty(0, _KEY_DTYPE)], [result.records]
    with _open_source(source) as file:
        name = str(getattr(file, "name", "the input"))
        rows = PuzzleFile(file, name)
        for block in rows.blocks(_ROWS_PER_RATED_BLOCK if result.ratings else _ROWS_PER_BLOCK):
            readable_rows, puzzles, records = split_readable_rows(block)
            batch_result = solve_batch(puzzles, threads=threads)
            records += [
                *find_uniqueness_faults(readable_rows, puzzles, batch_result),
                *find_solution_faults(readable_rows, puzzles, batch_result),
            ]
            faults.append(np.array(records, dtype=FAULT_DTYPE))
            keys.append(_hash_puzzles(readable_rows, puzzles, batch_result, threads))
            result.count(block, puzzles, batch_result.counts == 1)
            # A pipe has no position to report.
            if file.seekable():
                progress(file.tell())
        result.remarks = rows.remarks()
    if full_grid_count := result.givens[_CELL_COUNT]:
        result.remarks.append(f"puzzles without an open cell: {full_grid_count}")
    if not result.rows:
        raise InvalidGridError(f"'{name}' holds no puzzle")
    result.records = np.concatenate(faults)
    return np.concatenate(keys)


@contextmanager
def _open_source(source: PuzzleSource) -> Iterator[BinaryIO]:
    """Yield the file at a path, closed afterward, or yield a file object, which stays open."""
    if not isinstance(source, str | os.PathLike):
        yield source
        return
    try:
        with Path(source).open("rb") as file:
            yield file
    except OSError as error:
        raise InvalidGridError(f"cannot read '{source}': {format_reason(error)}") from None


def _hash_puzzles(
    rows: Sequence[Row], puzzles: PuzzleDigits, batch_result: BatchResult, threads: int | None
) -> Records:
    """Return for each readable puzzle its line and the digests of its digits and classes."""
    is_unique = batch_result.counts == 1
    keys = np.zeros(len(rows), dtype=_KEY_DTYPE)
    keys["line"] = [row.line for row in rows]
    keys["exact"] = [hash_bytes(puzzle.tobytes()) for puzzle in puzzles]
    # A puzzle with no or too many solutions has no class, so only its exact digits are compared.
    keys["puzzle"] = keys["exact"]
    keys["puzzle"][is_unique], keys["solution"][is_unique] = hash_classes(
        puzzles[is_unique], batch_result.first[is_unique], threads=threads
    )
    for index in np.flatnonzero(batch_result.counts > 1).tolist():
        keys["puzzle"][index] = hash_ambiguous_class(puzzles[index]) or keys["exact"][index]
    return keys


def _find_duplicates(
    keys: Records,
    duplicate_kind: FaultKind,
    equivalent_kind: FaultKind,
    other: Records | None = None,
) -> Records:
    """Return a fault for each puzzle that repeats an earlier puzzle or one of the other file."""
    other_keys = keys[:0] if other is None else other
    all_keys = np.concatenate([other_keys, keys])
    earliest_indexes = {}
    for name in ("exact", "puzzle"):
        _, first_indices, inverse = np.unique(
            all_keys[name], return_index=True, return_inverse=True
        )
        earliest_indexes[name] = first_indices[inverse][len(other_keys) :]
    # Within one file, only earlier puzzles can be originals; in another file, all puzzles can.
    index_limit = np.arange(len(other_keys), len(all_keys)) if other is None else len(other_keys)
    is_exact_copy, is_equivalent = (
        earliest_indexes["exact"] < index_limit,
        earliest_indexes["puzzle"] < index_limit,
    )
    records = np.zeros(len(keys), dtype=FAULT_DTYPE)
    records["line"] = keys["line"]
    records["kind"] = np.where(is_exact_copy, duplicate_kind, equivalent_kind)
    records["value"] = all_keys["line"][
        np.where(is_exact_copy, earliest_indexes["exact"], earliest_indexes["puzzle"])
    ]
    return records[is_exact_copy | is_equivalent]


def _find_shared_solutions(keys: Records, other_keys: Records) -> Records:
    """Return faults of puzzles whose solution is equivalent to a solution in the other file."""
    other_solved_keys = other_keys[other_keys["solution"] != b""]
    solved_keys = keys[keys["solution"] != b""]
    classes, first_indexes = np.unique(other_solved_keys["solution"], return_index=True)
    solved_keys = solved_keys[np.isin(solved_keys["solution"], classes)]
    records = np.zeros(len(solved_keys), dtype=FAULT_DTYPE)
    records["line"], records["kind"] = solved_keys["line"], FaultKind.SOLUTION_AGAINST
    records["value"] = other_solved_keys["line"][
        first_indexes[np.searchsorted(classes, solved_keys["solution"])]
    ]
    return records
