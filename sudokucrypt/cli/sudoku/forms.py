"""What the Sudoku commands read: boxes, rules and the text of grids."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from sudokucrypt.cli.gathering import gathered
from sudokucrypt.errors import InvalidGridError
from sudokucrypt.storage import read_limited
from sudokucrypt.sudoku import SudokuGrid, SudokuPuzzle, Variant, default_box

if TYPE_CHECKING:
    from sudokucrypt.typing import Box

Kind: TypeAlias = Literal["standard", "x", "samurai", "array"]

MOST_ROWS = 1024
"""Largest order that the commands take."""

_LIMIT = 64 * 2**20
_MOST_SYMBOLS = 35
"""Orders beyond it are written in numbers."""


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
grid_argument = click.argument("text", metavar="GRID")


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


def read_texts(place: str, rules: VariantOptions | None = None) -> list[str]:
    """Return the grids that an argument holds: itself, a file of them, or stdin for ``-``.

    A file holds one grid on each line, as far as the first comma; lines that begin with # are left
    out. Lines that are the rows of a grid, plain or with ruled boxes, are one grid together; blank
    lines separate such grids.
    """
    rules = rules or VariantOptions(box=None, diagonals=False, samurai=False)
    stored = place == "-" or _is_file(place)
    content = _stored_text(place) if stored else place
    lines = [line for line in content.splitlines() if not line.lstrip().startswith("#")]
    if not any(line.strip() for line in lines):
        raise InvalidGridError("there is no grid in the input")
    texts: list[str] = []
    full = [line for line in lines if line.strip()]
    for part in [full] if _is_one_grid(full, rules) else _paragraphs(lines):
        ruled = any("|" in line or set(line.strip()) <= set("-+") for line in part)
        if ruled or _is_one_grid(part, rules):
            texts.append(re.sub(r"[-+|]", " ", "\n".join(part)))
        else:
            texts += [line.partition(",")[0].strip() for line in part]
    if not stored and len(texts) == 1 and rules.kind == "standard":
        _require_square(texts[0], place)
    return texts


def read_puzzle(text: str, rules: VariantOptions) -> SudokuPuzzle:
    """Return a puzzle under the rules that were asked for."""
    if rules.box is None and rules.kind == "standard":
        return SudokuPuzzle.from_text(text)
    return SudokuPuzzle.from_text(text, rules.variant(_cells(text)))


def read_grid(text: str, box: Box | None) -> SudokuGrid:
    """Return the one grid that an argument holds."""
    texts = read_texts(text, VariantOptions(box=box, diagonals=False, samurai=False))
    if len(texts) > 1:
        raise InvalidGridError(f"the input holds {len(texts)} grids; give one")
    return SudokuGrid.from_text(texts[0], box)


def _paragraphs(lines: list[str]) -> list[list[str]]:
    """Return the lines between blank ones."""
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            parts[-1].append(line)
        elif parts[-1]:
            parts.append([])
    return parts if parts[-1] else parts[:-1]


def _is_one_grid(lines: list[str], rules: VariantOptions) -> bool:
    """Tell whether each line is a row of the same grid."""
    if len(lines) == 1 or any("|" in line for line in lines):
        return False
    symbols = [len("".join(line.split())) for line in lines]
    if rules.samurai:
        return max(symbols) < sum(symbols) == len(rules.variant().cells)
    order = len(lines) if rules.box is None else rules.box[0] * rules.box[1]
    lengths = symbols if order <= _MOST_SYMBOLS else [len(line.split()) for line in lines]
    return len(lines) == order and set(lengths) == {order}


def _cells(text: str) -> int:
    """Return how many cells a text has, in symbols or in numbers."""
    numbers = text.split()
    large = isqrt(len(numbers)) > _MOST_SYMBOLS
    return len(numbers) if large else len("".join(numbers))


def _require_square(text: str, place: str) -> None:
    """Refuse what is neither a grid nor the name of a file."""
    cells = _cells(text)
    if isqrt(cells) ** 2 != cells:
        shown = place if len(place) <= 60 else f"{place[:57]}..."
        raise InvalidGridError(
            f"{shown!r} is no file, and its {cells} symbols do not form a square",
            hint="give a grid in line form, a file, or - for stdin",
        )


def _stored_text(place: str) -> str:
    """Return what is in a file, or comes from stdin."""
    try:
        data = sys.stdin.buffer.read(_LIMIT) if place == "-" else read_limited(Path(place), _LIMIT)
        return data.decode("utf-8")
    except OSError as error:
        raise InvalidGridError(f"cannot read '{place}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidGridError(f"'{place}' is not text") from None


def _is_file(place: str) -> bool:
    try:
        return Path(place).is_file()
    except (OSError, ValueError):  # too long for a name, for one
        return False
