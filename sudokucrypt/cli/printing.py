"""Files for printing: pages as PDF, as PNG with 300 pixels per inch, or as SVG."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias

import click

from sudokucrypt.sudoku.drawing import DOTS, Drawing, scale_drawing, to_pdf, to_svg

PageFormat: TypeAlias = Literal["pdf", "png", "svg"]

_FORMS_BY_SUFFIX: dict[str, PageFormat] = {".pdf": "pdf", ".png": "png", ".svg": "svg"}
_PNG_SCALE = 2  # pixels of a PNG per unit of a drawing


def choose_page_format(output: str, *further_suffixes: str) -> PageFormat:
    """Return the form for the suffix of a file name.

    `further_suffixes` are those, which an error message lists as known.
    """
    form = _FORMS_BY_SUFFIX.get(Path(output).suffix.lower())
    if form is None:
        known_suffixes = ", ".join([*_FORMS_BY_SUFFIX, *further_suffixes])
        raise click.UsageError(
            f"the suffix of '{output}' is not a known format; these are: {known_suffixes}"
        )
    return form


def iterate_page_parts(pages: Iterable[Drawing], form: PageFormat, title: str) -> Iterator[bytes]:
    """Yield the parts of a file with the given pages; only PDF can have several pages."""
    if form == "pdf":
        yield to_pdf(pages, title=title)
        return
    (page,) = pages
    if form == "svg":
        yield to_svg(page, dots=DOTS).encode()
        return
    from sudokucrypt.images import Metadata, Resolution, paint, picture_parts

    picture = paint(scale_drawing(page, _PNG_SCALE))
    density = Fraction(_PNG_SCALE * DOTS)
    resolution = Resolution(columns=density, rows=density, unit="inch")
    sized_picture = replace(picture, metadata=Metadata(resolution=resolution))
    for part in picture_parts(sized_picture, "PNG", compress=6):
        yield bytes(part)
