"""``sudokucrypt sudoku solve`` and ``check``: solve puzzles, and check grids and puzzles."""

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
from sudokucrypt.cli.sudoku.hand_solving import (
    find_difficulty,
    make_candidates_record,
    make_hint_record,
    trace_steps,
)
from sudokucrypt.cli.sudoku.output import (
    OutputFormat,
    ResultOptions,
    ResultRecord,
    list_result_fields,
    output_options,
)
from sudokucrypt.cli.sudoku.puzzle_texts import Failures, PuzzleText, grid_argument, read_puzzles
from sudokucrypt.cli.sudoku.sheet_options import VariantCommand, VariantOptions, add_variant_options
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

_TRACE_SEED = 1  # the seed of the order in which a traced search tries candidates
_BATCH_SIZE = 1 << 16  # maximum number of ordinary 9x9 puzzles that are solved in one call
_MAX_BATCH_COUNT = 1000  # a puzzle with more solutions is not counted in a batch


@dataclass(frozen=True, kw_only=True)
class SolveOptions:
    """The options that choose the printed facts about solutions, and the limits of searches."""

    prints_all: bool
    count: bool
    limit: int | None
    trace: str | None
    prints_hint: bool
    candidates: bool
    patience: int
    budget: int | None

    def choose_format(self, result_options: ResultOptions) -> OutputFormat:
        """Return the form of the results; raise an error for options that contradict each other."""
        contradictions = {
            "--hint prints only a step; leave out --all, --count, --limit and --trace": (
                self.prints_hint and (self.prints_all or self.count or self.limit or self.trace)
            ),
            "--candidates prints candidates; leave out --all, --limit, --trace and --hint": (
                self.candidates
                and (self.prints_all or self.limit or self.trace or self.prints_hint)
            ),
            "--count prints only a number; leave out the other options for output": self.count
            and not self.candidates
            and (self.prints_all or self.trace or result_options.is_given),
            "--budget is for --count; --patience limits other searches": self.budget
            and not self.count,
            "--trace is for the only solution; leave out --all and --limit": self.trace
            and (self.prints_all or self.limit),
        }
        for message, is_contradiction in contradictions.items():
            if is_contradiction:
                raise click.UsageError(message)
        prints_boxes = sys.stdout.isatty() and result_options.writes_to_stdout
        form = (
            "line"
            if self.count and not self.candidates
            else result_options.choose_format("text" if prints_boxes else "line")
        )
        text_only_options = {
            "hint": self.prints_hint,
            "trace": self.trace,
            "candidates": self.candidates,
        }
        name = next((name for name, is_given in text_only_options.items() if is_given), None)
        if name and form in ("png", "svg"):
            raise click.UsageError(f"a picture cannot show --{name}")
        return form

    @property
    def solves_one_by_one(self) -> bool:
        """Whether puzzles are solved separately, since more than the solution is printed."""
        return bool(
            self.trace or self.prints_hint or self.candidates or self.prints_all or self.limit
        )

    def find_solutions(
        self, puzzle: SudokuPuzzle, known_solution: NDArray[np.int8] | None
    ) -> Iterable[SudokuPuzzle]:
        """Return the solutions to print: only the known one, if a batch has found it."""
        if known_solution is not None:
            return [SudokuPuzzle(known_solution, puzzle.variant)]
        patience = _choose_node_limit(puzzle, self.patience)
        if self.prints_all or self.limit:
            return _iterate_solutions(puzzle, self.limit, patience)
        return [sudoku.solve(puzzle, patience=patience)]


class _SolveCommand(VariantCommand):
    """A command whose option ``--trace`` has an optional value, "hand" or "search"."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, after adding "hand" to ``--trace`` without a value."""
        arguments: list[str] = []
        for argument in args:
            if arguments[-1:] == ["--trace"]:
                arguments[-1] = "--trace=hand"
                if argument in ("hand", "search"):
                    arguments[-1] = f"--trace={argument}"
                    continue
            arguments.append(argument)
        if arguments[-1:] == ["--trace"]:
            arguments[-1] = "--trace=hand"
        return super().parse_args(ctx, arguments)


