"""``sudokucrypt sudoku solve`` and ``check``: what puzzles have, and whether they are ones."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import click
import numpy as np
from numpy.typing import NDArray

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.sudoku.failures import Failures
from sudokucrypt.cli.sudoku.hints import hint, traced
from sudokucrypt.cli.sudoku.options import SheetCommand, VariantOptions, variant_options
from sudokucrypt.cli.sudoku.output import OutputOptions, Record, output_options, sheet_fields
from sudokucrypt.cli.sudoku.texts import Written, grid_argument, read_puzzles
from sudokucrypt.errors import (
    BrokenRuleError,
    MultipleSolutionsError,
    NoSolutionError,
)
from sudokucrypt.sudoku import BatchResult, SudokuPuzzle
from sudokucrypt.sudoku.model.text import OPEN_SYMBOLS
from sudokucrypt.sudoku.solving.solver import is_ordinary

patience_option = option(
    "--patience N",
    "Give up after N nodes without another solution; ordinary 9x9 puzzles need no limit.",
    type=click.IntRange(1),
    default=1_000_000,
)

_TOGETHER = 1 << 16  # ordinary 9x9 puzzles that are solved together
_MOST_COUNTED = 1000  # solutions of one that are counted together with those of others

_DIGITS = np.full(256, -1, dtype=np.int8)
_DIGITS[np.frombuffer(b"*_.0123456789", dtype=np.uint8)] = 0, 0, 0, *range(10)


@click.command(cls=SheetCommand)
@click.argument("text", metavar="PUZZLE")
@variant_options
@option("--all", "Print all solutions, not just the only one.", name="every")
@option("--count", "Print how many solutions there are.")
@option("--limit N", "Stop after N solutions.", type=click.IntRange(1))
@option("--trace", "Print each step of a solution by hand before the solution.")
@option("--hint", "Print only the next step and its reason.", name="hinted")
@patience_option
@option(
    "--budget N", "With --count, give up after N nodes, whatever was found.", type=click.IntRange(1)
)
@output_options
def solve(
    *,
    text: str,
    rules: VariantOptions,
    every: bool,
    count: bool,
    limit: int | None,
    trace: bool,
    hinted: bool,
    patience: int,
    budget: int | None,
    output: OutputOptions,
) -> None:
    """Solve PUZZLE: its line form, a file of lines or JSON, or - for stdin.

    Prints the solution in line form. A puzzle with no solution or several is an error, unless you
    use --all, --limit or --count; other puzzles are still solved.
    """
    contradictions = {
        "--hint prints only a step; leave out --all, --count, --limit and --trace": hinted
        and (every or count or limit or trace),
        "--count prints only a number; leave out the other options for output": count
        and (every or trace or output.given),
        "--budget is for --count; --patience limits other searches": budget and not count,
        "--trace is for the only solution; leave out --all and --limit": trace and (every or limit),
    }
    for message, wrong in contradictions.items():
        if wrong:
            raise click.UsageError(message)
    form = "line" if count else output.form("line")
    if (trace or hinted) and form in ("png", "svg"):
        raise click.UsageError(f"a picture cannot show --{'hint' if hinted else 'trace'}")
    puzzles = read_puzzles(text, rules)
    failures = Failures(puzzles)
    if count:
        for counted in _counts(puzzles, limit, patience, budget, failures):
            click.echo(counted)
        failures.end()
        return
    output.check_free(1)
    joined = form == "line" and "{" not in (output.output or "")
    singles = trace or hinted or every or limit
    notes: set[str] = set()

    def records() -> Iterator[Record]:
        number = 0
        for run, solved in (([one], None) for one in puzzles) if singles else _runs(puzzles, 2):
            if solved and joined:
                number += len(run)
                yield Record(shown=(), fields={}, lines=_lines(solved.first))
                continue
            for row, written in enumerate(run):
                number += 1
                with failures.of(written):
                    first = solved.first[row] if solved else None
                    yield from results(written, number, first)

    def results(written: Written, number: int, first: NDArray[np.int8] | None) -> Iterator[Record]:
        puzzle = written.puzzle()
        note = written.renamed(puzzle.variant.digits)
        if note and note not in notes:
            notes.add(note)
            say("note", note)
        found: Iterable[SudokuPuzzle]
        if hinted:
            fields = {**sheet_fields(written.rules, puzzle), "givens": puzzle.to_text()}
            yield hint(puzzle, {**fields, "number": number}, form)
            return
        if first is not None:
            found = [SudokuPuzzle(first, puzzle.variant)]
        elif every or limit:
            found = _solutions(puzzle, limit, _nodes(puzzle, patience))
        else:
            found = [sudoku.solve(puzzle, patience=_nodes(puzzle, patience))]
        steps, graded = traced(puzzle, form) if trace else ((), {})
        for solution in found:
            fields = {}
            if form == "json":
                texts = {"givens": puzzle.to_text(), "solution": solution.to_text()}
                fields = {
                    **sheet_fields(written.rules, puzzle),
                    **texts,
                    **graded,
                    "number": number,
                }
            yield Record(
                shown=(solution,), fields=fields, steps=steps, givens=puzzle, caption=str(number)
            )

    output.write(records(), form)
    failures.end()


def _counts(
    puzzles: Sequence[Written],
    limit: int | None,
    patience: int,
    budget: int | None,
    failures: Failures,
) -> Iterator[str]:
    """Yield how many solutions there are, for one puzzle or several that follow each other."""
    for run, solved in _runs(puzzles, min(limit or _MOST_COUNTED, _MOST_COUNTED) + 1):
        if solved:
            counts = np.minimum(solved.counts, limit or _MOST_COUNTED)
            yield "\n".join(map(str, counts.tolist()))
        else:
            with failures.of(run[0]):
                yield str(_count(run[0], limit, patience, budget))


def _count(written: Written, limit: int | None, patience: int, budget: int | None) -> int:
    """Return how many solutions a puzzle has; givens that break a rule leave none."""
    try:
        puzzle = written.puzzle()
    except BrokenRuleError:
        return 0
    nodes = _nodes(puzzle, patience)
    return sudoku.count_solutions(puzzle, limit, patience=nodes, budget=budget)


def _lines(rows: NDArray[np.int8]) -> str:
    """Write digits 1..9, of shape (N, 81), as N lines."""
    symbols = np.full((len(rows), 82), ord("\n"), dtype=np.uint8)
    symbols[:, :81] = rows + ord("0")
    return symbols.tobytes()[:-1].decode()


def _runs(
    puzzles: Sequence[Written], limit: int
) -> Iterator[tuple[Sequence[Written], BatchResult | None]]:
    """Yield ordinary 9x9 puzzles that follow each other, solved together, and others one by one.

    Those without a solution, which may break a rule or have unknown symbols, and with `limit` of
    them count as others.
    """
    place = 0
    while place < len(puzzles):
        rules, stop = puzzles[place].rules, place + 1
        ordinary = len(puzzles[place].text) == 81 and is_ordinary(rules.variant(81))
        if ordinary:
            most = min(place + _TOGETHER, len(puzzles))
            others = (at for at in range(stop, most) if not _alike(puzzles[at], rules))
            stop = next(others, most)
        run, place = puzzles[place:stop], stop
        if not ordinary:
            yield run, None
            continue
        counts, first = sudoku.solve_batch(_givens(run), limit=limit)
        start = 0
        for odd in [*np.flatnonzero((counts == 0) | (counts == limit)).tolist(), len(run)]:
            if start < odd:
                yield run[start:odd], BatchResult(counts[start:odd], first[start:odd])
            if odd < len(run):
                yield run[odd : odd + 1], None
            start = odd + 1


def _alike(written: Written, rules: VariantOptions) -> bool:
    return len(written.text) == 81 and (written.rules is rules or written.rules == rules)


def _givens(puzzles: Sequence[Written]) -> NDArray[np.int8]:
    """Read 9x9 puzzles, shape (N, 81); one with unknown symbols becomes one without a solution."""
    symbols = "".join([p.text for p in puzzles]).encode("latin-1", "replace")
    digits = _DIGITS[np.frombuffer(symbols, dtype=np.uint8)].reshape(-1, 81)
    digits[(digits < 0).any(axis=1)] = 1
    return digits


def _nodes(puzzle: SudokuPuzzle, patience: int) -> int | None:
    """Return after how many nodes to give up; what is solved together has no limit either."""
    return None if is_ordinary(puzzle.variant) else patience


def _solutions(
    puzzle: SudokuPuzzle, limit: int | None, patience: int | None
) -> Iterator[SudokuPuzzle]:
    """Yield what there is, and complain if that is nothing."""
    found = False
    for solution in islice(sudoku.solutions(puzzle, patience=patience), limit):
        yield solution
        found = True
    if not found:
        raise NoSolutionError("the puzzle has no solution")


@click.command(cls=SheetCommand)
@grid_argument
@variant_options
@patience_option
def check(*, text: str, rules: VariantOptions, patience: int) -> None:
    """Check GRID: its line form, a file, or - for stdin.

    A full grid must obey every rule; a puzzle must have exactly one solution.
    """
    puzzles = read_puzzles(text, rules)
    failures = Failures(puzzles)
    for run, solved in _runs(puzzles, 2):
        if solved:
            name = run[0].rules.variant(81).name
            said = f"valid: a puzzle of {name} with one solution", f"valid: a full grid of {name}"
            click.echo("\n".join(said[not {*OPEN_SYMBOLS} & {*p.text}] for p in run))
            continue
        with failures.of(run[0]):
            click.echo(_verdict(run[0].puzzle(), patience))
    failures.end()


def _verdict(puzzle: SudokuPuzzle, patience: int) -> str:
    """Return what a good puzzle or grid is, or raise what is wrong."""
    if puzzle.number_of_givens == len(puzzle.givens):
        return f"valid: a full grid of {puzzle.variant.name}"
    count = sudoku.count_solutions(puzzle, limit=2, patience=_nodes(puzzle, patience))
    if count == 0:
        raise NoSolutionError("no rule is broken yet, but the puzzle has no solution")
    if count > 1:
        raise MultipleSolutionsError("no rule is broken, but there are several solutions")
    return f"valid: a puzzle of {puzzle.variant.name} with one solution"
