"""What the Sudoku commands read: boxes, variants and the text of grids."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.cli.gathering import gathered
from sudokucrypt.errors import InvalidGridError
from sudokucrypt.storage import read_limited
from sudokucrypt.sudoku import SudokuGrid, SudokuPuzzle, Variant, default_box

if TYPE_CHECKING:
    from sudokucrypt.typing import Box

_LIMIT = 64 * 2**20


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
        return int(match[1]), int(match[2])


box_option = click.option("--box", type=BoxType(), help="Rows and columns of a box.")
seed_option = click.option(
    "--seed", metavar="S", type=click.IntRange(0), help="The same seed gives the same result."
)
grid_argument = click.argument("text", metavar="GRID")


@dataclass(frozen=True, kw_only=True)
class VariantOptions:
    """What was said about the rules."""

    box: Box | None
    diagonals: bool
    samurai: bool

    def variant(self, cells: int | None = None) -> Variant:
        """Return the variant; where no box is given, the number of cells decides, else 3x3."""
        if self.diagonals and self.samurai:
            raise click.UsageError("a Samurai sheet has no diagonals; leave out --x or --samurai")
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
    def ordinary(self) -> bool:
        """Whether the rules are those of ordinary Sudoku."""
        return not (self.diagonals or self.samurai)


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


def read_texts(place: str) -> list[str]:
    """Return the grids that an argument holds: itself, a file of them, or stdin for ``-``.

    A file holds one grid on each line; lines that begin with # are left out. If its lines are
    shorter, as in print, they are one grid together.
    """
    if place == "-":
        content = sys.stdin.read(_LIMIT)
    elif _is_file(place):
        try:
            content = read_limited(Path(place), _LIMIT).decode("utf-8")
        except OSError as error:
            raise InvalidGridError(f"cannot read '{place}': {error.strerror}") from None
        except UnicodeDecodeError:
            raise InvalidGridError(f"'{place}' is not text") from None
    else:
        return [place]
    lines = [line for line in content.splitlines() if line.strip() and line.strip()[0] != "#"]
    if not lines:
        raise InvalidGridError("there is no grid in the input")
    symbols = sum(len("".join(line.split())) for line in lines)
    together = len(lines) > 1 and isqrt(symbols) ** 2 == symbols and len(lines) == isqrt(symbols)
    ruled = any(set(line.strip()) <= set("-+") for line in lines)
    if together or ruled or "|" in content:
        return [re.sub(r"[-+|]", " ", "\n".join(lines))]
    return [line.strip() for line in lines]


def read_puzzle(text: str, rules: VariantOptions) -> SudokuPuzzle:
    """Return a puzzle under the rules that were asked for."""
    symbols = "".join(text.split())
    spaced = rules.box is not None and rules.box[0] * rules.box[1] > 35
    cells = len(text.split()) if spaced else len(symbols)
    if rules.samurai:
        return SudokuPuzzle.from_text(text, rules.variant())
    if rules.box is None and rules.ordinary:
        return SudokuPuzzle.from_text(text)
    return SudokuPuzzle.from_text(text, rules.variant(cells))


def read_grid(text: str, box: Box | None) -> SudokuGrid:
    """Return the one grid that an argument holds."""
    texts = read_texts(text)
    if len(texts) > 1:
        raise InvalidGridError(f"the input holds {len(texts)} grids; give one")
    return SudokuGrid.from_text(texts[0], box)


def _is_file(place: str) -> bool:
    try:
        return Path(place).is_file()
    except (OSError, ValueError):  # too long for a name, for one
        return False
