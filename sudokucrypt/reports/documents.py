"""Write a report as JSON, CSV, Markdown, text for a terminal, or one page of HTML."""

import csv
import io
import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from importlib import import_module
from math import isfinite
from pathlib import Path
from textwrap import wrap
from typing import Any, get_args

import numpy as np

from sudokucrypt._version import __version__
from sudokucrypt.analysis.inputs import require_library
from sudokucrypt.reports.document import FigureFormat, Report, Table
from sudokucrypt.reports.drawings import decode_drawing, draw_strip
from sudokucrypt.reports.table_layout import (
    TERMINAL_WIDTH,
    align_fields,
    find_number_columns,
    format_table_lines,
    mark_verdict,
)
from sudokucrypt.reports.words import UNKNOWN_MARK

CITATION = f"Cite as: The sudokucrypt authors, sudokucrypt {__version__}, software, 2026."
"""The foot of reports."""

_TAG_START = re.compile("<(?=[A-Za-z/!?])")
# The first characters of formulas in spreadsheets, as OWASP lists them.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n")


def to_json(report: Report) -> str:
    """Return the data of a report as JSON, with the version of this package.

    NaN and infinity become null, since JSON does not have them.

    Parameters
    ----------
    report : Report
        The report.
    """
    data = {"sudokucrypt": __version__, **report.data}
    return json.dumps(_make_json_value(data), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _make_json_value(value: Any) -> Any:
    """Convert data to types of Python, replace NaN and infinity by None, and keys by text."""
    # The module json cannot write numbers of NumPy, and NaN is not valid JSON.
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _make_json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_make_json_value(item) for item in value]
    return value


def to_csv(report: Report) -> str:
    """Return the main table as CSV with stable column names; unknown values are empty fields.

    Text that a spreadsheet would run as a formula, such as the file name "=1+1.png", is preceded
    by an apostrophe.

    Parameters
    ----------
    report : Report
        The report.
    """
    buffer = io.StringIO()
    rows = [_make_json_value(dict(record)) for record in report.records]
    writer = csv.writer(buffer, lineterminator="\n")
    for line in [list(rows[0]) if rows else [], *(row.values() for row in rows)]:
        writer.writerow(map(_make_inert_field, line))
    return buffer.getvalue()


def _make_inert_field(field: Any) -> Any:
    """Return a field of CSV that spreadsheets do not read as a formula or a line break."""
    # Fields that are not strings stay unchanged, so a negative number keeps its sign.
    if not isinstance(field, str):
        return field
    # The writer does not quote a carriage return, after which a formula could begin.
    text = field.replace("\r", "\ufffd")
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def to_markdown(report: Report) -> str:
    """Return the text and tables of a report as Markdown, without drawings.

    Names that look like tags of HTML are escaped.

    Parameters
    ----------
    report : Report
        The report.
    """
    # The name of a file may look like an HTML tag, which Markdown would copy to the page.
    return _TAG_START.sub(r"\\<", "\n".join(_format_markdown_lines(report)))


def _format_markdown_lines(report: Report) -> Iterator[str]:
    yield from (f"# {report.title}", "", report.lead, "")
    yield from (f"- {name}: {value}" for name, value in report.facts)
    yield ""
    for section in report.sections:
        if not (section.paragraphs or section.tables or section.notes):
            continue
        yield from (f"## {section.title}", "")
        for paragraph in section.paragraphs:
            yield from (paragraph, "")
        for table in section.tables:
            if table.title != section.title:
                yield from (f"### {table.title}", "")
            yield from _format_markdown_table(table)
        yield from (f"- {note}" for note in section.notes)
        if section.notes:
            yield ""
    yield CITATION


def _format_markdown_table(table: Table) -> Iterator[str]:
    right_flags = find_number_columns(table)
    fields = [list(table.columns), *([mark_verdict(cell) for cell in row] for row in table.rows)]
    heads, *rows = align_fields(
        [[field.replace("|", "\\|") for field in line] for line in fields], right_flags
    )
    rule = [
        "-" * (len(head) - 1) + (":" if is_right else "-")
        for head, is_right in zip(heads, right_flags, strict=True)
    ]
    for line in (heads, rule, *rows):
        yield f"| {' | '.join(line)} |"
    yield ""


def to_text(report: Report, *, width: int = TERMINAL_WIDTH) -> str:
    """Return title, lead and tables as text, aligned for a terminal with `width` columns.

    Parameters
    ----------
    report : Report
        The report.
    width : int, default 80
        The width of the terminal in characters.
    """
    lines = [*wrap(report.title, width), "", *wrap(report.lead, width), ""]
    for section in report.sections:
        for table in section.tables:
            lines += [
                table.title,
                "-" * len(table.title),
                *format_table_lines(table, width=width),
                "",
            ]
    return "\n".join(lines)


_UNSAFE_CHARACTERS = re.compile(r"[^a-z0-9]+")


def to_figures(report: Report) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of a file for each drawing, as SVG and as PDF.

    Pictures that a section shows side by side are also joined in one file. Raises
    `UnsupportedError` if Matplotlib is not installed.

    Parameters
    ----------
    report : Report
        The report.
    """
    for section_number, section in enumerate(report.sections, 1):
        pictures = []
        stem = (
            f"{section_number:02}-{_UNSAFE_CHARACTERS.sub('-', section.title.lower()).strip('-')}"
        )
        for figure_number, figure in enumerate(section.figures, 1):
            kind, content = figure.draw()
            if kind == "image/png":
                pictures.append((figure.title, decode_drawing(content)))
            name = _UNSAFE_CHARACTERS.sub("-", figure.title.lower()).strip("-")[:40].strip("-")
            for form in get_args(FigureFormat)[1:]:
                yield f"{stem}-{figure_number:02}-{name}.{form}", figure.draw(form=form)[1]
        if len(pictures) > 1:
            for form in get_args(FigureFormat)[1:]:
                yield f"{stem}-strip.{form}", draw_strip(pictures, form)[1]


_TEMPLATE_FOLDER = Path(__file__).with_name("templates")


def require_page_libraries() -> None:
    """Raise `UnsupportedError` if a library that `to_html` needs is not installed."""
    for package in ("Jinja2", "matplotlib"):
        with require_library(package):
            import_module(package.lower())


def to_html(report: Report, *, progress: Callable[[int, int], None] | None = None) -> str:
    """Return a report as one page of HTML with all drawings.

    Raises `UnsupportedError` if Jinja2 or Matplotlib is not installed.

    Parameters
    ----------
    report : Report
        The report.
    progress : callable, optional
        Called after each drawing with the number of finished drawings and of all drawings.
    """
    with require_library("Jinja2"):
        import jinja2
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATE_FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    figures = [figure for section in report.sections for figure in section.figures]
    sources: dict[int, str] = {}
    for finished_count, figure in enumerate(figures, start=1):
        kind, content = figure.draw()
        sources[id(figure)] = f"data:{kind};base64,{b64encode(content).decode('ascii')}"
        if progress is not None:
            progress(finished_count, len(figures))
    return str(
        environment.get_template("report.html.jinja").render(
            report=report,
            sources=sources,
            identity=id,
            unknown=UNKNOWN_MARK,
            version=__version__,
            cite_as=CITATION,
        )
    )
