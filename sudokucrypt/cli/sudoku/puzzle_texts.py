"""Read grids and puzzles from an argument, a file or stdin, in line form and other formats."""

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
from sudokucrypt.cli.sudoku.sheet_options import MAX_ROWS, VariantOptions, require_jigsaw_map
from sudokucrypt.errors import InvalidGridError, SudokucryptError
from sudokucrypt.sudoku import VARIANTS, SudokuGrid, SudokuPuzzle, formats
from sudokucrypt.sudoku.formats.columns import (
    COLUMNS,
    PUZZLE_NAMES,
    find_field,
    format_cells,
    is_board,
    is_puzzle,
)
from sudokucrypt.sudoku.model.boxes import READABLE_FORMS
from sudokucrypt.sudoku.model.text import BORDER_LINE, SYMBOLS, find_alphabet, split_symbols
from sudokucrypt.sudoku.variants import BUILT_IN_KINDS, as_kind, find_variant_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudokucrypt.sudoku import Variant
    from sudokucrypt.sudoku.formats import PuzzleFormat, StoredPuzzle
    from sudokucrypt.typing import Box

grid_argument = click.argument("text", metavar="GRID")

# Enough for about 800,000 puzzles in line form, which are all kept in memory.
_MAX_BYTES = 64 * 2**20
# A text that can only be a line form.
_LINE_FORM_PATTERN = re.compile(r"[0-9.*_]{16,625}")
_LINE_FORM_BYTES = b".0123456789\n"
# The names of JSON fields and table columns that contain a line form, in order of preference:
# first for reading a puzzle, then for reading a full grid.
_PUZZLE_FIELDS = ("givens", "grid")
_GRID_FIELDS = ("grid", "solution", "givens")


class PuzzleText(NamedTuple):
    """The text of a grid or puzzle, its rules, and its name in messages.

    If the rules or the text cannot be read, `error` is the error.
    """

    text: str
    rules: VariantOptions
    label: str  # its name in messages if there are several, such as "line 3"
    error: InvalidGridError | None = None
    stored_puzzle: StoredPuzzle | None = None  # the puzzle with further data of a file format
    text_fields: Mapping[str, Any] = {}  # a JSON object with title, author and rules

    def parse_puzzle(self) -> SudokuPuzzle:
        """Return the puzzle, or raise the error about its text."""
        if self.error is not None:
            raise self.error
        if self.stored_puzzle and self.stored_puzzle.puzzle.variant == self.rules.make_variant(
            len(self.text)
        ):
            return self.stored_puzzle.puzzle
        if self.rules.box is None and self.rules.kind.name == "standard":
            return SudokuPuzzle.from_text(self.text)
        return SudokuPuzzle.from_text(
            self.text, self.rules.make_variant(len(split_symbols(self.text)))
        )

    def make_stored_puzzle(self) -> StoredPuzzle:
        """Return the puzzle with title, author and other data, or raise the error about it."""
        if self.stored_puzzle:
            return self.stored_puzzle._replace(puzzle=self.parse_puzzle())
        stored_puzzle = formats.StoredPuzzle(self.parse_puzzle())
        return (
            formats.add_metadata(stored_puzzle, self.text_fields)
            if self.text_fields
            else stored_puzzle
        )

    def describe_renaming(self, order: int) -> str | None:
        """Return a note if results print digits with other symbols than the text, or None."""
        symbols = split_symbols(self.text, order)
        names = (
            find_alphabet(symbols, order).upper() if isinstance(symbols, str) else SYMBOLS[:order]
        )
        if names == SYMBOLS[:order]:
            return None
        last_symbol = SYMBOLS[order - 1]
        return f"digits {names[0]} to {names[-1]} of the input are printed as 1 to {last_symbol}"


class Failures:
    """Errors about puzzles: raised for a single puzzle, but only printed for several."""

    def __init__(self, puzzles: Sequence[PuzzleText]) -> None:
        self._has_single_puzzle = len(puzzles) == 1
        self._exit_codes: set[int] = set()
        self._printed_hints: set[str] = set()

    @contextmanager
    def collect_errors(self, source: PuzzleText) -> Iterator[None]:
        """Print an error about a puzzle that this block raises, unless there is only one puzzle."""
        try:
            yield
        except SudokucryptError as error:
            if self._has_single_puzzle:
                raise
            say("error", f"{source.label}: {error}")
            self._exit_codes.add(find_exit_code(error))
            hint = find_hint(error)
            if hint and hint not in self._printed_hints:
                self._printed_hints.add(hint)
                say("hint", hint)

    def exit_if_any(self) -> None:
        """Exit with the lowest exit code of all errors, if there were any."""
        if self._exit_codes:
            raise click.exceptions.Exit(min(self._exit_codes))


