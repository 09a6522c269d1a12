"""Files of the analysis commands: read samples of pictures, and write reports in any form."""

import csv
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import Literal, get_args

import click

from sudokucrypt.analysis import NamedImage, NamedJpeg
from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.cli.messages import say, show_progress_bar
from sudokucrypt.cli.options import PATH_TYPE
from sudokucrypt.errors import (
    InvalidParameterError,
    OutputExistsError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.reports import (
    Report,
    to_csv,
    to_figures,
    to_html,
    to_json,
    to_latex,
    to_markdown,
    to_text,
)
from sudokucrypt.reports.documents import require_page_libraries
from sudokucrypt.reports.latex import TableWidth
from sudokucrypt.storage import is_same_file, make_folder, require_free, write_atomically

_STANDARD_STREAM = Path("-")
_PORTRAIT_FILE = Path(__file__).parents[1] / "pictures" / "demo.jpg"
# The least number of columns of a printed report; a narrower terminal breaks lines itself.
_MIN_WIDTH = 40
# The form of a report for each suffix.
_FORMS_BY_SUFFIX = {
    ".csv": "csv",
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
}
_UNPRINTABLE_CATEGORIES = {"Cc", "Zl", "Zp"}


def read_jpeg(source: Path, *, max_pixels: int | None = None) -> NamedJpeg:
    """Read a JPEG file, or stdin for ``-``, without decoding it."""
    from sudokucrypt.images import MAX_PIXELS, header_in_jpeg, read_file

    limit = MAX_PIXELS if max_pixels is None else max_pixels
    content = sys.stdin.buffer.read() if source == _STANDARD_STREAM else read_file(source)
    # Reports contain the name, which must not send control characters to a terminal.
    name = "stdin" if source == _STANDARD_STREAM else _make_printable(source.name)
    if not content.startswith(b"\xff\xd8\xff"):
        raise UnsupportedError(
            f"'{name}' is not a JPEG, which this attack takes", hint="name a JPEG file"
        )
    if header_in_jpeg(content, name) is not None:
        say("note", f"'{name}' is scrambled already: attacks need the plain picture")
    return NamedJpeg(name=name, data=content, max_pixels=limit)


def read_bytes(source: Path) -> bytes:
    """Read a file of any kind, or stdin for ``-``."""
    from sudokucrypt.images import read_file

    content = sys.stdin.buffer.read() if source == _STANDARD_STREAM else read_file(source)
    if not content:
        raise InvalidParameterError(f"'{source}' is empty: there are no bits to test")
    return content


def read_image(source: Path, *, max_pixels: int | None = None) -> NamedImage:
    """Read the samples of a picture file, or of stdin for ``-``, as they are stored."""
    from sudokucrypt.images import MAX_PIXELS, decode_picture, read_picture

    limit = MAX_PIXELS if max_pixels is None else max_pixels
    if source == _STANDARD_STREAM:
        picture = decode_picture(sys.stdin.buffer.read(), "stdin", max_pixels=limit)
        name = "stdin"
    else:
        picture = read_picture(source, max_pixels=limit)
        name = _make_printable(source.name)
    if picture.pixels.dtype.name not in {"bool", "uint8", "uint16"}:
        raise UnsupportedError(
            f"'{name}' has samples of {picture.pixels.dtype}, but only those of 1 to 16 bits can "
            "be measured"
        )
    if picture.format == "JPEG" and picture.header is not None:
        say(
            "note",
            f"'{name}' is a scrambled JPEG: the pixels that viewers show are measured, and within "
            "each block they stay similar",
        )
    return NamedImage(name=name, pixels=picture.pixels, levels=2**picture.depth)


def read_images(sources: Sequence[Path], *, max_pixels: int | None = None) -> list[NamedImage]:
    """Read several pictures; those with the same file name are named by their path."""
    images = [read_image(source, max_pixels=max_pixels) for source in sources]
    names = [source.name for source in sources]
    return [
        replace(image, name=_make_printable(str(source))) if names.count(source.name) > 1 else image
        for source, image in zip(sources, images, strict=True)
    ]


def read_published_rows(source: Path) -> list[dict[str, str]]:
    """Read rows of published values: CSV with the columns that ``compare --csv`` writes."""
    from sudokucrypt.images import read_file

    try:
        rows = list(csv.DictReader(read_file(source).decode("utf-8-sig").splitlines()))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidParameterError(f"'{source}' is no table of values: {error}") from error
    if not rows or "scheme" not in rows[0]:
        raise InvalidParameterError(
            f"'{source}' has no column 'scheme', or no rows",
            hint="write one row for each scheme, with the columns of 'compare --csv'",
        )
    return [
        {name: _make_printable(value or "") for name, value in row.items() if name} for row in rows
    ]


def load_portrait() -> NamedImage:
    """Load the portrait that is measured if the command names no picture."""
    return replace(read_image(_PORTRAIT_FILE), name="portrait")


def _make_printable(name: str) -> str:
    """Return the name of a file as one line of text without control characters."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return "".join(
        "\ufffd" if unicodedata.category(character) in _UNPRINTABLE_CATEGORIES else character
        for character in text
    )


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """The options for the files and forms of a report."""

    flags: tuple[Literal["json", "markdown", "csv", "latex"], ...]
    width: TableWidth
    figures: Path | None
    outputs: tuple[Path, ...]
    force: bool

    def add_default_files(self, *paths: Path) -> "ReportOptions":
        """Return the options with these outputs, unless the user chose a file or a form."""
        return self if self.outputs or self.flags else replace(self, outputs=paths)

    def check(self, sources: Sequence[Path], *, other_files: Iterable[Path] = ()) -> None:
        """Raise an error, before any work is done, if the report could not be written.

        `other_files` are further outputs of the command.
        """
        _check_sources(sources)
        self._check_flags()
        outputs = [*self._choose_forms(), *other_files]
        files = [path for path in outputs if path != _STANDARD_STREAM]
        if len(outputs) - len(files) > 1:
            raise click.UsageError("stdout can take only one result")
        self._check_drawings()
        for index, file in enumerate(files):
            if file.is_dir():
                raise InvalidParameterError(
                    f"'{file}' is a folder", hint=f"name a file in it: {file / 'report.html'}"
                )
            if not file.parent.exists():
                raise SudokucryptError(f"cannot write '{file}': its folder does not exist")
            if not self.force:
                require_free(file)
            if any(is_same_file(file, other_file) for other_file in files[:index]):
                raise click.UsageError(f"two results are written to '{file}'")
            if any(is_same_file(file, source) for source in sources if source != _STANDARD_STREAM):
                raise InvalidParameterError(
                    "input and output are the same file", hint="name another output"
                )

    def _choose_forms(self) -> dict[Path, str]:
        """Return the form of each output: by its suffix, otherwise by a flag, otherwise text."""
        flag = self.flags[0] if self.flags else "text"
        outputs = self.outputs or (_STANDARD_STREAM,)
        return {path: _FORMS_BY_SUFFIX.get(path.suffix.lower(), flag) for path in outputs}

    def _check_flags(self) -> None:
        """Raise an error for two forms of one output, or a form that no output has."""
        if len(set(self.flags)) > 1:
            raise click.UsageError("choose one of --json, --markdown, --csv and --latex")
        if len({*self.outputs}) < len(self.outputs):
            raise click.UsageError("two results are written to one file")
        for flag in {*self.flags} - {*self._choose_forms().values()}:
            path, form = next(iter(self._choose_forms().items()))
            raise click.UsageError(
                f"'{path}' has the form {form} by its suffix: leave --{flag} out, or add -o -"
            )

    def _check_drawings(self) -> None:
        """Raise an error if drawings cannot be made, or would replace files in a folder."""
        if self.figures is not None or "html" in self._choose_forms().values():
            require_page_libraries()
        if self.figures is not None and not self.force and any(self.figures.glob("*")):
            raise OutputExistsError(
                f"'{self.figures}' contains files already",
                hint="choose another folder, or replace them with --force",
                hint_key="replace",
            )

    def _render(self, report: Report, format_name: str, *, is_printed: bool) -> bytes:
        """Return a report in one form; printed text is as wide as the terminal."""
        if format_name == "html":
            with show_progress_bar("drawing") as advance:
                return to_html(report, progress=advance).encode("utf-8")
        writers: dict[str, Callable[[Report], str]] = {
            "json": to_json,
            "markdown": to_markdown,
            "csv": to_csv,
            "latex": partial(to_latex, width=self.width),
            "text": to_text,
        }
        if format_name == "text" and is_printed and sys.stdout.isatty():
            writers["text"] = partial(to_text, width=max(_MIN_WIDTH, get_terminal_size().columns))
        text = writers[format_name](report)
        return f"{text}{'' if text.endswith(chr(10)) else chr(10)}".encode()

    def write(self, report: Report, *, other_files: Mapping[Path, bytes] | None = None) -> None:
        """Write the report in all its forms, its drawings, and the other files of the command."""
        contents = dict(other_files or {})
        for path, format_name in self._choose_forms().items():
            contents[path] = self._render(report, format_name, is_printed=path == _STANDARD_STREAM)
        if self.figures is not None:
            make_folder(self.figures)
            contents |= {self.figures / name: drawing for name, drawing in to_figures(report)}
        # Printed last, so that nothing is printed if a file cannot be written.
        stream = contents.pop(_STANDARD_STREAM, b"")
        write_atomically(
            {path: [content] for path, content in contents.items()}, replace=self.force
        )
        click.echo(stream, nl=False)


def _check_sources(sources: Sequence[Path]) -> None:
    """Raise an error if stdin is named twice, or if a picture argument looks like a new report."""
    if sources.count(_STANDARD_STREAM) > 1:
        raise click.UsageError("stdin can be read only once")
    for source in sources:
        if source.suffix in _FORMS_BY_SUFFIX and not source.exists():
            raise click.UsageError(
                f"'{source}' is read as a picture: to write a report there, name it with -o"
            )


width_option = option(
    "--width WIDTH",
    "How wide tables in LaTeX are: as a page, or as a column of an article with two.",
    type=click.Choice(get_args(TableWidth)),
    default="page",
)

# The flags of forms are one repeatable parameter, so that two different flags can be refused.
_make_form_option = partial(option, name="flags", multiple=True)

# A decorator that adds the options for reports to a command, as one parameter ``output``.
output_options = option_group(
    "output",
    ReportOptions,
    _make_form_option("--json", "Print JSON.", flag_value="json"),
    _make_form_option("--markdown", "Print Markdown.", flag_value="markdown"),
    _make_form_option("--csv", "Print CSV, one line for each row.", flag_value="csv"),
    _make_form_option("--latex", "Print the tables in LaTeX, with booktabs.", flag_value="latex"),
    width_option,
    option(
        "--figures DIR",
        "Folder for all pictures and plots, each as SVG and as PDF.",
        type=click.Path(path_type=Path, file_okay=False, readable=False),
    ),
    option(
        "-o, --output OUT",
        "File for the report, can be repeated; its suffix chooses the form: .html is one page with "
        "all pictures and plots; .json, .csv, .md and .tex; others are text. - is stdout.",
        name="outputs",
        multiple=True,
        type=PATH_TYPE,
    ),
    option("--force", "Replace existing output."),
)
