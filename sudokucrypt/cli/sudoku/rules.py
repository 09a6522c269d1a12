"""What was said about the rules of a sheet: its boxes, diagonals and overlaps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from sudokucrypt.cli.gathering import gathered
from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku import Variant, default_box

if TYPE_CHECKING:
    from sudokucrypt.typing import Box

Kind: TypeAlias = Literal["standard", "x", "samurai", "array"]

MOST_ROWS = 1024
"""Largest order that the commands take."""


class BoxType(click.ParamType[tuple[int, int]]):
    """The shape of a box, such as 3x3: rows, then columns."""

    name = "PxQ"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return rows and columns."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([1-9][0-9]{0,3})[xX]([1-9][0-9]{0,3})", value)
        if match is None:
            self.fail(f"a box is rows x columns, such as 3x3, not {value!r}", param, ctx)
        rows, columns = int(match[1]), int(match[2])
        if rows * columns > MOST_ROWS:
            self.fail(f"a grid of {value} boxes has more than {MOST_ROWS} rows", param, ctx)
        return rows, columns


box_option = click.option("--box", metavar="PxQ", type=BoxType(), help="Rows and columns of a box.")


@dataclass(frozen=True, kw_only=True)
class VariantOptions:
    """What was said about the rules."""

    box: Box | None
    diagonals: bool
    samurai: bool

    def __post_init__(self) -> None:
        if self.diagonals and self.samurai:
            raise click.UsageError("a Samurai sheet has no diagonals; leave out --x or --samurai")

    def variant(self, cells: int | None = None) -> Variant:
        """Return the variant; where no box is given, the number of cells decides, else 3x3."""
        box = self.box
        if self.samurai:
            return Variant.samurai(box or (3, 3))
        if box is None:
            order = 9 if cells is None else isqrt(cells)
            if order < 1 or (cells is not None and order * order != cells):
                raise InvalidGridError(f"{cells} cells do not form a square")
            box = default_box(order)
        return Variant.x(box) if self.diagonals else Variant.standard(box)

    @property
    def kind(self) -> Kind:
        """The word for the rules in JSON."""
        return "x" if self.diagonals else "samurai" if self.samurai else "standard"


variant_options = gathered(
    "rules",
    VariantOptions,
    (
        box_option,
        click.option(
            "--x", "diagonals", is_flag=True, help="X-Sudoku: both diagonals hold every digit."
        ),
        click.option("--samurai", is_flag=True, help="Five overlapping grids."),
    ),
)
"""Gives a command the options for the rules, as one parameter ``rules``."""