def read_puzzles(
    argument: str, rules: VariantOptions, *, content: str | None = None
) -> list[PuzzleText]:
    """Read the puzzles that an argument names: the text of one, a file, or ``-`` for stdin.

    `content` is the content of the file, if the caller has read it.

    A file has a puzzle on each line, up to the first comma, or is a table with a column of puzzles;
    lines that begin with # are ignored. It may also have a row of a grid on each line, with or
    without commas and ruled boxes, and blank lines between the grids; or JSON objects in the form
    that the commands write. A `PuzzleText` that cannot be read raises its error when it is used.
    """
    return _read_argument(argument, rules, _PUZZLE_FIELDS, content)


def read_solution(argument: str, rules: VariantOptions) -> PuzzleText:
    """Read the only full grid, of any kind of Sudoku, that an argument names."""
    solution, *further_grids = _read_argument(argument, rules, _GRID_FIELDS)
    if further_grids:
        raise InvalidGridError(f"the input holds {1 + len(further_grids)} grids; give one")
    if solution.error is not None:
        raise solution.error
    return solution


def read_grid(argument: str, box: Box | None) -> SudokuGrid:
    """Read the only full grid of ordinary Sudoku that an argument names."""
    source = read_solution(argument, VariantOptions(box=box))
    return SudokuGrid.from_text(source.text, source.rules.box)


def read_content(name: str) -> str:
    """Return the text in a file of puzzles, or in stdin for ``-``."""
    return forms.read_stored_text(name, _MAX_BYTES)


def _read_argument(
    argument: str, rules: VariantOptions, keys: Sequence[str], content: str | None = None
) -> list[PuzzleText]:
    """Read all grids that an argument names; JSON objects have them in one of the fields `keys`."""
    is_file = argument == "-" or (argument != "" and _is_file_or_pipe(argument))
    if content is None:
        content = read_content(argument) if is_file else argument
    # A fast path for long files, which mostly contain only line forms.
    if (
        is_file
        and "\n\n" not in "\n" + content
        and not content.encode().translate(None, _LINE_FORM_BYTES)
    ):
        texts = content.splitlines()
        has_valid_sizes = max(map(len, texts), default=0) <= MAX_ROWS**2
        # Lines of nine symbols are rows of a grid, perhaps with a ruler, and not puzzles.
        if texts and has_valid_sizes and len(texts[0]) != 9 and not _is_one_grid(texts, rules):
            return [
                PuzzleText(text, rules, f"line {number}") for number, text in enumerate(texts, 1)
            ]
    puzzle_texts = _read_puzzles_in_text(content.translate(forms.RULING_TRANSLATION), rules, keys)
    for puzzle_text in puzzle_texts:
        for note in puzzle_text.stored_puzzle.notes if puzzle_text.stored_puzzle else ():
            say("note", note if len(puzzle_texts) == 1 else f"{puzzle_text.label}: {note}")
    if not puzzle_texts:
        raise InvalidGridError("there is no grid in the input")
    is_single_text = (
        len(puzzle_texts) == 1
        and puzzle_texts[0].error is None
        and puzzle_texts[0].stored_puzzle is None
    )
    if not is_file and is_single_text and rules.kind.square and _has_no_format(content):
        _require_puzzle(puzzle_texts[0].text, argument, rules)
    return puzzle_texts


def _has_no_format(content: str) -> bool:
    """Return whether a text is in no known format other than the line form."""
    return bool(_LINE_FORM_PATTERN.fullmatch(content)) or formats.detect_format(content) is None


def _read_puzzles_in_text(
    content: str, rules: VariantOptions, keys: Sequence[str]
) -> list[PuzzleText]:
    """Return the puzzles of a text in any format; formats are also tried without comment lines."""
    rows = forms.remove_comment_lines(content)
    if _LINE_FORM_PATTERN.fullmatch(content):
        return list(_iterate_puzzle_texts(rows, rules))
    text_without_comments = "\n".join(row.text for row in rows)
    for text in dict.fromkeys([content, text_without_comments]):
        if puzzle_format := formats.detect_format(text):
            parts = formats.split_puzzles(puzzle_format, text)
            return [
                _read_formatted_puzzle(puzzle_format, label, part, rules, keys)
                for label, part in parts
            ]
    if blocks := forms.split_titled_grids(rows):
        return [
            sheet._replace(label=f"line {block[0].line}")
            for block in blocks
            for sheet in _read_puzzles_in_text("\n".join(row.text for row in block), rules, keys)
        ]
    return list(_iterate_puzzle_texts(forms.extract_grid_rows(rows, keys), rules))


