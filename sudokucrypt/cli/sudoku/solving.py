"""``sudokucrypt sudoku solve`` and ``check``: what puzzles have, and whether they are ones."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.sudoku.hand_solving import difficulty, hint, show_candidates, trace_steps
from sudokucrypt.cli.sudoku.output import (
    Form,
    ResultOptions,
    ResultRecord,
    list_result_fields,
    output_options,
)
from sudokucrypt.cli.sudoku.puzzle_texts import Failures, PuzzleText, grid_argument, read_puzzles
from sudokucrypt.cli.sudoku.sheet_options import SheetCommand, VariantOptions, variant_options
from sudokucrypt.errors import BrokenRuleError, MultipleSolutionsError, NoSolutionError
from sudokucrypt.sudoku import BatchResult, SudokuPuzzle
from sudokucrypt.sudoku.model.text import OPEN_SYMBOLS
from sudokucrypt.sudoku.solving.batch import format_lines, read_lines
from sudokucrypt.sudoku.solving.solver import is_ordinary

if TYPE_CHECKING:
    from sudokucrypt.sudoku import Step

patience_option = option(
    "--patience N",
    "Give up after N nodes without another solution; ordinary 9x9 puzzles need no limit.",
    type=click.IntRange(1),
    default=1_000_000,
)

_TRACED_SEED = 1  # of the order in which a search that is traced tries candidates
_TOGETHER = 1 << 16  # ordinary 9x9 puzzles that are solved together
_MOST_COUNTED = 1000  # solutions of one that are counted together with those of others


@dataclass(frozen=True, kw_only=True)
class SolveOptions:
    """What is printed of the solutions, and when a search is given up."""

    every: bool
    count: bool
    limit: int | None
    trace: str | None
    hinted: bool
    candidates: bool
    patience: int
    budget: int | None

    def form(self, output: ResultOptions) -> Form:
        """Return the form of the results; what does not go together is a mistake."""
        contradictions = {
            "--hint prints only a step; leave out --all, --count, --limit and --trace": self.hinted
            and (self.every or self.count or self.limit or self.trace),
            "--candidates prints candidates; leave out --all, --limit, --trace and --hint": (
                self.candidates and (self.every or self.limit or self.trace or self.hinted)
            ),
            "--count prints only a number; leave out the other options for output": self.count
            and not self.candidates
            and (self.every or self.trace or output.given),
            "--budget is for --count; --patience limits other searches": self.budget
            and not self.count,
            "--trace is for the only solution; leave out --all and --limit": self.trace
            and (self.every or self.limit),
        }
        for message, wrong in contradictions.items():
            if wrong:
                raise click.UsageError(message)
        boxes = sys.stdout.isatty() and output.to_stdout
        form = (
            "line"
            if self.count and not self.candidates
            else output.form("text" if boxes else "line")
        )
        told = {"hint": self.hinted, "trace": self.trace, "candidates": self.candidates}
        name = next((name for name, given in told.items() if given), None)
        if name and form in ("png", "svg"):
            raise click.UsageError(f"a picture cannot show --{name}")
        return form

    @property
    def singly(self) -> bool:
        """Whether more is wanted of a puzzle than its one solution."""
        return bool(self.trace or self.hinted or self.candidates or self.every or self.limit)

    def solutions(
        self, puzzle: SudokuPuzzle, known: NDArray[np.int8] | None
    ) -> Iterable[SudokuPuzzle]:
        """Return the solutions that are printed; `known` is the only one where it is known."""
        if known is not None:
            return [SudokuPuzzle(known, puzzle.variant)]
        patience = _choose_node_limit(puzzle, self.patience)
        if self.every or self.limit:
            return _iterate_solutions(puzzle, self.limit, patience)
        return [sudoku.solve(puzzle, patience=patience)]


class _SolveCommand(SheetCommand):
    """A command whose option ``--trace`` may have a value, which no puzzle is taken for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        words: list[str] = []
        for word in args:
            if words[-1:] == ["--trace"]:
                words[-1] = "--trace=hand"
                if word in ("hand", "search"):
                    words[-1] = f"--trace={word}"
                    continue
            words.append(word)
        if words[-1:] == ["--trace"]:
            words[-1] = "--trace=hand"
        return super().parse_args(ctx, words)


