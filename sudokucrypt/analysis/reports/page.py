"""A report as one HTML page that holds everything it shows and needs neither network nor script."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt._version import __version__
from sudokucrypt.analysis.extras import require
from sudokucrypt.analysis.reports.words import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.analysis.reports.document import Figure, Report

_TEMPLATES = Path(__file__).with_name("templates")


def to_html(report: Report, *, progress: Callable[[int, int], None] | None = None) -> str:
    """Draw all figures and return the page.

    Parameters
    ----------
    report : Report
        What to write.
    progress : callable, optional
        Is told how many figures are drawn, and of how many.

    Raises
    ------
    UnsupportedError
        If Jinja2 or Matplotlib is not installed.

    Examples
    --------
    >>> from sudokucrypt.analysis.reports import Report
    >>> report = Report(title="Nothing", lead="Empty.", facts=(), sections=(), data={})
    >>> to_html(report).startswith("<!doctype html>")
    True
    """
    jinja2 = require("jinja2")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    figures = [figure for section in report.sections for figure in section.figures]
    sources: dict[int, str] = {}
    for done, figure in enumerate(figures, start=1):
        sources[id(figure)] = _data_uri(figure)
        if progress is not None:
            progress(done, len(figures))
    return str(
        environment.get_template("report.html.jinja").render(
            report=report, sources=sources, identity=id, unknown=UNKNOWN, version=__version__
        )
    )


def _data_uri(figure: Figure) -> str:
    """Return the drawing of a figure as an address that contains it."""
    kind, content = figure.draw()
    return f"data:{kind};base64,{b64encode(content).decode('ascii')}"
