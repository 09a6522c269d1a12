"""Where a report goes and in which form, as one parameter of a command."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from sudokucrypt.analysis.extras import require
from sudokucrypt.analysis.reports import to_csv, to_html, to_json, to_markdown, to_text
from sudokucrypt.cli.gathering import gathered
from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.errors import InvalidParameterError, SudokucryptError
from sudokucrypt.storage import require_free, same_file, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudokucrypt.analysis.reports import Report

_STREAM = Path("-")
_WRITERS = {"json": to_json, "markdown": to_markdown, "csv": to_csv, "text": to_text}


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """What was said on the command line about the report."""

    form: Literal["json", "markdown", "csv"] | None
    page: Path | None
    output: Path | None
    force: bool

    def check(self, sources: Iterable[Path], *, also: Iterable[Path] = ()) -> None:
        """Refuse what could not be written in the end, before any work is done.

        Parameters
        ----------
        sources : iterable of Path
            The inputs.
        also : iterable of Path
            What else the command writes.
        """
        named = (self.page, self.output, *also)
        targets = [path for path in named if path is not None and path != _STREAM]
        if self.page == _STREAM and (self.form is not None or self.output is not None):
            raise click.UsageError("stdout cannot take both the page and another form")
        if self.page is not None:
            for library in ("jinja2", "matplotlib"):
                require(library)
        for number, target in enumerate(targets):
            if not target.parent.exists():
                raise SudokucryptError(f"cannot write '{target}': its folder does not exist")
            if not self.force:
                require_free(target)
            if any(same_file(target, other) for other in targets[:number]):
                raise click.UsageError(f"two results are written to '{target}'")
            if any(same_file(target, source) for source in sources if source != _STREAM):
                raise InvalidParameterError(
                    "input and output are the same file", hint="name another output"
                )

    def write(self, report: Report) -> None:
        """Write the page if there is one, and everything else that was asked for."""
        contents = {}
        if self.page is not None:
            with progress_bar("drawing") as advance:
                page = to_html(report, progress=advance).encode("utf-8")
            if self.page == _STREAM:
                sys.stdout.buffer.write(page)
                return
            contents[self.page] = [page]
        text = _WRITERS[self.form or "text"](report)
        to_stdout = self.output is None or self.output == _STREAM
        if self.output is not None and not to_stdout:
            contents[self.output] = [text.encode("utf-8")]
        write_atomically(contents, replace=self.force)
        wanted = self.page is None or self.form is not None or self.output is not None
        if wanted and to_stdout:
            click.echo(text, nl=not text.endswith("\n"))


output_options = gathered(
    "output",
    OutputOptions,
    (
        click.option("--json", "form", flag_value="json", default=None, help="JSON."),
        click.option("--markdown", "form", flag_value="markdown", help="Markdown."),
        click.option("--csv", "form", flag_value="csv", help="CSV, one line for each row."),
        click.option(
            "--html",
            "page",
            metavar="OUT.html",
            type=click.Path(path_type=Path),
            help="Write one page with all pictures; it needs no network.",
        ),
        click.option(
            "-o",
            "--output",
            metavar="OUT",
            type=click.Path(path_type=Path),
            help="Where the other forms go; by default, and as -, to stdout.",
        ),
        click.option("--force", is_flag=True, help="Replace existing output."),
    ),
)
"""Gives a command the options for its report, as one parameter ``output``."""
