"""The text of grids and puzzles: an argument, a file or stdin, in line form, ruled or JSON."""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from itertools import groupby
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from sudokucrypt.cli.messages import find_exit_code, find_hint, say
from sudokucrypt.cli.sudoku import forms
from sudokucrypt.cli.sudoku.sheet_options import MOST_ROWS, VariantOptions, checked_map
from sudokucrypt.errors import InvalidGridError, SudokucryptError
from sudokucrypt.sudoku import VARIANTS, SudokuGrid, SudokuPuzzle, formats
from sudokucrypt.sudoku.formats.columns import (
    COLUMNS,
    PUZZLES,
    find_field,
    format_cells,
    is_board,
    is_puzzle,
)
from sudokucrypt.sudoku.model.boxes import READABLE
from sudokucrypt.sudoku.model.text import RULE, SYMBOLS, find_alphabet, split_symbols
from sudokucrypt.sudoku.variants import BUILT_IN, kind_of, variant_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudokucrypt.sudoku import Variant
    from sudokucrypt.sudoku.formats import PuzzleFormat, StoredPuzzle
    from sudokucrypt.typing import Box

grid_argument = click.argument("text", metavar="GRID")

# About 800,000 puzzles in line form, which are all held in memory.
_LIMIT = 64 * 2**20
# What only the line form looks like.
_ONE_LINE = re.compile(r"[0-9.*_]{16,625}")
_PLAIN = b".0123456789\n"
_OF_PUZZLES = ("givens", "grid")
# The keys under which JSON and tables are searched for the line form.
_OF_GRIDS = ("grid", "solution", "givens")


class PuzzleText(NamedTuple):
    """The text of a sheet, its rules, and its name in messages.

    A sheet whose rules cannot be read has a problem instead of a text.
    """

    text: str
    rules: VariantOptions
    label: str  # what messages call it among others, such as "line 3"
    problem: InvalidGridError | None = None
    stored: StoredPuzzle | None = None  # what a format of other programs says of it
    words: Mapping[str, Any] = {}  # an object of JSON, for title, author and rules

    def puzzle(self) -> SudokuPuzzle:
        """Return it as a puzzle, or raise what is wrong with it."""
        if self.problem is not None:
            raise self.problem
        if self.stored and self.stored.puzzle.variant == self.rules.variant(len(self.text)):
            return self.stored.puzzle
        if self.rules.box is None and self.rules.kind.name == "standard":
            return SudokuPuzzle.from_text(self.text)
        return SudokuPuzzle.from_text(self.text, self.rules.variant(len(split_symbols(self.text))))

    def whole(self) -> StoredPuzzle:
        """Return it with what the file says of it, or raise what is wrong with it."""
        if self.stored:
            return self.stored._replace(puzzle=self.puzzle())
        stored = formats.StoredPuzzle(self.puzzle())
        return formats.add_words(stored, self.words) if self.words else stored

    def describe_renaming(self, order: int) -> str | None:
        """Return how results name the digits, if the text has other symbols for them."""
        symbols = split_symbols(self.text, order)
        names = (
            find_alphabet(symbols, order).upper() if isinstance(symbols, str) else SYMBOLS[:order]
        )
        if names == SYMBOLS[:order]:
            return None
        last = SYMBOLS[order - 1]
        return f"digits {names[0]} to {names[-1]} of the input are printed as 1 to {last}"


class Failures:
    """What goes wrong: it ends the command where there is one puzzle, and else only that one."""

    def __init__(self, puzzles: Sequence[PuzzleText]) -> None:
        self._alone = len(puzzles) == 1
        self._codes: set[int] = set()
        self._hints: set[str] = set()

    @contextmanager
    def of(self, source: PuzzleText) -> Iterator[None]:
        """Report what goes wrong with a puzzle, and go on."""
        try:
            yield
        except SudokucryptError as error:
            if self._alone:
                raise
            say("error", f"{source.label}: {error}")
            self._codes.add(find_exit_code(error))
            hint = find_hint(error)
            if hint and hint not in self._hints:
                self._hints.add(hint)
                say("hint", hint)

    def end(self) -> None:
        """Leave with the lowest of the exit codes, if anything went wrong."""
        if self._codes:
            raise click.exceptions.Exit(min(self._codes))


