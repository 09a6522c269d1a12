"""``sudokucrypt sudoku solve`` and ``check``: what puzzles have, and whether they are ones."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.sudoku.options import SheetCommand, VariantOptions, variant_options
from sudokucrypt.cli.sudoku.output import OutputOptions, Record, output_options, sheet_fields
from sudokucrypt.cli.sudoku.texts import Written, grid_argument, read_puzzles
from sudokucrypt.errors import MultipleSolutionsError, NoSolutionError
from sudokucrypt.sudoku import BatchResult, SudokuPuzzle
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
_DIGITS[np.frombuffer(b".0123456789", dtype=np.uint8)] = 0, *range(10)


@click.command(cls=SheetCommand)
@click.argument("text", metavar="PUZZLE")
@variant_options
@option("--all", "Print all solutions, not just the only one.", name="every")
@option("--count", "Print how many solutions there are.")
@option("--limit N", "Stop after N solutions.", type=click.IntRange(1))
@option("--trace", "Before the solution, print each step that leads to it.")
@patience_option
@output_options
def solve(
    *,
    text: str,
    rules: VariantOptions,
    every: bool,
    count: bool,
    limit: int | None,
    trace: bool,
    patience: int,
    output: OutputOptions,
) -> None:
    """Solve PUZZLE: its line form, a file of lines or JSON, or - for stdin.

    Prints the solution in line form. A puzzle without or with several solutions is an error,
    unless --all, --limit or --count asks for what there is.
    """
    if count and (every or trace or output.given):
        raise click.UsageError(
            "--count prints only a number; leave out the other options for output"
        )
    if trace and (every or limit):
        raise click.UsageError("--trace is for the only solution; leave out --all and --limit")
    form = "line" if count else output.form("line")
    if trace and form in ("png", "svg"):
        raise click.UsageError("a picture cannot show --trace")
    puzzles = read_puzzles(text, rules)
    if count:
        for run, solved in _runs(puzzles, min(limit or _MOST_COUNTED, _MOST_COUNTED) + 1):
            if solved:
                counts = np.minimum(solved.counts, limit or _MOST_COUNTED)
                click.echo("\n".join(map(str, counts.tolist())))
            else:
                puzzle = run[0].puzzle()
                nodes = _nodes(puzzle, patience)
                click.echo(sudoku.count_solutions(puzzle, limit, patience=nodes))
        return
    output.check_free(1)
    joined = form == "line" and "{" not in (output.output or "")
    singles = trace or every or limit

    def records() -> Iterator[Record]:
        number = 0
        for run, solved in (([one], None) for one in puzzles) if singles else _runs(puzzles, 2):
            if solved and joined:
                number += len(run)
                yield Record(shown=(), fields={}, lines=_lines(solved.first))
                continue
            for row, written in enumerate(run):
                number += 1
                puzzle = written.puzzle()
                found: Iterable[SudokuPuzzle]
                if solved:
                    found = [SudokuPuzzle(solved.first[row], puzzle.variant)]
                elif every or limit:
                    found = _solutions(puzzle, limit, _nodes(puzzle, patience))
                else:
                    found = [sudoku.solve(puzzle, patience=_nodes(puzzle, patience))]
                steps = tuple(sudoku.deductions(puzzle)) if trace else ()
                for solution in found:
                    fields: dict[str, Any] = {}
                    if form == "json":
                        texts = {"givens": puzzle.to_text(), "solution": solution.to_text()}
                        fields = {**sheet_fields(written.rules, puzzle), **texts, "number": number}
                    yield Record(
                        shown=(solution,),
                        fields=fields,
                        steps=steps,
                        givens=puzzle,
                        caption=str(number),
                    )

    output.write(records(), form)


def _lines(rows: NDArray[np.int8]) -> str:
    """Write digits 1..9, of shape (N, 81), as N lines."""
    symbols = np.full((len(rows), 82), ord("\n"), dtype=np.uint8)
    symbols[:, :81] = rows + ord("0")
    return symbols.tobytes()[:-1].decode()


def _runs(
    puzzles: Sequence[Written], limit: int
) -> Iterator[tuple[Sequence[Written], BatchResult | None]]:
    """Yield ordinary 9x9 puzzles that follow each other, solved together, and others one by one.

    Those without a solution, which may break a rule, and with `limit` of them count as others.
    """
    place = 0
    while place < len(puzzles):
        run = puzzles[place : place + (_TOGETHER if len(puzzles[place].text) == 81 else 1)]
        givens = _givens(run)
        if not len(givens):
            yield run[:1], None
        counts, first = sudoku.solve_batch(givens, limit=limit)
        start = 0
        for odd in [*np.flatnonzero((counts == 0) | (counts == limit)).tolist(), len(givens)]:
            if start < odd:
                yield run[start:odd], BatchResult(counts[start:odd], first[start:odd])
            if odd < len(givens):
                yield run[odd : odd + 1], None
            start = odd + 1
        place += max(1, len(givens))


def _givens(puzzles: Sequence[Written]) -> NDArray[np.int8]:
    """Read ordinary 9x9 puzzles as far as they are all like the first: N of them, shape (N, 81)."""
    rules = puzzles[0].rules
    end = 0
    if len(puzzles[0].text) == 81 and is_ordinary(rules.variant(81)):
        alike = [len(p.text) == 81 and (p.rules is rules or p.rules == rules) for p in puzzles]
        end = alike.index(False) if False in alike else len(alike)
    symbols = "".join([p.text for p in puzzles[:end]]).encode("latin-1", "replace")
    digits = _DIGITS[np.frombuffer(symbols, dtype=np.uint8)].reshape(-1, 81)
    unknown = np.flatnonzero((digits < 0).any(axis=1))
    return digits[: unknown[0]] if len(unknown) else digits


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
    """Check GRID, its line form, a file, or - for stdin.

    A full grid must obey every rule, and a puzzle must have exactly one solution.
    """
    for run, solved in _runs(read_puzzles(text, rules), 2):
        if solved:
            name = run[0].rules.variant(81).name
            said = f"valid: a puzzle of {name} with one solution", f"valid: a full grid of {name}"
            click.echo("\n".join(said["." not in p.text and "0" not in p.text] for p in run))
            continue
        puzzle = run[0].puzzle()
        open_cells = len(puzzle.givens) - puzzle.number_of_givens
        if not open_cells:
            click.echo(f"valid: a full grid of {puzzle.variant.name}")
            continue
        count = sudoku.count_solutions(puzzle, limit=2, patience=_nodes(puzzle, patience))
        if count == 0:
            raise NoSolutionError("no rule is broken yet, but the puzzle has no solution")
        if count > 1:
            raise MultipleSolutionsError("no rule is broken, but there are several solutions")
        click.echo(f"valid: a puzzle of {puzzle.variant.name} with one solution")
