"""Write the results of the Sudoku commands, as text, JSON, pictures or pages."""

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

OutputFormat: TypeAlias = Literal["text", "line", "json", "png", "svg", "html"]

_FORMS_BY_SUFFIX: dict[str, OutputFormat] = {
    ".txt": "text",
    ".sdm": "line",
    ".json": "json",
    ".jsonl": "json",
    ".png": "png",
    ".svg": "svg",
    ".html": "html",
}
# The size of cells in SVG is fixed: unlike a PNG, an SVG has no limit of pixels.
_SVG_CELL_SIZE = 40


@dataclass(frozen=True, kw_only=True)
class ResultRecord:
    """A result: one or two grids or puzzles, and the fields of its JSON object."""

    shown_grids: tuple[SudokuGrid | SudokuPuzzle, ...]
    fields: Mapping[str, Any]
    steps: tuple[Step | str, ...] = ()
    givens: SudokuPuzzle | None = None  # the puzzle whose solution is the last of `shown_grids`
    caption: str = ""  # the caption of the grids in pictures, without the number of the result
    lines: str = ""  # lines that are printed in place of `steps` and `shown_grids`

    def format_text(self) -> str:
        """Return the steps, then the grids with lines around boxes."""
        steps = ["\n".join(map(str, self.steps))] if self.steps else []
        return "\n\n".join(steps + [sheet.pretty() for sheet in self.shown_grids])

    def format_line(self) -> str:
        """Return the steps, then the line forms of the grids, separated by commas."""
        grid_lines = (
            [",".join(sheet.to_text() for sheet in self.shown_grids)] if self.shown_grids else []
        )
        return self.lines or "\n".join([*map(str, self.steps), *grid_lines])

    def list_rules(self) -> set[str]:
        """Return the rules of the shown grids as sentences for players."""
        variants = [sheet.variant for sheet in self.shown_grids if isinstance(sheet, SudokuPuzzle)]
        return {variant.rule for variant in variants if variant.rule}

    def format_json(self) -> str:
        """Return the result as one line of JSON."""
        has_steps = self.steps and not self.lines
        steps = {"steps": [str(step) for step in self.steps]} if has_steps else {}
        return json.dumps({**self.fields, **steps})

    def make_sheets(self, *, with_captions: bool) -> list[Sheet]:
        """Return the grids with their captions for a picture."""
        from sudokucrypt.sudoku.drawing import Sheet

        number = self.fields.get("number", "") if with_captions else ""
        grid_kind = "Puzzle" if self.givens else "Grid"
        solution_caption = f"Solution {number}".strip() if with_captions else ""
        if self.givens is not None and self.givens is not self.shown_grids[0]:
            grid_kind = "Solution"
        first_caption = ": ".join(
            filter(None, (f"{grid_kind} {number}" if number else "", self.caption))
        )
        all_captions = [first_caption, *[solution_caption] * (len(self.shown_grids) - 1)]
        captioned_sheets = [
            Sheet(shown=sheet, caption=caption)
            for sheet, caption in zip(self.shown_grids, all_captions, strict=True)
        ]
        return [*captioned_sheets[:-1], replace(captioned_sheets[-1], givens=self.givens)]


def list_result_fields(
    rules: VariantOptions, grid: SudokuGrid | SudokuPuzzle, solution: SudokuPuzzle | None = None
) -> dict[str, Any]:
    """Return the JSON fields about the rules of a grid, and a link to it if it has constraints."""
    if isinstance(grid, SudokuGrid):
        box, digits = grid.box, grid.order
    else:
        box, digits = grid.variant.box, grid.variant.digits
    fields = {
        "variant": rules.kind.name,
        "box": list(box),
        "digits": digits,
        **rules.list_rule_fields(),
    }
    if isinstance(grid, SudokuPuzzle) and grid.variant.regions:
        fields["regions"] = list(grid.variant.regions)
    if isinstance(grid, SudokuPuzzle) and grid.variant.constraints:
        fields |= {"variant": "constraints", "rule": grid.variant.rule}
        from sudokucrypt.sudoku.formats import StoredPuzzle, make_link

        with suppress(InvalidGridError):  # f-puzzles does not know all constraints
            fields["link"] = make_link(StoredPuzzle(grid, solution=solution))
    return fields


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """The options for where results are written, and in which form."""

    output: str | None
    file_format: OutputFormat | None
    force: bool

    @property
    def is_given(self) -> bool:
        """Whether any of these options is given."""
        return self.output is not None or self.file_format is not None

    @property
    def writes_to_stdout(self) -> bool:
        """Whether results are printed to stdout."""
        return self.output in (None, "-")

    def choose_format(self, default: OutputFormat, *, can_be_played: bool = False) -> OutputFormat:
        """Return the form that --format or the suffix chooses, or the default.

        Pages to play on are an error unless `can_be_played`.
        """
        chosen_format = self.file_format
        if (
            chosen_format is None
            and self.output is not None
            and not self.writes_to_stdout
            and not self._is_stream()
        ):
            chosen_format = _FORMS_BY_SUFFIX.get(Path(self.output).suffix.lower())
            if chosen_format is None:
                raise click.UsageError(
                    f"the suffix of '{self.output}' is not a known format; choose one with --format"
                )
        if chosen_format == "png" and self.writes_to_stdout and sys.stdout.isatty():
            raise click.UsageError("a picture is not for the terminal; name a file with -o")
        if chosen_format == "html" and not can_be_played:
            raise click.UsageError(
                "this command cannot write an HTML page to play on; 'sudoku puzzle' can"
            )
        return chosen_format or default

    def require_free_output(self, count: int) -> None:
        """Raise an error if any output file of the `count` results already exists."""
        if self.force or self.writes_to_stdout or self._is_stream():
            return
        from sudokucrypt.storage import require_free

        for number in range(1, count + 1 if is_template(self.output or "") else 2):
            require_free(self._get_path(number))

    def write(self, records: Iterable[ResultRecord], form: OutputFormat) -> None:
        """Write results one by one, but pictures on one page; without results, write no file."""
        if self.writes_to_stdout:
            for part in _iterate_file_parts(records, form):
                click.echo(part, nl=False)
        elif is_template(self.output or ""):
            for number, record in enumerate(records, 1):
                self._store_records(self._get_path(number), [record], form)
        elif self._is_stream():
            _write_to_stream(self._get_path(1), _iterate_file_parts(records, form))
        else:
            record_iterator = iter(records)
            for first_record in record_iterator:
                self._store_records(self._get_path(1), chain([first_record], record_iterator), form)

    def _store_records(
        self, path: Path, records: Iterable[ResultRecord], form: OutputFormat
    ) -> None:
        from sudokucrypt.storage import write_atomically

        write_atomically({path: _iterate_file_parts(records, form)}, replace=self.force)

    def _get_path(self, number: int) -> Path:
        return make_numbered_path(self.output or "", number)

    def _is_stream(self) -> bool:
        """Return whether the output is a device or a pipe, which a file must not replace."""
        path = Path(self.output or "")
        return path.exists() and not path.is_file() and not path.is_dir()