@click.command("solve", cls=_SolveCommand)
@click.argument("text", metavar="PUZZLE")
@variant_options
@option_group(
    "options",
    SolveOptions,
    option("--all", "Print all solutions, not just the only one.", name="every"),
    option("--count", "Print how many solutions there are."),
    option("--limit N", "Stop after N solutions.", type=click.IntRange(1)),
    option(
        "--trace [HOW]",
        "Print each step of a solution by hand before the solution; with HOW search, each node of "
        "a search.",
        type=click.Choice(["hand", "search"]),
    ),
    option("--hint", "Print only the next step and its reason.", name="hinted"),
    option(
        "--candidates",
        "Print the digits that some solution has in each cell; with --count also how many have it.",
    ),
    patience_option,
    option(
        "--budget N",
        "With --count, give up after N nodes, whatever was found.",
        type=click.IntRange(1),
    ),
)
@output_options
def solve_command(
    *, text: str, rules: VariantOptions, options: SolveOptions, output: ResultOptions
) -> None:
    """Solve PUZZLE: its line form, a file of lines or JSON, or - for stdin.

    Prints the solution, on a terminal with ruled boxes and else in line form. A puzzle with no
    solution or several is an error, unless you use --all, --limit, --count or --candidates; other
    puzzles are still solved.
    """
    form = options.form(output)
    puzzles = read_puzzles(text, rules)
    failures = Failures(puzzles)
    if options.count and not options.candidates:
        for counted in _iterate_counts(puzzles, options, failures):
            click.echo(counted)
    else:
        output.check_free(1)
        joined = form == "line" and "{" not in (output.output or "")
        results = partial(_iterate_results, options=options, form=form, notes=set())
        output.write(_iterate_records(puzzles, options, results, failures, joined=joined), form)
    failures.end()


class _Run(NamedTuple):
    """Puzzles that follow each other, and their solutions if they were solved together."""

    puzzles: Sequence[PuzzleText]
    solved: BatchResult | None


def _iterate_records(
    puzzles: Sequence[PuzzleText],
    options: SolveOptions,
    results: Callable[[PuzzleText, int, NDArray[np.int8] | None], Iterator[ResultRecord]],
    failures: Failures,
    *,
    joined: bool,
) -> Iterator[ResultRecord]:
    """Yield the results of all puzzles; with `joined`, one for many that are solved together."""
    count = 0
    for run, solved in (
        [_Run([one], None) for one in puzzles] if options.singly else _iterate_runs(puzzles)
    ):
        if solved and joined:
            count += len(run)
            yield ResultRecord(shown=(), fields={}, lines=format_lines(solved.first))
            continue
        for row, source in enumerate(run):
            count += 1
            with failures.of(source):
                yield from results(source, count, solved.first[row] if solved else None)


def _iterate_results(
    source: PuzzleText,
    number: int,
    known: NDArray[np.int8] | None,
    *,
    options: SolveOptions,
    form: Form,
    notes: set[str],
) -> Iterator[ResultRecord]:
    """Yield what is printed of one puzzle; a note about its symbols comes once."""
    puzzle = source.puzzle()
    note = source.describe_renaming(puzzle.variant.digits)
    if note and note not in notes:
        notes.add(note)
        say("note", note)
    fields = {**list_result_fields(source.rules, puzzle), "givens": puzzle.to_text()}
    if options.candidates:
        patience = _choose_node_limit(puzzle, options.patience)
        yield show_candidates(puzzle, fields, counted=options.count, patience=patience)
        return
    if options.hinted:
        yield hint(source.whole(), {**fields, "number": number}, form)
        return
    solutions = options.solutions(puzzle, known)
    steps, graded = _trace(source, puzzle, options.trace, form) if options.trace else ((), {})
    for solution in solutions:
        own = {"solution": solution.to_text(), **graded, "number": number}
        yield ResultRecord(
            shown=(solution,),
            fields={**fields, **own},
            steps=steps,
            givens=puzzle,
        )


def _trace(
    source: PuzzleText, puzzle: SudokuPuzzle, how: str, form: Form
) -> "tuple[tuple[Step | str, ...], dict[str, Any]]":
    """Return the steps of a solution, by hand or of a search, and what JSON says about them."""
    if how == "hand":
        return trace_steps(source.whole(), form)
    from sudokucrypt.sudoku.methods import format_node

    sudoku.solve(puzzle)  # a puzzle with several solutions has no trace
    nodes: list[str] = []
    draws = sudoku.seeded_draws(_TRACED_SEED)
    sudoku.random_solution(
        puzzle, draws, trace=lambda *node: nodes.append(format_node(puzzle.variant, *node))
    )
    return tuple(nodes), {}


def _iterate_counts(
    puzzles: Sequence[PuzzleText], options: SolveOptions, failures: Failures
) -> Iterator[str]:
    """Yield how many solutions there are, for one puzzle or several that follow each other."""
    # Counted up to one more, which tells a puzzle at the limit from one beyond it.
    most = min(options.limit or _MOST_COUNTED, _MOST_COUNTED)
    for run, solved in _iterate_runs(puzzles, most + 1):
        if solved:
            counts = np.minimum(solved.counts, options.limit or _MOST_COUNTED)
            yield "\n".join(map(str, counts.tolist()))
        else:
            with failures.of(run[0]):
                yield str(_count(run[0], options))


