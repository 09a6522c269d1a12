"""``sudokucrypt sudoku generate`` and ``puzzle``: make full grids, and make puzzles."""

from collections.abc import Callable, Iterator

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.cli.sudoku.hand_solving import find_difficulty
from sudokucrypt.cli.sudoku.output import (
    ResultOptions,
    ResultRecord,
    is_template,
    list_result_fields,
    output_options,
)
from sudokucrypt.cli.sudoku.puzzle_options import PuzzleOptions, puzzle_options
from sudokucrypt.cli.sudoku.puzzle_texts import read_solution
from sudokucrypt.cli.sudoku.sheet_options import (
    VariantCommand,
    VariantOptions,
    add_variant_options,
    count_option,
    make_random_source,
    seed_option,
)
from sudokucrypt.sudoku.methods import METHOD_NAMES, SheetMaker
from sudokucrypt.typing import RandomSource


@click.command("generate", cls=VariantCommand)
@add_variant_options
@seed_option
@option(
    "--method",
    "By default uniform where all grids are numbered (9x9 and most smaller ones), search up "
    "to order 25, stir beyond.",
    type=click.Choice(METHOD_NAMES),
)
@option("--amount N", "Stir with N moves for each row; by default 20.", type=click.IntRange(0))
@option("--trace", "Print the steps before each grid (search, rows, boxes and cells only).")
@count_option
@output_options
def generate_command(
    *,
    rules: VariantOptions,
    seed: int | None,
    method: str | None,
    amount: int | None,
    trace: bool,
    count: int,
    output: ResultOptions,
) -> None:
    """Make full grids.

    The method uniform makes all grids equally likely. rows, boxes and cells are historical methods,
    and search always fills a cell with the fewest candidates; all four can make any grid, but some
    more often than others. stir and shuffle make grids of any order; those of shuffle are all
    equivalent to one grid.
    """
    output_format = output.choose_format("text")
    if trace and output_format in ("png", "svg"):
        raise click.UsageError("a picture cannot show --trace")
    method_name, make_grid = _choose_method(rules, method, amount, trace=trace)
    output.require_free_output(count)
    seed, source = make_random_source(seed)

    def make_records() -> Iterator[ResultRecord]:
        with show_progress_bar("making grids") as advance:
            for index in range(1, count + 1):
                steps: list[str] = []
                grid = make_grid(source, steps.append if trace else None, amount)
                advance(index, count)
                fields = {
                    **list_result_fields(rules, grid),
                    "grid": grid.to_text(),
                    "method": method_name,
                    "seed": seed,
                    "number": index,
                }
                yield ResultRecord(shown_grids=(grid,), fields=fields, steps=tuple(steps))

    output.write(make_records(), output_format)


def _choose_method(
    rules: VariantOptions, method: str | None, amount: int | None, *, trace: bool
) -> tuple[str, SheetMaker]:
    """Return the name and function of the method for full grids, by default the best one."""
    if amount is not None and method not in (None, "stir"):
        raise click.UsageError(f"--amount is for stirring, not for '{method}'")
    methods = rules.kind.methods_for(rules.shape)
    method_name = "stir" if amount is not None else method or next(iter(methods))
    if method_name not in methods:
        raise click.UsageError(
            f"'{method_name}' does not make {rules.title}; these do: {', '.join(methods)}"
        )
    if trace and not methods[method_name].reports_steps:
        traceable_methods = ", ".join(
            name for name, maker in methods.items() if maker.reports_steps
        )
        hint = (
            f"; these have: {traceable_methods}"
            if traceable_methods
            else f", nor has another for {rules.title}"
        )
        raise click.UsageError(f"'{method_name}' has no steps for --trace{hint}")
    return method_name, methods[method_name].make


@click.command("puzzle", cls=VariantCommand)
@add_variant_options
@option(
    "--from GRID",
    "Full grid to make the puzzle from: its line form, a file, or - for stdin.",
    name="grid",
)
@seed_option
@puzzle_options
@option("--with-solution", "Also write the solution.")
@count_option
@output_options
def puzzle_command(
    *,
    rules: VariantOptions,
    grid: str | None,
    seed: int | None,
    puzzle_settings: PuzzleOptions,
    with_solution: bool,
    count: int,
    output: ResultOptions,
) -> None:
    """Make puzzles with exactly one solution.

    The number of givens says little about difficulty; --level is defined by the techniques that a
    solution needs, and leaves 30 to 36 givens of 81 cells. Without --givens and --level, givens are
    removed as long as the solution stays unique.
    """
    output_format = output.choose_format("text", can_be_played=True)
    rules, draw_rules = (
        (rules, rules.make_variant_source()) if grid is None else _make_solution_source(grid, rules)
    )
    output.require_free_output(count)
    if output_format == "html" and not is_template(output.output or ""):
        from sudokucrypt.page.playing import require_few_puzzles

        require_few_puzzles(count)
    seed, source = make_random_source(seed)
    needs_difficulty = output_format in ("json", "png", "svg", "html")

    def make_records() -> Iterator[ResultRecord]:
        for index, (puzzle, solution) in enumerate(
            puzzle_settings.make_puzzles(count, source, draw_rules), 1
        ):
            difficulty_fields, difficulty_text = (
                find_difficulty(puzzle, with_rating=puzzle_settings.writes_ratings)
                if needs_difficulty
                else ({}, "")
            )
            fields = {
                **list_result_fields(rules, puzzle, solution),
                "givens": puzzle.to_text(),
                **({"solution": solution.to_text()} if with_solution else {}),
                "number_of_givens": puzzle.number_of_givens,
                **difficulty_fields,
                "seed": seed,
                "number": index,
            }
            yield ResultRecord(
                shown_grids=(puzzle, solution) if with_solution else (puzzle,),
                fields=fields,
                givens=puzzle,
                caption=", ".join(
                    filter(None, (difficulty_text, f"{puzzle.number_of_givens} givens"))
                ),
            )

    output.write(make_records(), output_format)


def _make_solution_source(
    grid: str, rules: VariantOptions
) -> tuple[VariantOptions, Callable[[RandomSource], sudoku.SudokuPuzzle]]:
    """Read a full grid; return its rules, and a function that returns the grid for each puzzle."""
    solution = read_solution(grid, rules)
    full_grid = solution.parse_puzzle()
    return solution.rules, lambda _: full_grid