def _read_formatted_puzzle(
    puzzle_format: PuzzleFormat, label: str, part: Any, rules: VariantOptions, keys: Sequence[str]
) -> PuzzleText:
    """Read a puzzle in a format, with the rules that it states; store the error if that fails."""
    if puzzle_format.name == "json" and not is_board(part):
        fields = part if part is None or isinstance(part, dict) else {keys[0]: part}
        return _read_object(label, fields, rules, keys)
    try:
        if puzzle_format.read is None:
            raise InvalidGridError(f"{puzzle_format.title} cannot be read")
        return _make_puzzle_text(puzzle_format.read(part), label, rules)
    except InvalidGridError as error:
        return PuzzleText("", rules, label, error)


def _make_puzzle_text(puzzle: StoredPuzzle, label: str, rules: VariantOptions) -> PuzzleText:
    if rules.kind.name == "standard" and rules.box is None:
        rules = _choose_rules(puzzle.puzzle.variant)
    return PuzzleText(puzzle.puzzle.to_text(), rules, label, stored_puzzle=puzzle)


def _choose_rules(variant: Variant) -> VariantOptions:
    """Return the options that give a variant, with its registered kind if it has one."""
    if variant.regions:
        rules = VariantOptions(kind=VARIANTS["jigsaw"], regions=variant.regions)
        if rules.make_variant() == variant:
            return rules
    for kind in BUILT_IN_KINDS:
        if kind.square and variant.digits == prod(variant.box):
            # Some kinds do not exist for all box shapes: windows need square boxes.
            with suppress(SudokucryptError):
                if kind.build(variant.box) == variant:
                    return VariantOptions(kind=kind, box=variant.box)
    return VariantOptions(kind=as_kind(variant, variant.name))


def _iterate_puzzle_texts(
    rows: Sequence[forms.NumberedLine], rules: VariantOptions
) -> Iterator[PuzzleText]:
    """Yield the grids in rows of text: one for each part between blank lines, or for each line."""
    filled_rows = [row for row in rows if row.text.strip()]
    parts = [
        [*part]
        for is_filled, part in groupby(rows, lambda row: bool(row.text.strip()))
        if is_filled
    ]
    for part in [filled_rows] if _is_one_grid([row.text for row in filled_rows], rules) else parts:
        lines = [row.text for row in part]
        has_ruled_lines = any("|" in line or BORDER_LINE.match(line) for line in lines)
        is_one_grid = has_ruled_lines or _is_one_grid(lines, rules)
        texts = [forms.NumberedLine(part[0].line, "\n".join(lines))] if is_one_grid else part
        for line, text in texts:
            label = f"line {line}"
            try:
                _require_valid_size(text)
                yield PuzzleText(
                    text if is_one_grid else text.strip(), rules.add_regions_from(text), label
                )
            except InvalidGridError as error:
                yield PuzzleText("", rules, label, error)


def _require_valid_size(text: str) -> None:
    """Raise an error if a text has more cells than the largest grid."""
    if len(text) > MAX_ROWS**2 and len(split_symbols(text)) > MAX_ROWS**2:
        raise InvalidGridError(f"a grid has at most {MAX_ROWS} rows")


def _read_object(label: str, fields: Any, rules: VariantOptions, keys: Sequence[str]) -> PuzzleText:
    """Read the puzzle in a JSON object; store the error if that fails."""
    try:
        if not isinstance(fields, dict):
            raise InvalidGridError("the input looks like JSON, but is not a sequence of objects")
        if fields.get("variant") == "constraints" and rules.kind.name == "standard":
            puzzle = _read_link(fields.get("link"))
            text = str(fields.get(keys[0]) or puzzle.puzzle.to_text())
            linked_puzzle = puzzle if text == puzzle.puzzle.to_text() else None
            return PuzzleText(
                text, _choose_rules(puzzle.puzzle.variant), label, stored_puzzle=linked_puzzle
            )
        names = [name for key in keys for name in COLUMNS[key]]
        value = find_field(fields, (*keys, *names, *PUZZLE_NAMES))
        if not is_puzzle(value):
            raise InvalidGridError(f"a JSON object has no puzzle under {' or '.join(keys)}")
        text = format_cells(value)
        rules = _read_rules(fields, rules)
        _require_valid_size(text)
    except InvalidGridError as error:
        return PuzzleText("", rules, label, error)
    return PuzzleText(text, rules, label, text_fields=fields)