def _count(source: PuzzleText, options: SolveOptions) -> int:
    """Return how many solutions a puzzle has; givens that break a rule leave none."""
    try:
        puzzle = source.puzzle()
    except BrokenRuleError:
        return 0
    nodes = _choose_node_limit(puzzle, options.patience)
    return sudoku.count_solutions(puzzle, options.limit, patience=nodes, budget=options.budget)


def _iterate_runs(puzzles: Sequence[PuzzleText], limit: int = 2) -> Iterator[_Run]:
    """Yield ordinary 9x9 puzzles that follow each other, solved together, and others one by one.

    Those without a solution, which may break a rule or have unknown symbols, and with `limit` of
    them count as others.
    """
    stop = 0
    while stop < len(puzzles):
        start, rules = stop, puzzles[stop].rules
        stop = start + 1
        if len(puzzles[start].text) != 81 or not is_ordinary(rules.variant(81)):
            yield _Run(puzzles[start:stop], None)
            continue
        most = min(start + _TOGETHER, len(puzzles))
        stop = next((at for at in range(stop, most) if not _are_alike(puzzles[at], rules)), most)
        yield from _solve_together(puzzles[start:stop], limit)


def _are_alike(source: PuzzleText, rules: VariantOptions) -> bool:
    return len(source.text) == 81 and (source.rules is rules or source.rules == rules)


def _solve_together(run: Sequence[PuzzleText], limit: int) -> Iterator[_Run]:
    """Solve ordinary puzzles, and part the run at those that need to be looked at alone."""
    digits = read_lines([source.text for source in run])
    # What has an unknown symbol gets equal digits, and so no solution: it is looked at alone.
    digits[(digits < 0).any(axis=1)] = 1
    counts, first = sudoku.solve_batch(digits, limit=limit)
    start = 0
    for odd in [*np.flatnonzero((counts == 0) | (counts == limit)).tolist(), len(run)]:
        if start < odd:
            yield _Run(run[start:odd], BatchResult(counts[start:odd], first[start:odd]))
        if odd < len(run):
            yield _Run(run[odd : odd + 1], None)
        start = odd + 1


def _choose_node_limit(puzzle: SudokuPuzzle, patience: int) -> int | None:
    """Return after how many nodes to give up; what is solved together has no limit either."""
    return None if is_ordinary(puzzle.variant) else patience


def _iterate_solutions(
    puzzle: SudokuPuzzle, limit: int | None, patience: int | None
) -> Iterator[SudokuPuzzle]:
    """Yield the solutions; none at all is an error."""
    empty = True
    for solution in islice(sudoku.solutions(puzzle, patience=patience), limit):
        yield solution
        empty = False
    if empty:
        raise NoSolutionError("the puzzle has no solution")


@click.command("check", cls=SheetCommand)
@grid_argument
@variant_options
@patience_option
def check_command(*, text: str, rules: VariantOptions, patience: int) -> None:
    """Check GRID: its line form, a file, or - for stdin.

    A full grid must obey every rule; a puzzle must have exactly one solution. The difficulty of a
    single puzzle is printed too; 'sudoku rate' prints that of many.
    """
    puzzles = read_puzzles(text, rules)
    failures = Failures(puzzles)
    for run, solved in _iterate_runs(puzzles):
        if solved and len(puzzles) > 1:
            name = run[0].rules.variant(81).name
            verdicts = _check_validity(name, full=False), _check_validity(name, full=True)
            click.echo("\n".join(verdicts[not {*OPEN_SYMBOLS} & {*p.text}] for p in run))
            continue
        with failures.of(run[0]):
            puzzle = run[0].puzzle()
            verdict = _judge_sheet(puzzle, patience)
            unsolved = puzzle.number_of_givens < len(puzzle.givens)
            if len(puzzles) == 1 and unsolved:
                verdict += f"; {difficulty(puzzle)[1]}"
            click.echo(verdict)
    failures.end()


def _judge_sheet(puzzle: SudokuPuzzle, patience: int) -> str:
    """Return what a good puzzle or grid is, or raise what is wrong."""
    if puzzle.number_of_givens == len(puzzle.givens):
        return _check_validity(puzzle.variant.name, full=True)
    count = sudoku.count_solutions(puzzle, limit=2, patience=_choose_node_limit(puzzle, patience))
    if count == 0:
        raise NoSolutionError("no rule is broken yet, but the puzzle has no solution")
    if count > 1:
        raise MultipleSolutionsError("no rule is broken, but there are several solutions")
    return _check_validity(puzzle.variant.name, full=False)


def _check_validity(name: str, *, full: bool) -> str:
    return (
        f"valid: a full grid of {name}" if full else f"valid: a puzzle of {name} with one solution"
    )