def read_puzzles(
    argument: str, rules: VariantOptions, *, content: str | None = None
) -> list[PuzzleText]:
    """Return the puzzles that an argument holds: itself, a file of them, or stdin for ``-``.

    `content` is what the file holds, where the caller has read it.

    A file holds one on each line, as far as the first comma, or a table with a column of them;
    lines that begin with # are left out. Lines that are the rows of a sheet, plain, with commas or
    with ruled boxes, are one together; blank lines separate such sheets. Or it holds JSON objects
    as the commands write them. What is wrong with one of several is raised by its `PuzzleText`.
    """
    return _read(argument, rules, _OF_PUZZLES, content)


def read_solution(argument: str, rules: VariantOptions) -> PuzzleText:
    """Return the one full sheet that an argument holds."""
    first, *others = _read(argument, rules, _OF_GRIDS)
    if others:
        raise InvalidGridError(f"the input holds {1 + len(others)} grids; give one")
    if first.problem is not None:
        raise first.problem
    return first


def read_grid(argument: str, box: Box | None) -> SudokuGrid:
    """Return the one grid that an argument holds."""
    source = read_solution(argument, VariantOptions(box=box))
    return SudokuGrid.from_text(source.text, source.rules.box)


def read_content(name: str) -> str:
    """Return the text in a file of puzzles, or in stdin for ``-``."""
    return forms.read_stored_text(name, _LIMIT)


def _read(
    argument: str, rules: VariantOptions, keys: Sequence[str], content: str | None = None
) -> list[PuzzleText]:
    """Return all that an argument holds; of a JSON object what is under the first of the keys."""
    stored = argument == "-" or (argument != "" and _is_readable(argument))
    if content is None:
        content = read_content(argument) if stored else argument
    # Long files are mostly plain lines, for which the rest takes longer than their solutions.
    if stored and "\n\n" not in "\n" + content and not content.encode().translate(None, _PLAIN):
        texts = content.splitlines()
        small = max(map(len, texts), default=0) <= MOST_ROWS**2
        # Nine symbols are a row below a ruler, or between others, rather than a puzzle.
        if texts and small and len(texts[0]) != 9 and not _is_one_grid(texts, rules):
            return [PuzzleText(text, rules, f"line {n}") for n, text in enumerate(texts, 1)]
    sheets = _read_puzzles_in_text(content.translate(forms.RULINGS), rules, keys)
    for one in sheets:
        for note in one.stored.notes if one.stored else ():
            say("note", note if len(sheets) == 1 else f"{one.label}: {note}")
    if not sheets:
        raise InvalidGridError("there is no grid in the input")
    alone = len(sheets) == 1 and sheets[0].problem is None and sheets[0].stored is None
    if not stored and alone and rules.kind.square and _is_bare(content):
        _require_fit(sheets[0].text, argument, rules)
    return sheets


def _is_bare(content: str) -> bool:
    """Return whether a text is in no format of its own."""
    return bool(_ONE_LINE.fullmatch(content)) or formats.format_of(content) is None


def _read_puzzles_in_text(
    content: str, rules: VariantOptions, keys: Sequence[str]
) -> list[PuzzleText]:
    """Return the puzzles of a text in any form; most formats know no comments."""
    rows = forms.remove_comment_lines(content)
    if _ONE_LINE.fullmatch(content):
        return list(_iterate_sheets(rows, rules))
    bare = "\n".join(row.text for row in rows)
    for text in dict.fromkeys([content, bare]):
        if form := formats.format_of(text):
            parts = formats.split_puzzles(form, text)
            return [_read_format(form, label, part, rules, keys) for label, part in parts]
    if blocks := forms.remove_titles(rows):
        return [
            one._replace(label=f"line {block[0].line}")
            for block in blocks
            for one in _read_puzzles_in_text("\n".join(row.text for row in block), rules, keys)
        ]
    return list(_iterate_sheets(forms.split_grid_rows(rows, keys), rules))


