"""Where the results of the Sudoku commands go, and in which form."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import click

from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.errors import (
    InvalidGridError,
    InvalidParameterError,
    SudokucryptError,
    format_reason,
)
from sudokucrypt.sudoku import SudokuGrid, SudokuPuzzle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sudokucrypt.cli.sudoku.sheet_options import VariantOptions
    from sudokucrypt.sudoku import Step
    from sudokucrypt.sudoku.drawing import Sheet

Form: TypeAlias = Literal["text", "line", "json", "png", "svg", "html"]

_SUFFIXES: dict[str, Form] = {
    ".txt": "text",
    ".sdm": "line",
    ".json": "json",
    ".jsonl": "json",
    ".png": "png",
    ".svg": "svg",
    ".html": "html",
}
# SVG has no limit of pixels, so that cells are never made smaller.
_CELL_OF_SVG = 40


@dataclass(frozen=True, kw_only=True)
class ResultRecord:
    """A grid, a puzzle, a puzzle and its solution, or a solution, and its fields in JSON."""

    shown: tuple[SudokuGrid | SudokuPuzzle, ...]
    fields: Mapping[str, Any]  # what JSON says
    steps: tuple[Step | str, ...] = ()
    givens: SudokuPuzzle | None = None  # the puzzle that the last of `shown` solves
    caption: str = ""  # what pictures say of it, apart from its number
    lines: str = ""  # many line forms, in place of all else

    def text(self) -> str:
        """Return the steps, then the sheets with ruled boxes."""
        steps = ["\n".join(map(str, self.steps))] if self.steps else []
        return "\n\n".join(steps + [sheet.pretty() for sheet in self.shown])

    def line(self) -> str:
        """Return the steps, then the line forms with commas between."""
        sheets = [",".join(sheet.to_text() for sheet in self.shown)] if self.shown else []
        return self.lines or "\n".join([*map(str, self.steps), *sheets])

    def rules(self) -> set[str]:
        """Return the rules of its kind for players."""
        variants = [sheet.variant for sheet in self.shown if isinstance(sheet, SudokuPuzzle)]
        return {variant.rule for variant in variants if variant.rule}

    def json(self) -> str:
        """Return one line of JSON."""
        told = self.steps and not self.lines
        steps = {"steps": [str(step) for step in self.steps]} if told else {}
        return json.dumps({**self.fields, **steps})

    def sheets(self, *, captions: bool) -> list[Sheet]:
        """Return what is drawn."""
        from sudokucrypt.sudoku.drawing import Sheet

        number = self.fields.get("number", "") if captions else ""
        kind = "Puzzle" if self.givens else "Grid"
        solved = f"Solution {number}".strip() if captions else ""
        if self.givens is not None and self.givens is not self.shown[0]:
            kind = "Solution"
        first = ": ".join(filter(None, (f"{kind} {number}" if number else "", self.caption)))
        words = [first, *[solved] * (len(self.shown) - 1)]
        drawn = [
            Sheet(shown=sheet, caption=word) for sheet, word in zip(self.shown, words, strict=True)
        ]
        return [*drawn[:-1], replace(drawn[-1], givens=self.givens)]


def list_result_fields(
    rules: VariantOptions, sheet: SudokuGrid | SudokuPuzzle, solution: SudokuPuzzle | None = None
) -> dict[str, Any]:
    """Return what JSON says about the rules of a sheet; a link has its solution too."""
    if isinstance(sheet, SudokuGrid):
        box, digits = sheet.box, sheet.order
    else:
        box, digits = sheet.variant.box, sheet.variant.digits
    named = {"variant": rules.kind.name, "box": list(box), "digits": digits, **rules.fields()}
    if isinstance(sheet, SudokuPuzzle) and sheet.variant.regions:
        named["regions"] = list(sheet.variant.regions)
    if isinstance(sheet, SudokuPuzzle) and sheet.variant.constraints:
        named |= {"variant": "constraints", "rule": sheet.variant.rule}
        from sudokucrypt.sudoku.formats import StoredPuzzle, link_of

        with suppress(InvalidGridError):  # what f-puzzles has no words for is not read again
            named["link"] = link_of(StoredPuzzle(sheet, solution=solution))
    return named


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """Where results go, and in which form."""

    output: str | None
    file_format: Form | None
    force: bool

    @property
    def given(self) -> bool:
        """Whether any of it was given."""
        return self.output is not None or self.file_format is not None

    @property
    def to_stdout(self) -> bool:
        """Whether results are printed."""
        return self.output in (None, "-")

    def form(self, default: Form, *, playable: bool = False) -> Form:
        """Return the form that was named, else the one of the suffix."""
        form = self.file_format
        if (
            form is None
            and self.output is not None
            and not self.to_stdout
            and not self._is_stream()
        ):
            form = _SUFFIXES.get(Path(self.output).suffix.lower())
            if form is None:
                raise click.UsageError(
                    f"the suffix of '{self.output}' is not a known format; choose one with --format"
                )
        if form == "png" and self.to_stdout and sys.stdout.isatty():
            raise click.UsageError("a picture is not for the terminal; name a file with -o")
        if form == "html" and not playable:
            raise click.UsageError("an HTML page is to play puzzles on; 'sudoku puzzle' writes one")
        return form or default

    def check_free(self, count: int) -> None:
        """Refuse files that exist, before that many results are made."""
        if self.force or self.to_stdout or self._is_stream():
            return
        from sudokucrypt.storage import require_free

        for number in range(1, count + 1 if is_template(self.output or "") else 2):
            require_free(self._get_path(number))

    def write(self, records: Iterable[ResultRecord], form: Form) -> None:
        """Write results as they come; pictures of several fill one page. None leave no file."""
        if self.to_stdout:
            for part in _iterate_parts(records, form):
                click.echo(part, nl=False)
        elif is_template(self.output or ""):
            for number, record in enumerate(records, 1):
                self._store(self._get_path(number), [record], form)
        elif self._is_stream():
            _write_on(self._get_path(1), _iterate_parts(records, form))
        else:
            every = iter(records)
            for first in every:
                self._store(self._get_path(1), chain([first], every), form)

    def _store(self, path: Path, records: Iterable[ResultRecord], form: Form) -> None:
        from sudokucrypt.storage import write_atomically

        write_atomically({path: _iterate_parts(records, form)}, replace=self.force)

    def _get_path(self, number: int) -> Path:
        return number_file(self.output or "", number)

    def _is_stream(self) -> bool:
        """Return whether the output is a device or a pipe: no suffix counts, and it stays."""
        path = Path(self.output or "")
        return path.exists() and not path.is_file() and not path.is_dir()


def is_template(name: str) -> bool:
    """Return whether each result gets a file of its own, with {number} in its name."""
    with suppress(ValueError):
        fields = {field for _, field, _, _ in Formatter().parse(name) if field is not None}
        if fields <= {"number"}:
            return name.format(number=1) != name.format(number=2)
    raise click.UsageError(f"'{name}' may have {{number}} in it, and no other braces")


def number_file(name: str, number: int) -> Path:
    """Return the file of a result."""
    return Path(name.format(number=number) if is_template(name) else name)


# Gives a command the options for its output, as one parameter ``output``.
output_options = option_group(
    "output",
    ResultOptions,
    option(
        "-o, --output OUT",
        "File for all results, or a file for each if its name contains {number}; by default "
        "results are printed.",
    ),
    option(
        "--format",
        "Text with ruled boxes, line form, JSON, a picture, or for 'puzzle' a page to play on. The "
        "suffix of OUT also chooses it: .txt, .sdm, .json, .jsonl, .png, .svg or .html.",
        name="file_format",
        type=click.Choice(get_args(Form)),
    ),
    option("--force", "Replace existing output."),
)


def _write_on(path: Path, parts: Iterable[bytes]) -> None:
    """Write to what cannot be replaced by a new file."""
    try:
        with path.open("wb") as file:
            file.writelines(parts)
    except OSError as error:
        reason = format_reason(error)
        raise SudokucryptError(f"cannot write '{path}': {reason}") from error


def _iterate_parts(records: Iterable[ResultRecord], form: Form) -> Iterator[bytes]:
    """Yield the bytes of a file of results."""
    if form in ("png", "svg"):
        yield from _iterate_picture(list(records), form)
        return
    if form == "html":
        yield _make_page(list(records))
        return
    rules: set[str] = set()
    for index, record in enumerate(records):
        if form != "json":  # a comment, which is left out where the sheets are read
            more = record.rules() - rules
            rules |= more
            yield "".join(f"# {rule}\n" for rule in sorted(more)).encode()
        if form == "text":
            yield f"{chr(10) if index else ''}{record.text()}\n".encode()
        else:
            yield f"{record.json() if form == 'json' else record.line()}\n".encode()


def _make_page(records: list[ResultRecord]) -> bytes:
    """Return a page on which the puzzles are played."""
    from sudokucrypt.page.playing import play_page

    sheets = [record.sheets(captions=len(records) > 1) for record in records]
    return play_page(
        [record.givens for record in records if record.givens],
        captions=[first.caption for first, *_ in sheets],
        per_page=1 if len(records) == 1 else None,
        solutions=len(sheets[0]) > 1,
    )


def _iterate_picture(records: list[ResultRecord], form: Form) -> Iterator[bytes]:
    """Yield the bytes of a page with all results."""
    sheets = [sheet for record in records for sheet in record.sheets(captions=len(records) > 1)]
    columns, count = None, len(records)
    if len(records[0].shown) == 2:  # puzzles with their solutions, as many as make a square page
        columns = 2 * min(range(1, count + 1), key=lambda n: abs(2 * n - -(-count // n)))
    yield from draw_sheets(sheets, form, columns=columns)


def draw_sheets(
    sheets: Sequence[Sheet], form: str, *, columns: int | None = None
) -> Iterator[bytes]:
    """Yield the bytes of a picture of sheets, an SVG or a PNG."""
    from sudokucrypt.images import paint, picture_parts
    from sudokucrypt.sudoku.drawing import draw, to_svg

    try:
        drawing = draw(sheets, columns=columns, cell=_CELL_OF_SVG if form == "svg" else None)
    except InvalidParameterError as error:
        hint = "write one file for each, with {number} in its name"
        raise InvalidParameterError(str(error), hint=hint) from None
    if form == "svg":
        yield to_svg(drawing).encode()
    else:
        for part in picture_parts(paint(drawing), "PNG", compress=6):
            yield bytes(part)