def _read_rules(fields: dict[str, Any], rules: VariantOptions) -> VariantOptions:
    """Return the rules that a JSON object names, unless options give other rules."""
    kind, box = rules.kind, rules.box or fields.get("box")
    if kind.name == "standard":
        name = fields.get("variant", "standard")
        named_kind = find_variant_kind(name) if isinstance(name, str) else None
        if named_kind is None:
            raise InvalidGridError(
                f"grids of the variant {name!r} cannot be read from JSON",
                hint="'--variant MODULE:NAME' names the code that knows their rules",
            )
        kind = named_kind
    if kind.takes:
        side_lengths = rules.sides or _read_sides(kind.name, fields.get(kind.name), MAX_ROWS**2)
        if len(side_lengths) != len(kind.takes.split(",")):
            raise InvalidGridError(f"{kind.title} in JSON must have the sides {kind.takes}")
        return VariantOptions(kind=kind, sides=side_lengths)
    if kind.draw:
        return VariantOptions(
            kind=kind, regions=rules.regions or _read_regions(fields.get("regions"))
        )
    if box is None:
        return VariantOptions(kind=kind)
    side_lengths = _read_sides("box", box, MAX_ROWS)
    if len(side_lengths) != 2:
        raise InvalidGridError(f"'box' in JSON must be two positive integers, not {box!r}")
    return VariantOptions(kind=kind, box=(side_lengths[0], side_lengths[1]))


def _read_link(link: object) -> StoredPuzzle:
    """Return the puzzle in a link, by which JSON objects store puzzles with constraints."""
    puzzles = formats.read_stored_puzzles(link) if isinstance(link, str) else None
    puzzle = next(puzzles, None) if puzzles else None
    if puzzle is None:
        raise InvalidGridError(
            "a JSON object with constraints must have a link to its puzzle under 'link'"
        )
    return puzzle


def _read_regions(value: object) -> tuple[str, ...]:
    """Return the rows of the map of a jigsaw in JSON."""
    if not isinstance(value, list) or not all(isinstance(row, str) for row in value):
        raise InvalidGridError(
            "a jigsaw in JSON must have the rows of its map as texts under 'regions'"
        )
    return require_jigsaw_map(value)


def _read_sides(key: str, value: object, max_cells: int) -> tuple[int, ...]:
    """Return the positive integers in a JSON field, whose product is at most `max_cells`."""
    side_lengths = tuple(value) if isinstance(value, (list, tuple)) else ()
    if not side_lengths or any(type(side) is not int or side < 1 for side in side_lengths):
        raise InvalidGridError(f"{key!r} in JSON must be positive integers, not {value!r}")
    if prod(side_lengths) > max_cells:
        raise InvalidGridError(
            f"{key!r} in JSON must have at most {max_cells} cells, not {value!r}"
        )
    return side_lengths


def _is_one_grid(lines: list[str], rules: VariantOptions) -> bool:
    """Return whether the lines are the rows of one grid."""
    if len(lines) < 2 or any("|" in line for line in lines):
        return False
    if not rules.kind.square:
        variant = rules.make_variant()
        cell_count, *line_cell_counts = (
            len(split_symbols(text, variant.digits)) for text in ["\n".join(lines), *lines]
        )
        return max(line_cell_counts) < cell_count == len(variant.cells)
    row_count = len(lines) if rules.box is None else rules.box[0] * rules.box[1]
    if len(lines) != row_count:
        return False
    rows = [line.split() for line in lines]
    unspaced_flags = [len("".join(row)) == row_count <= len(SYMBOLS) for row in rows]
    return all(
        is_unspaced or len(row) == row_count > 9
        for is_unspaced, row in zip(unspaced_flags, rows, strict=True)
    )


def _require_puzzle(text: str, argument: str, rules: VariantOptions) -> None:
    """Raise an error if an argument is neither a puzzle of these rules nor the name of a file."""
    cell_count = len(split_symbols(text))
    try:
        variant = rules.make_variant(cell_count)
        if cell_count != len(variant.cells):
            raise InvalidGridError(f"{cell_count} cells do not fit {variant.name}")
    except InvalidGridError as error:
        shown_argument = argument if len(argument) <= 60 else f"{argument[:57]}..."
        raise InvalidGridError(
            f"{shown_argument!r} is neither a file nor a valid puzzle: {error}",
            hint=f"{READABLE_FORMS}; give a puzzle in this form, a file that contains it, or - "
            "for stdin",
        ) from None


def _is_file_or_pipe(argument: str) -> bool:
    """Return whether a file exists that has this name, or a pipe that a shell made."""
    try:
        return Path(argument).exists()
    except (OSError, ValueError):  # for example, the text is too long for a name
        return False
