"""``sudokucrypt sudoku generate``: full grids by any method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.cli.sudoku.options import (
    SheetCommand,
    VariantOptions,
    count_option,
    seed_option,
    seeded,
    variant_options,
)
from sudokucrypt.cli.sudoku.output import OutputOptions, Record, output_options, sheet_fields
from sudokucrypt.sudoku.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.sudoku.methods import Make


@click.command("generate", cls=SheetCommand)
@variant_options
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
    seed: int | None,
    method: str | None,
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
    name, make = _method(rules, method, amount, trace=trace)
    output.check_free(count)
    seed, source = seeded(seed)

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
    rules: VariantOptions, method: str | None, amount: int | None, *, trace: bool
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
