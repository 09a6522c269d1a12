"""``sudokucrypt sudoku audit``: find faults and duplicates in a collection of puzzles."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import click

from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.sudoku.datasets.auditing import audit
from sudokucrypt.sudoku.datasets.result import Audit, Fault, FaultKind, Ratings

_UNIQUENESS_FAULTS = {FaultKind.UNSOLVABLE, FaultKind.SEVERAL}
# Exit codes: the same as those of errors about single puzzles.
_INVALID_EXIT_CODE, _NOT_UNIQUE_EXIT_CODE = 4, 5


@click.command("audit")
@click.argument("file", metavar="FILE")
@option(
    "--against FILE",
    "Report puzzles and solutions that are in this other file too, up to symmetry.",
)
@option("--rate", "Rate all puzzles, and count levels and techniques; that takes longer.")
@option("--json", "Print one object with all figures and faults.", name="as_json")
def command(*, file: str, against: str | None, rate: bool, as_json: bool) -> None:
    """Check a collection of 9x9 puzzles for faults and duplicates.

    FILE is - for stdin, or holds a puzzle on each line, perhaps with its solution, a table with
    named columns, JSON, or arrays of NumPy (.npy, .npz). Reported are rows that hold no puzzle,
    puzzles with no solution or several, wrong solutions, and puzzles that are the same as another
    one, exactly or up to symmetry; with --against also solutions that are in the other file. The
    exit code is 4, or 5 where all that is wrong is the number of solutions.
    """
    if file == against == "-":
        raise click.UsageError("stdin can be only one of the two files; name the other")
    with show_progress_bar("checking puzzles") as advance:
        result = audit(
            _find_source(file),
            against=None if against is None else _find_source(against),
            rate=rate,
            progress=_make_progress_counter(advance, [file, *([against] if against else [])]),
        )
    for part in _iterate_json(result) if as_json else _iterate_report(result):
        click.echo(part)
    if result.faults:
        has_uniqueness_faults_only = {*result.faults} <= _UNIQUENESS_FAULTS
        raise click.exceptions.Exit(
            _NOT_UNIQUE_EXIT_CODE if has_uniqueness_faults_only else _INVALID_EXIT_CODE
        )


def _find_source(name: str) -> str | BinaryIO:
    return sys.stdin.buffer if name == "-" else name


def _make_progress_counter(
    advance: Callable[[int, int], None], names: list[str]
) -> Callable[[int], None]:
    """Return a callback that adds up bytes read of several files for a progress bar.

    The files are read one after another; a smaller number of bytes is the start of the next file.
    """
    total_bytes = sum(Path(name).stat().st_size for name in names if Path(name).is_file())
    finished_bytes = previous_position = 0

    def read(position: int) -> None:
        nonlocal finished_bytes, previous_position
        if position < previous_position:
            finished_bytes += previous_position
        previous_position = position
        advance(finished_bytes + position, total_bytes)

    return read


def _iterate_json(result: Audit) -> Iterator[str]:
    """Yield the lines of one JSON object, in parts since it may contain millions of faults."""
    ratings = result.ratings
    fields: dict[str, Any] = {
        "rows": result.rows,
        "puzzles": result.puzzles,
        "unique": result.unique,
        "solved": result.solved,
        "classes": result.classes,
        "solution_classes": result.solution_classes,
        "against": result.against,
        "shared_solutions": result.shared_solutions if result.against is not None else None,
        "givens": dict(sorted(result.givens.items())),
        **({} if ratings is None else _list_rating_counts(ratings)),
        "remarks": result.remarks,
        "counts": {kind.label: count for kind, count in sorted(result.faults.items())},
    }
    yield f'{json.dumps(fields)[:-1]}, "faults": ['
    separator = ""
    for fault in result:
        yield separator + json.dumps(_list_fields(fault))
        separator = ","
    yield "]}"


def _list_fields(fault: Fault) -> Mapping[str, Any]:
    """Return the JSON fields of a fault."""
    is_duplicate = fault.kind >= FaultKind.DUPLICATE
    related_fields = {"other": fault.value} if is_duplicate else {}
    return {"line": fault.line, "kind": fault.kind.label, **related_fields, "text": str(fault)}


def _list_rating_counts(ratings: Ratings) -> dict[str, dict[str, int]]:
    return {
        "levels": dict(ratings.levels.most_common()),
        "ratings": {str(rating): count for rating, count in sorted(ratings.ratings.items())},
        "techniques": dict(ratings.techniques.most_common()),
        "hardest": dict(ratings.hardest.most_common()),
    }


def _iterate_report(result: Audit) -> Iterator[str]:
    """Yield the lines of the report: numbers, then faults."""
    yield f"rows: {result.rows}, readable puzzles: {result.puzzles}"
    yield f"with one solution: {result.unique}, up to symmetry: {result.classes}"
    yield f"their solutions up to symmetry: {result.solution_classes}"
    if result.solved:
        yield f"with a solution beside it: {result.solved}"
    if result.against is not None:
        yield f"puzzles of the other file: {result.against}"
        yield f"whose solution is in the other file too: {result.shared_solutions}"
    yield f"givens: {_format_counts(dict(sorted(result.givens.items())))}"
    for name, counts in _list_rating_counts(result.ratings).items() if result.ratings else ():
        yield f"{name}: {_format_counts(counts)}"
    yield from (f"remark: {remark}" for remark in result.remarks)
    fault_counts = {kind.label: count for kind, count in sorted(result.faults.items())}
    yield f"faults: {_format_counts(fault_counts)}"
    yield from map(str, result)


def _format_counts(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in counts.items()) or "none"
