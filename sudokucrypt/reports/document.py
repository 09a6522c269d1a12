"""The content of a report before it is formatted: sections with text, tables and drawings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

# The use of a drawing: on a page, whose colors it follows, or in a file of its own.
FigureFormat: TypeAlias = Literal["page", "svg", "pdf"]

# A media type, and the bytes of a file of this type.
EncodedImage: TypeAlias = tuple[Literal["image/png", "image/svg+xml", "application/pdf"], bytes]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One field of a table; `verdict` is whether a random image would have such a value."""

    text: str
    verdict: bool | None = None
    number: bool = False  # whether the text is a number, which is aligned right


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under column heads; the first field of a row is its name."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    matrix: bool = False  # whether narrow screens scroll the table, and show no lists


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A drawing with its caption, and with alternative text for readers who cannot see it.

    `draw` is called when the drawing is shown, with a `FigureFormat` as ``form``, by default
    "page".
    """

    title: str
    draw: Callable[..., EncodedImage]
    alternative: str
    pixelated: bool = False  # whether enlarged pixels stay squares, without interpolation
    wide: bool = False  # whether it has a row of its own


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a report: text, drawings (at most `abreast` in a row), tables, and notes."""

    title: str
    paragraphs: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    abreast: int = 4
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Report:
    """A complete report, as text and as data.

    `lead` summarizes the results in a few sentences; `facts` are pairs of names and values. `data`
    are all results by stable names, in types of JSON, and also NaN and infinity. `records` are the
    rows of the main table, all with the same names.
    """

    title: str
    lead: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    data: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]] = ()
