"""The text of grids and puzzles: an argument, a file or stdin, in line form, ruled or JSON."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import click

from sudokucrypt.cli.sudoku import forms
from sudokucrypt.cli.sudoku.options import MOST_ROWS, VariantOptions, checked_map
from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku import SudokuGrid, SudokuPuzzle
from sudokucrypt.sudoku.model.text import RULE, SYMBOLS, alphabet, symbols_of
from sudokucrypt.sudoku.variants import variant_kind
from sudokucrypt.typing import Box

grid_argument = click.argument("text", metavar="GRID")

_LIMIT = 64 * 2**20
_PLAIN = b".0123456789\n"
_OF_PUZZLES = ("givens", "grid")
_OF_GRIDS = ("grid", "solution", "givens")
"""The keys under which JSON and tables are searched for the line form."""


class Written(NamedTuple):
    """The text of a sheet, the rules that it is under, and the number of its first line.

    A sheet whose rules cannot be read has a problem instead of a text.
    """

    text: str
    rules: VariantOptions
    line: int
    problem: InvalidGridError | None = None

    def puzzle(self) -> SudokuPuzzle:
        """Return it as a puzzle, or raise what is wrong with it."""
        if self.problem is not None:
            raise self.problem
        if self.rules.box is None and self.rules.kind.name == "standard":
            return SudokuPuzzle.from_text(self.text)
        return SudokuPuzzle.from_text(self.text, self.rules.variant(len(symbols_of(self.text))))

    def renamed(self, order: int) -> str | None:
        """Return how results name the digits, if the text has other symbols for them."""
        symbols = symbols_of(self.text, order)
        names = alphabet(symbols, order).upper() if isinstance(symbols, str) else SYMBOLS[:order]
        if names == SYMBOLS[:order]:
            return None
        last = SYMBOLS[order - 1]
        return f"digits {names[0]} to {names[-1]} of the input are printed as 1 to {last}"


def read_puzzles(place: str, rules: VariantOptions) -> list[Written]:
    """Return the puzzles that an argument holds: itself, a file of them, or stdin for ``-``.

    A file holds one on each line, as far as the first comma, or a table with a column of them;
    lines that begin with # are left out. Lines that are the rows of a sheet, plain, with commas or
    with ruled boxes, are one together; blank lines separate such sheets. Or it holds JSON objects
    as the commands write them. What is wrong with one of several is raised by its `Written`.
    """
    return _read(place, rules, _OF_PUZZLES)


def read_solution(place: str, rules: VariantOptions) -> Written:
    """Return the one full sheet that an argument holds."""
    written = _read(place, rules, _OF_GRIDS)
    if len(written) > 1:
        raise InvalidGridError(f"the input holds {len(written)} grids; give one")
    if written[0].problem is not None:
        raise written[0].problem
    return written[0]


def read_grid(place: str, box: Box | None) -> SudokuGrid:
    """Return the one grid that an argument holds."""
    rules = VariantOptions(box=box)
    written = read_solution(place, rules)
    return SudokuGrid.from_text(written.text, written.rules.box)


def _read(place: str, rules: VariantOptions, keys: Sequence[str]) -> list[Written]:
    """Return all that an argument holds; of a JSON object what is under the first of the keys."""
    stored = place == "-" or (place != "" and _is_stored(place))
    content = forms.stored_text(place, _LIMIT) if stored else place
    # Long files are mostly plain lines, for which the rest takes longer than their solutions.
    if stored and "\n\n" not in "\n" + content and not content.encode().translate(None, _PLAIN):
        texts = content.splitlines()
        small = max(map(len, texts), default=0) <= MOST_ROWS**2
        if texts and small and not _is_one_grid(texts, rules):
            return [Written(text, rules, line) for line, text in enumerate(texts, 1)]
    rows = forms.rows_of(content)
    first = next((row.text.lstrip() for row in rows if row.text.strip()), "")
    if first.startswith("{"):
        return [_from_object(*found, rules, keys) for found in forms.objects(rows)]
    sheets = list(_sheets(forms.rows_of_grids(rows, keys), rules))
    if not sheets:
        raise InvalidGridError("there is no grid in the input")
    alone = len(sheets) == 1 and sheets[0].problem is None
    if not stored and alone and rules.kind.square:
        _require_fit(sheets[0].text, place, rules)
    return sheets


def _sheets(rows: Sequence[forms.Row], rules: VariantOptions) -> Iterator[Written]:
    """Yield the sheets: parts between blank lines, or their lines one by one."""
    full = [row for row in rows if row.text.strip()]
    parts = [[*part] for some, part in groupby(rows, lambda row: bool(row.text.strip())) if some]
    for part in [full] if _is_one_grid([row.text for row in full], rules) else parts:
        lines = [row.text for row in part]
        ruled = any("|" in line or RULE.match(line) for line in lines)
        whole = ruled or _is_one_grid(lines, rules)
        texts = [forms.Row(part[0].number, "\n".join(lines))] if whole else part
        for line, text in texts:
            try:
                _require_size(text)
                yield Written(text if whole else text.strip(), rules.seen_in(text), line)
            except InvalidGridError as error:
                yield Written("", rules, line, error)


def _require_size(text: str) -> None:
    """Refuse what would take more memory than the largest grid."""
    if len(text) > MOST_ROWS**2 and len(symbols_of(text)) > MOST_ROWS**2:
        raise InvalidGridError(f"a grid has at most {MOST_ROWS} rows")


def _from_object(
    line: int, fields: dict[str, Any] | None, rules: VariantOptions, keys: Sequence[str]
) -> Written:
    """Return what a JSON object holds, or what is wrong with it."""
    try:
        if fields is None:
            raise InvalidGridError("the input looks like JSON, but is not a sequence of objects")
        text, rules = _text_and_rules(fields, rules, keys)
        _require_size(text)
    except InvalidGridError as error:
        return Written("", rules, line, error)
    return Written(text, rules, line)


def _text_and_rules(
    fields: dict[str, Any], rules: VariantOptions, keys: Sequence[str]
) -> tuple[str, VariantOptions]:
    """Return what a JSON object holds; rules that it names hold unless options say otherwise."""
    text = next((fields[key] for key in keys if isinstance(fields.get(key), str)), None)
    if text is None:
        raise InvalidGridError(f"a JSON object has no line form under {' or '.join(keys)}")
    kind, numbers, regions = rules.kind, rules.numbers, rules.regions
    box = rules.box or fields.get("box")
    if kind.name == "standard":
        word = fields.get("variant", "standard")
        named = variant_kind(word) if isinstance(word, str) else None
        if named is None:
            raise InvalidGridError(
                f"sheets of the variant {word!r} cannot be read from JSON",
                hint="'--variant MODULE:NAME' names the code that knows their rules",
            )
        kind = named
    if kind.takes:
        numbers, box = numbers or _sides(kind.name, fields.get(kind.name), MOST_ROWS**2), None
        if len(numbers) != len(kind.takes.split(",")):
            raise InvalidGridError(f"{kind.title} in JSON have the sides {kind.takes}")
    elif kind.draw:
        regions, box = regions or _regions(fields.get("regions")), None
    elif box is not None:
        sides = _sides("box", box, MOST_ROWS)
        if len(sides) != 2:
            raise InvalidGridError(f"'box' in JSON must be two positive integers, not {box!r}")
        box = sides[0], sides[1]
    return text, VariantOptions(box=box, kind=kind, numbers=numbers, regions=regions)


def _regions(value: object) -> tuple[str, ...]:
    """Return the map of a jigsaw in JSON."""
    if not isinstance(value, list) or not all(isinstance(row, str) for row in value):
        raise InvalidGridError("a jigsaw in JSON has the rows of its map under 'regions'")
    return checked_map(value)


def _sides(key: str, value: object, most: int) -> tuple[int, ...]:
    """Return the numbers under a key of JSON."""
    sides = tuple(value) if isinstance(value, (list, tuple)) else ()
    if not sides or any(type(side) is not int or side < 1 for side in sides):
        raise InvalidGridError(f"{key!r} in JSON must be positive integers, not {value!r}")
    if prod(sides) > most:
        raise InvalidGridError(f"{key!r} in JSON has up to {most} cells, not {value!r}")
    return sides


def _is_one_grid(lines: list[str], rules: VariantOptions) -> bool:
    """Tell whether each line is a row of the same grid."""
    if len(lines) < 2 or any("|" in line for line in lines):
        return False
    if not rules.kind.square:
        variant = rules.variant()
        found = [len(symbols_of(text, variant.digits)) for text in ["\n".join(lines), *lines]]
        return max(found[1:]) < found[0] == len(variant.cells)
    order = len(lines) if rules.box is None else rules.box[0] * rules.box[1]
    if len(lines) != order:
        return False
    rows = [line.split() for line in lines]
    joined = [len("".join(row)) == order <= len(SYMBOLS) for row in rows]
    return all(whole or len(row) == order > 9 for whole, row in zip(joined, rows, strict=True))


def _require_fit(text: str, place: str, rules: VariantOptions) -> None:
    """Refuse what is neither a grid nor the name of a file."""
    cells = len(symbols_of(text))
    try:
        variant = rules.variant(cells)
        if cells != len(variant.cells):
            raise InvalidGridError(f"{cells} cells do not fit {variant.name}")
    except InvalidGridError as error:
        shown = place if len(place) <= 60 else f"{place[:57]}..."
        raise InvalidGridError(
            f"{shown!r} is not a file, and its {error}",
            hint="give a grid in line form, a file, or - for stdin",
        ) from None


def _is_stored(place: str) -> bool:
    """Tell whether something that can be read has this name: a file, or a pipe as from a shell."""
    try:
        return Path(place).exists()
    except (OSError, ValueError):  # too long for a name, for one
        return False
