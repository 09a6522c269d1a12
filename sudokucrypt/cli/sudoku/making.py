"""``sudokucrypt sudoku generate`` and ``puzzle``: full grids, and puzzles with one solution."""

from collections.abc import Callable, Iterator

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import progress_bar
from sudokucrypt.cli.sudoku import options
from sudokucrypt.cli.sudoku.hints import difficulty
from sudokucrypt.cli.sudoku.output import OutputOptions, Record, output_options, sheet_fields
from sudokucrypt.cli.sudoku.puzzles import PuzzleOptions, puzzle_options
from sudokucrypt.cli.sudoku.texts import read_solution
from sudokucrypt.sudoku.methods import METHODS, Make
from sudokucrypt.typing import RandomSource


@click.command(cls=options.SheetCommand)
@options.variant_options
@options.seed_option
@option(
    "--method",
    "By default uniform where all grids are numbered (9x9 and most smaller ones), search up "
    "to order 25, stir beyond.",
    type=click.Choice(METHODS),
)
@option("--amount N", "Stir with N moves for each row; by default 20.", type=click.IntRange(0))
@option("--trace", "Print the steps before each grid (search, rows, boxes and cells only).")
@options.count_option
@output_options
def generate(
    *,
    rules: options.VariantOptions,
    seed: int | None,
    method: str | None,
    amount: int | None,
    trace: bool,
    count: int,
    output: OutputOptions,
) -> None:
    """Make full grids.

    The method uniform makes all grids equally likely. rows, boxes and cells are historical methods,
    and search always fills a cell with the fewest candidates; all four can make any grid, but some
    more often than others. stir and shuffle make grids of any order; those of shuffle are all
    equivalent to one grid.
    """
    form = output.form("text")
    if trace and form in ("png", "svg"):
        raise click.UsageError("a picture cannot show --trace")
    name, make = _method(rules, method, amount, trace=trace)
    output.check_free(count)
    seed, source = options.seeded(seed)

    def records() -> Iterator[Record]:
        with progress_bar("making grids") as advance:
            for number in range(1, count + 1):
                steps: list[str] = []
                sheet = make(source, steps.append if trace else None, amount)
                advance(number, count)
                fields = {
                    **sheet_fields(rules, sheet),
                    "grid": sheet.to_text(),
                    "method": name,
                    "seed": seed,
                    "number": number,
                }
                yield Record(shown=(sheet,), fields=fields, steps=tuple(steps), caption=str(number))

    output.write(records(), form)


def _method(
    rules: options.VariantOptions, method: str | None, amount: int | None, *, trace: bool
) -> tuple[str, Make]:
    """Return the method that makes the sheets, by default the one that suits them best."""
    if amount is not None and method not in (None, "stir"):
        raise click.UsageError(f"--amount is for stirring, not for '{method}'")
    methods = rules.kind.methods_for(rules.shape)
    chosen = "stir" if amount is not None else method or next(iter(methods))
    if chosen not in methods:
        raise click.UsageError(
            f"'{chosen}' does not make {rules.title}; these do: {', '.join(methods)}"
        )
    if trace and not methods[chosen].traced:
        traced = ", ".join(name for name, other in methods.items() if other.traced)
        others = f"; these have: {traced}" if traced else f", nor has another for {rules.title}"
        raise click.UsageError(f"'{chosen}' has no steps for --trace{others}")
    return chosen, methods[chosen].make


@click.command(cls=options.SheetCommand)
@options.variant_options
@option(
    "--from GRID",
    "Full grid to make the puzzle from: its line form, a file, or - for stdin.",
    name="grid",
)
@options.seed_option
@puzzle_options
@option("--with-solution", "Also write the solution.")
@options.count_option
@output_options
def puzzle(
    *,
    rules: options.VariantOptions,
    grid: str | None,
    seed: int | None,
    wanted: PuzzleOptions,
    with_solution: bool,
    count: int,
    output: OutputOptions,
) -> None:
    """Make puzzles with exactly one solution.

    The number of givens says little about difficulty; --level is defined by the techniques that a
    solution needs. Without --givens, givens are removed as long as the solution stays unique.
    """
    form = output.form("text")
    sheets: Callable[[RandomSource], sudoku.Variant | sudoku.SudokuPuzzle]
    if grid is None:
        sheets = rules.sheets()
    else:
        written = read_solution(grid, rules)
        rules, full = written.rules, written.puzzle()
        sheets = lambda _: full  # noqa: E731  (typed above)
    output.check_free(count)
    seed, source = options.seeded(seed)
    graded = form in ("json", "png", "svg")

    def records() -> Iterator[Record]:
        for number, (unsolved, solution) in enumerate(wanted.made(count, source, sheets), 1):
            levels, words = difficulty(unsolved) if graded else ({}, "")
            fields = {
                **sheet_fields(rules, unsolved),
                "givens": unsolved.to_text(),
                **({"solution": solution.to_text()} if with_solution else {}),
                "number_of_givens": unsolved.number_of_givens,
                **levels,
                "seed": seed,
                "number": number,
            }
            yield Record(
                shown=(unsolved, solution) if with_solution else (unsolved,),
                fields=fields,
                givens=unsolved,
                caption=f"{number}: {words}, {unsolved.number_of_givens} givens",
            )

    output.write(records(), form)