def _read_format(
    form: PuzzleFormat, label: str, part: Any, rules: VariantOptions, keys: Sequence[str]
) -> PuzzleText:
    """Return a puzzle of a format, under its own rules if it has some, or what is wrong with it."""
    if form.name == "json" and not is_board(part):
        fields = part if part is None or isinstance(part, dict) else {keys[0]: part}
        return _read_object(label, fields, rules, keys)
    try:
        if form.read is None:
            raise InvalidGridError(f"{form.title} is not read")
        return _read_stored_text(form.read(part), label, rules)
    except InvalidGridError as error:
        return PuzzleText("", rules, label, error)


def _read_stored_text(stored: StoredPuzzle, label: str, rules: VariantOptions) -> PuzzleText:
    if rules.kind.name == "standard" and rules.box is None:
        rules = _choose_rules(stored.puzzle.variant)
    return PuzzleText(stored.puzzle.to_text(), rules, label, stored=stored)


def _choose_rules(variant: Variant) -> VariantOptions:
    """Return the rules of a variant, by the name of its kind if it is one of ours."""
    if variant.regions:
        rules = VariantOptions(kind=VARIANTS["jigsaw"], regions=variant.regions)
        if rules.variant() == variant:
            return rules
    for kind in BUILT_IN:
        if kind.square and variant.digits == prod(variant.box):
            # Some kinds have no sheet for such a box, as windows need square ones.
            with suppress(SudokucryptError):
                if kind.build(variant.box) == variant:
                    return VariantOptions(kind=kind, box=variant.box)
    return VariantOptions(kind=kind_of(variant, variant.name))


def _iterate_sheets(
    rows: Sequence[forms.NumberedLine], rules: VariantOptions
) -> Iterator[PuzzleText]:
    """Yield the sheets: parts between blank lines, or their lines one by one."""
    full = [row for row in rows if row.text.strip()]
    parts = [[*part] for some, part in groupby(rows, lambda row: bool(row.text.strip())) if some]
    for part in [full] if _is_one_grid([row.text for row in full], rules) else parts:
        lines = [row.text for row in part]
        ruled = any("|" in line or RULE.match(line) for line in lines)
        whole = ruled or _is_one_grid(lines, rules)
        texts = [forms.NumberedLine(part[0].line, "\n".join(lines))] if whole else part
        for line, text in texts:
            label = f"line {line}"
            try:
                _require_size(text)
                yield PuzzleText(text if whole else text.strip(), rules.seen_in(text), label)
            except InvalidGridError as error:
                yield PuzzleText("", rules, label, error)


def _require_size(text: str) -> None:
    """Refuse what would take more memory than the largest grid."""
    if len(text) > MOST_ROWS**2 and len(split_symbols(text)) > MOST_ROWS**2:
        raise InvalidGridError(f"a grid has at most {MOST_ROWS} rows")


def _read_object(label: str, fields: Any, rules: VariantOptions, keys: Sequence[str]) -> PuzzleText:
    """Return what a JSON object holds, or what is wrong with it."""
    try:
        if not isinstance(fields, dict):
            raise InvalidGridError("the input looks like JSON, but is not a sequence of objects")
        if fields.get("variant") == "constraints" and rules.kind.name == "standard":
            stored = _read_link(fields.get("link"))
            text = str(fields.get(keys[0]) or stored.puzzle.to_text())
            own = stored if text == stored.puzzle.to_text() else None
            return PuzzleText(text, _choose_rules(stored.puzzle.variant), label, stored=own)
        names = [name for key in keys for name in COLUMNS[key]]
        value = find_field(fields, (*keys, *names, *PUZZLES))
        if not is_puzzle(value):
            raise InvalidGridError(f"a JSON object has no puzzle under {' or '.join(keys)}")
        text = format_cells(value)
        rules = _read_rules(fields, rules)
        _require_size(text)
    except InvalidGridError as error:
        return PuzzleText("", rules, label, error)
    return PuzzleText(text, rules, label, words=fields)