def is_template(name: str) -> bool:
    """Return whether a file name contains {number}, so that each result has its own file."""
    with suppress(ValueError):
        fields = {field for _, field, _, _ in Formatter().parse(name) if field is not None}
        if fields <= {"number"}:
            return name.format(number=1) != name.format(number=2)
    raise click.UsageError(f"'{name}' may have {{number}} in it, and no other braces")


def make_numbered_path(name: str, number: int) -> Path:
    """Return the path of the file for the result with this number."""
    return Path(name.format(number=number) if is_template(name) else name)


# A decorator that adds the options for output to a command, as one parameter ``output``.
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
        type=click.Choice(get_args(OutputFormat)),
    ),
    option("--force", "Replace existing output."),
)


def _write_to_stream(path: Path, parts: Iterable[bytes]) -> None:
    """Write to a device or a pipe, which cannot be replaced by a new file."""
    try:
        with path.open("wb") as file:
            file.writelines(parts)
    except OSError as error:
        reason = format_reason(error)
        raise SudokucryptError(f"cannot write '{path}': {reason}") from error


def _iterate_file_parts(records: Iterable[ResultRecord], form: OutputFormat) -> Iterator[bytes]:
    """Yield the parts of a file with the results."""
    if form in ("png", "svg"):
        yield from _iterate_picture_parts(list(records), form)
        return
    if form == "html":
        yield _make_page(list(records))
        return
    rules: set[str] = set()
    for index, record in enumerate(records):
        if form != "json":  # the rules are written as comments, which readers skip
            unprinted_rules = record.list_rules() - rules
            rules |= unprinted_rules
            yield "".join(f"# {rule}\n" for rule in sorted(unprinted_rules)).encode()
        if form == "text":
            yield f"{chr(10) if index else ''}{record.format_text()}\n".encode()
        else:
            yield f"{record.format_json() if form == 'json' else record.format_line()}\n".encode()


def _make_page(records: list[ResultRecord]) -> bytes:
    """Return an HTML page on which the puzzles are played."""
    from sudokucrypt.page.playing import play_page

    sheet_groups = [record.make_sheets(with_captions=len(records) > 1) for record in records]
    return play_page(
        [record.givens for record in records if record.givens],
        captions=[first_sheet.caption for first_sheet, *_ in sheet_groups],
        per_page=1 if len(records) == 1 else None,
        solutions=len(sheet_groups[0]) > 1,
    )


def _iterate_picture_parts(records: list[ResultRecord], form: OutputFormat) -> Iterator[bytes]:
    """Yield the parts of a picture with all results."""
    sheets = [
        sheet for record in records for sheet in record.make_sheets(with_captions=len(records) > 1)
    ]
    columns, count = None, len(records)
    # An even number of columns keeps both grids of a result in the same row.
    if len(records[0].shown_grids) == 2:
        columns = 2 * min(
            range(1, count + 1), key=lambda width: abs(2 * width - -(-count // width))
        )
    yield from iterate_drawing_parts(sheets, form, columns=columns)


def iterate_drawing_parts(
    sheets: Sequence[Sheet], form: str, *, columns: int | None = None
) -> Iterator[bytes]:
    """Yield the parts of an SVG or PNG picture of grids."""
    from sudokucrypt.images import paint, picture_parts
    from sudokucrypt.sudoku.drawing import draw, to_svg

    try:
        drawing = draw(sheets, columns=columns, cell=_SVG_CELL_SIZE if form == "svg" else None)
    except InvalidParameterError as error:
        hint = "write one file for each, with {number} in its name"
        raise InvalidParameterError(str(error), hint=hint) from None
    if form == "svg":
        yield to_svg(drawing).encode()
    else:
        for part in picture_parts(paint(drawing), "PNG", compress=6):
            yield bytes(part)