@click.command("solve", cls=_SolveCommand)
@click.argument("text", metavar="PUZZLE")
@add_variant_options
@option_group(
    "options",
    SolveOptions,
    option("--all", "Print all solutions, not just the only one.", name="prints_all"),
    option("--count", "Print how many solutions there are."),
    option("--limit N", "Stop after N solutions.", type=click.IntRange(1)),
    option(
        "--trace [HOW]",
        "Print each step of a solution by hand before the solution; with HOW search, each node of "
        "a search.",
        type=click.Choice(["hand", "search"]),
    ),
    option("--hint", "Print only the next step and its reason.", name="prints_hint"),
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
    form = options.choose_format(output)
    puzzles = read_puzzles(text, rules)
    failures = Failures(puzzles)
    if options.count and not options.candidates:
        for line in _iterate_counts(puzzles, options, failures):
            click.echo(line)
    else:
        output.require_free_output(1)
        writes_lines = form == "line" and "{" not in (output.output or "")
        results = partial(_iterate_results, options=options, form=form, printed_notes=set())
        output.write(
            _iterate_records(puzzles, options, results, failures, writes_lines=writes_lines), form
        )
    failures.exit_if_any()


class _PuzzleBatch(NamedTuple):
    """Consecutive puzzles, and their solutions if they were solved in one batch."""

    puzzles: Sequence[PuzzleText]
    batch_result: BatchResult | None


def _iterate_records(
    puzzles: Sequence[PuzzleText],
    options: SolveOptions,
    results: Callable[[PuzzleText, int, NDArray[np.int8] | None], Iterator[ResultRecord]],
    failures: Failures,
    *,
    writes_lines: bool,
) -> Iterator[ResultRecord]:
    """Yield the results of all puzzles; with `writes_lines`, one record for a whole batch."""
    number = 0
    for batch, batch_result in (
        [_PuzzleBatch([puzzle], None) for puzzle in puzzles]
        if options.solves_one_by_one
        else _iterate_batches(puzzles)
    ):
        if batch_result and writes_lines:
            number += len(batch)
            yield ResultRecord(shown_grids=(), fields={}, lines=format_lines(batch_result.first))
            continue
        for row, source in enumerate(batch):
            number += 1
            with failures.collect_errors(source):
                yield from results(
                    source, number, batch_result.first[row] if batch_result else None
                )


def _iterate_results(
    source: PuzzleText,
    number: int,
    known_solution: NDArray[np.int8] | None,
    *,
    options: SolveOptions,
    form: OutputFormat,
    printed_notes: set[str],
) -> Iterator[ResultRecord]:
    """Yield the results of one puzzle; print a note about its symbols unless printed before."""
    puzzle = source.parse_puzzle()
    note = source.describe_renaming(puzzle.variant.digits)
    if note and note not in printed_notes:
        printed_notes.add(note)
        say("note", note)
    fields = {**list_result_fields(source.rules, puzzle), "givens": puzzle.to_text()}
    if options.candidates:
        patience = _choose_node_limit(puzzle, options.patience)
        yield make_candidates_record(puzzle, fields, with_counts=options.count, patience=patience)
        return
    if options.prints_hint:
        yield make_hint_record(source.make_stored_puzzle(), {**fields, "number": number}, form)
        return
    solutions = options.find_solutions(puzzle, known_solution)
    steps, difficulty_fields = (
        _trace_solution(source, puzzle, options.trace, form) if options.trace else ((), {})
    )
    for solution in solutions:
        solution_fields = {"solution": solution.to_text(), **difficulty_fields, "number": number}
        yield ResultRecord(
            shown_grids=(solution,),
            fields={**fields, **solution_fields},
            steps=steps,
            givens=puzzle,
        )


def _trace_solution(
    source: PuzzleText, puzzle: SudokuPuzzle, trace_kind: str, form: OutputFormat
) -> "tuple[tuple[Step | str, ...], dict[str, Any]]":
    """Return the steps of a solution, by hand or of a search, and the JSON fields about them."""
    if trace_kind == "hand":
        return trace_steps(source.make_stored_puzzle(), form)
    from sudokucrypt.sudoku.methods import format_node

    sudoku.solve(puzzle)  # raises an error if there are several solutions
    lines: list[str] = []
    draw_source = sudoku.seeded_draws(_TRACE_SEED)
    sudoku.random_solution(
        puzzle, draw_source, trace=lambda *node: lines.append(format_node(puzzle.variant, *node))
    )
    return tuple(lines), {}


def _iterate_counts(
    puzzles: Sequence[PuzzleText], options: SolveOptions, failures: Failures
) -> Iterator[str]:
    """Yield the number of solutions of each puzzle, as a line or as several lines of a batch."""
    # Counting one more distinguishes puzzles at the limit from puzzles above it.
    max_count = min(options.limit or _MAX_BATCH_COUNT, _MAX_BATCH_COUNT)
    for batch, batch_result in _iterate_batches(puzzles, max_count + 1):
        if batch_result:
            counts = np.minimum(batch_result.counts, options.limit or _MAX_BATCH_COUNT)
            yield "\n".join(map(str, counts.tolist()))
        else:
            with failures.collect_errors(batch[0]):
                yield str(_count_solutions(batch[0], options))


def _count_solutions(source: PuzzleText, options: SolveOptions) -> int:
    """Return the number of solutions of a puzzle; it is 0 if givens break a rule."""
    try:
        puzzle = source.parse_puzzle()
    except BrokenRuleError:
        return 0
    node_limit = _choose_node_limit(puzzle, options.patience)
    return sudoku.count_solutions(puzzle, options.limit, patience=node_limit, budget=options.budget)


def _iterate_batches(puzzles: Sequence[PuzzleText], limit: int = 2) -> Iterator[_PuzzleBatch]:
    """Yield consecutive ordinary 9x9 puzzles as solved batches, and other puzzles one by one.

    Puzzles with `limit` solutions are also yielded alone, and puzzles without a solution, since
    these may break a rule or have unknown symbols.
    """
    end = 0
    while end < len(puzzles):
        batch_start, rules = end, puzzles[end].rules
        end = batch_start + 1
        if len(puzzles[batch_start].text) != 81 or not is_ordinary(rules.make_variant(81)):
            yield _PuzzleBatch(puzzles[batch_start:end], None)
            continue
        batch_end = min(batch_start + _BATCH_SIZE, len(puzzles))
        end = next(
            (index for index in range(end, batch_end) if not _fits_batch(puzzles[index], rules)),
            batch_end,
        )
        yield from _solve_together(puzzles[batch_start:end], limit)


def _fits_batch(source: PuzzleText, rules: VariantOptions) -> bool:
    return len(source.text) == 81 and (source.rules is rules or source.rules == rules)


def _solve_together(batch: Sequence[PuzzleText], limit: int) -> Iterator[_PuzzleBatch]:
    """Solve a batch of ordinary puzzles; split it at puzzles that must be solved separately."""
    digits = read_lines([source.text for source in batch])
    # A puzzle with unknown symbols gets equal digits, so that it has no solution and is yielded
    # separately.
    digits[(digits < 0).any(axis=1)] = 1
    counts, solutions = sudoku.solve_batch(digits, limit=limit)
    start = 0
    for index in [*np.flatnonzero((counts == 0) | (counts == limit)).tolist(), len(batch)]:
        if start < index:
            yield _PuzzleBatch(
                batch[start:index], BatchResult(counts[start:index], solutions[start:index])
            )
        if index < len(batch):
            yield _PuzzleBatch(batch[index : index + 1], None)
        start = index + 1


def _choose_node_limit(puzzle: SudokuPuzzle, patience: int) -> int | None:
    """Return the number of nodes after which to give up; ordinary 9x9 puzzles have no limit."""
    return None if is_ordinary(puzzle.variant) else patience


def _iterate_solutions(
    puzzle: SudokuPuzzle, limit: int | None, patience: int | None
) -> Iterator[SudokuPuzzle]:
    """Yield the solutions; raise an error if there is none."""
    is_unsolvable = True
    for solution in islice(sudoku.solutions(puzzle, patience=patience), limit):
        yield solution
        is_unsolvable = False
    if is_unsolvable:
        raise NoSolutionError("the puzzle has no solution")


@click.command("check", cls=VariantCommand)
@grid_argument
@add_variant_options
@patience_option
def check_command(*, text: str, rules: VariantOptions, patience: int) -> None:
    """Check GRID: its line form, a file, or - for stdin.

    A full grid must obey every rule; a puzzle must have exactly one solution. The difficulty of a
    single puzzle is printed too; 'sudoku rate' prints that of many.
    """
    puzzles = read_puzzles(text, rules)
    failures = Failures(puzzles)
    for batch, batch_result in _iterate_batches(puzzles):
        if batch_result and len(puzzles) > 1:
            name = batch[0].rules.make_variant(81).name
            verdicts = _format_verdict(name, is_full=False), _format_verdict(name, is_full=True)
            click.echo(
                "\n".join(verdicts[not {*OPEN_SYMBOLS} & {*source.text}] for source in batch)
            )
            continue
        with failures.collect_errors(batch[0]):
            puzzle = batch[0].parse_puzzle()
            verdict = _find_verdict(puzzle, patience)
            is_unsolved = puzzle.number_of_givens < len(puzzle.givens)
            if len(puzzles) == 1 and is_unsolved:
                verdict += f"; {find_difficulty(puzzle)[1]}"
            click.echo(verdict)
    failures.exit_if_any()


def _find_verdict(puzzle: SudokuPuzzle, patience: int) -> str:
    """Return the verdict on a valid grid or puzzle, or raise the error of an invalid one."""
    if puzzle.number_of_givens == len(puzzle.givens):
        return _format_verdict(puzzle.variant.name, is_full=True)
    count = sudoku.count_solutions(puzzle, limit=2, patience=_choose_node_limit(puzzle, patience))
    if count == 0:
        raise NoSolutionError("no rule is broken yet, but the puzzle has no solution")
    if count > 1:
        raise MultipleSolutionsError("no rule is broken, but there are several solutions")
    return _format_verdict(puzzle.variant.name, is_full=False)


def _format_verdict(name: str, *, is_full: bool) -> str:
    return (
        f"valid: a full grid of {name}"
        if is_full
        else f"valid: a puzzle of {name} with one solution"
    )