def _read_rules(fields: dict[str, Any], rules: VariantOptions) -> VariantOptions:
    """Return the rules that a JSON object names; they hold unless options say otherwise."""
    kind, box = rules.kind, rules.box or fields.get("box")
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
        sides = rules.sides or _read_sides(kind.name, fields.get(kind.name), MOST_ROWS**2)
        if len(sides) != len(kind.takes.split(",")):
            raise InvalidGridError(f"{kind.title} in JSON have the sides {kind.takes}")
        return VariantOptions(kind=kind, sides=sides)
    if kind.draw:
        return VariantOptions(
            kind=kind, regions=rules.regions or _read_regions(fields.get("regions"))
        )
    if box is None:
        return VariantOptions(kind=kind)
    sides = _read_sides("box", box, MOST_ROWS)
    if len(sides) != 2:
        raise InvalidGridError(f"'box' in JSON must be two positive integers, not {box!r}")
    return VariantOptions(kind=kind, box=(sides[0], sides[1]))


def _read_link(link: object) -> StoredPuzzle:
    """Return the puzzle in a link, which JSON has for those with constraints."""
    puzzles = formats.read_stored(link) if isinstance(link, str) else None
    stored = next(puzzles, None) if puzzles else None
    if stored is None:
        raise InvalidGridError("a puzzle with constraints in JSON has its rules under 'link'")
    return stored


def _read_regions(value: object) -> tuple[str, ...]:
    """Return the map of a jigsaw in JSON."""
    if not isinstance(value, list) or not all(isinstance(row, str) for row in value):
        raise InvalidGridError("a jigsaw in JSON has the rows of its map under 'regions'")
    return checked_map(value)


def _read_sides(key: str, value: object, most: int) -> tuple[int, ...]:
    """Return the positive integers under a key of JSON."""
    sides = tuple(value) if isinstance(value, (list, tuple)) else ()
    if not sides or any(type(side) is not int or side < 1 for side in sides):
        raise InvalidGridError(f"{key!r} in JSON must be positive integers, not {value!r}")
    if prod(sides) > most:
        raise InvalidGridError(f"{key!r} in JSON has up to {most} cells, not {value!r}")
    return sides


def _is_one_grid(lines: list[str], rules: VariantOptions) -> bool:
    """Return whether each line is a row of the same grid."""
    if len(lines) < 2 or any("|" in line for line in lines):
        return False
    if not rules.kind.square:
        variant = rules.variant()
        together, *each = (
            len(split_symbols(t, variant.digits)) for t in ["\n".join(lines), *lines]
        )
        return max(each) < together == len(variant.cells)
    order = len(lines) if rules.box is None else rules.box[0] * rules.box[1]
    if len(lines) != order:
        return False
    rows = [line.split() for line in lines]
    joined = [len("".join(row)) == order <= len(SYMBOLS) for row in rows]
    return all(whole or len(row) == order > 9 for whole, row in zip(joined, rows, strict=True))


def _require_fit(text: str, argument: str, rules: VariantOptions) -> None:
    """Refuse what is neither a grid nor the name of a file."""
    cells = len(split_symbols(text))
    try:
        variant = rules.variant(cells)
        if cells != len(variant.cells):
            raise InvalidGridError(f"{cells} cells do not fit {variant.name}")
    except InvalidGridError as error:
        shown = argument if len(argument) <= 60 else f"{argument[:57]}..."
        raise InvalidGridError(
            f"{shown!r} is no file and no puzzle: {error}",
            hint=f"{READABLE}; give that, a file of it, or - for stdin",
        ) from None


def _is_readable(argument: str) -> bool:
    """Return whether something that can be read has this name: a file, or a pipe from a shell."""
    try:
        return Path(argument).exists()
    except (OSError, ValueError):  # too long for a name, for one
        return False
