"""Files for the printer: pages as PDF, as PNG of 300 pixels to an inch, or as SVG."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias

import click

from sudokucrypt.sudoku.drawing import DOTS, Drawing, scale_drawing, to_pdf, to_svg

PageForm: TypeAlias = Literal["pdf", "png", "svg"]

_FORMS: dict[str, PageForm] = {".pdf": "pdf", ".png": "png", ".svg": "svg"}
_FINER = 2  # pixels of a PNG for each of a drawing


def choose_page_form(output: str, *others: str) -> PageForm:
    """Return the form that the suffix of a name chooses; `others` are suffixes known elsewhere."""
    form = _FORMS.get(Path(output).suffix.lower())
    if form is None:
        known = ", ".join([*_FORMS, *others])
        raise click.UsageError(
            f"the suffix of '{output}' is not a known format; these are: {known}"
        )
    return form


def iterate_page_parts(pages: Iterable[Drawing], form: PageForm, title: str) -> Iterator[bytes]:
    """Yield the bytes of a file of pages, of which only PDF can have several."""
    if form == "pdf":
        yield to_pdf(pages, title=title)
        return
    (page,) = pages
    if form == "svg":
        yield to_svg(page, dots=DOTS).encode()
        return
    from sudokucrypt.images import Metadata, Resolution, paint, picture_parts

    picture = paint(scale_drawing(page, _FINER))
    density = Fraction(_FINER * DOTS)
    resolution = Resolution(columns=density, rows=density, unit="inch")
    printed = replace(picture, metadata=Metadata(resolution=resolution))
    for part in picture_parts(printed, "PNG", compress=6):
        yield bytes(part)
