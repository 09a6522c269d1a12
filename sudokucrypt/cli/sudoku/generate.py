"""``sudokucrypt sudoku generate``: full grids by any method."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.cli.sudoku.methods import METHODS, Method, maker
from sudokucrypt.cli.sudoku.output import OutputOptions, output_options
from sudokucrypt.cli.sudoku.record import Record, sheet_fields
from sudokucrypt.cli.sudoku.rules import MOST_ROWS, VariantOptions, variant_options
from sudokucrypt.cli.sudoku.seeds import count_option, seed_option, seeded

if TYPE_CHECKING:
    from collections.abc import Iterator


class SidesType(click.ParamType[tuple[int, ...]]):
    """The four sides of an array, such as 2,3,4,5."""

    name = "A,B,C,D"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the sides; one number stands for all four."""
        if isinstance(value, tuple):
            return value
        if re.fullmatch(r"[1-9][0-9]{0,3}(,[1-9][0-9]{0,3}){3}|[1-9][0-9]{0,3}", value) is None:
            self.fail(f"an array has four sides, such as 2,3,4,5, not {value!r}", param, ctx)
        sides = tuple(map(int, value.split(",")))
        sides = sides if len(sides) == 4 else sides * 4
        if prod(sides) > MOST_ROWS**2:
            self.fail(f"an array has up to {MOST_ROWS**2} cells", param, ctx)
        return sides


@click.command("generate")
@variant_options
@click.option(
    "--array", "sides", type=SidesType(), help="An AxB table of CxD rectangles without repetition."
)
@seed_option
@click.option(
    "--method",
    type=click.Choice(METHODS),
    help="By default uniform where all grids are numbered (9x9 and most smaller ones), search up "
    "to order 25, stir beyond.",
)
@click.option(
    "--amount", metavar="N", type=click.IntRange(0), help="Stir with N moves a row; 20 by default."
)
@click.option(
    "--trace", is_flag=True, help="Before each grid of search, rows, boxes or cells, print its way."
)
@count_option
@output_options
def command(
    *,
    rules: VariantOptions,
    sides: tuple[int, ...] | None,
    seed: int | None,
    method: Method | None,
    amount: int | None,
    trace: bool,
    count: int,
    output: OutputOptions,
) -> None:
    """Make full grids.

    With uniform all grids are equally likely. Rows, boxes and cells are the historical methods and
    search branches where the least choice is; all of these can make any grid, but not equally
    often. Shuffle and stir make any order at once, shuffle only grids that are essentially one.
    """
    form = output.form("text")
    if trace and form in ("png", "svg"):
        raise click.UsageError("a picture has no room for --trace")
    kind, method, make = maker(rules, sides, method, amount, trace=trace)
    output.check_free(count)
    seed, source = seeded(seed)

    def records() -> Iterator[Record]:
        with progress_bar("making grids") as advance:
            for number in range(1, count + 1):
                steps: list[str] = []
                sheet = make(source, steps.append if trace else None)
                advance(number, count)
                fields = {
                    **sheet_fields(kind, sheet),
                    **({"array": sides} if sides else {}),
                    "grid": sheet.to_text(),
                    "method": method,
                    "seed": seed,
                    "number": number,
                }
                yield Record(shown=(sheet,), fields=fields, steps=tuple(steps), caption=str(number))

    output.write(records(), form)
