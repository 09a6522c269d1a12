"""The content of a report before it is formatted: sections of words, tables and figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

# What a figure is drawn for: a page, whose colors it follows, or a file of its own.
FigureForm: TypeAlias = Literal["page", "svg", "pdf"]

# A media type, and the content of a file of this type.
EncodedImage: TypeAlias = tuple[Literal["image/png", "image/svg+xml", "application/pdf"], bytes]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One field of a table, with a verdict on whether it is as for a random image, if any."""

    text: str
    verdict: bool | None = None
    number: bool = False  # lined up on the right


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under column heads; the first field of a row says what the row is about."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    matrix: bool = False  # a narrow screen scrolls it sideways, and writes no row as a list


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One drawing, with its caption and words for those who cannot see it; drawn when shown.

    `draw` takes a `FigureForm` as ``form``, by default "page".
    """

    title: str
    draw: Callable[..., EncodedImage]
    alternative: str
    pixelated: bool = False  # enlarged pixels stay squares
    wide: bool = False  # takes a row of its own


@dataclass(frozen=True, kw_only=True)
class Section:
    """One subject: words, figures (`abreast` in a row at most), tables, and notes on them."""

    title: str
    paragraphs: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    abreast: int = 4
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Report:
    """A whole report, in words and as data.

    The lead says what the figures amount to, in a few plain sentences; facts are names and values.
    `data` are the figures by stable names, of JSON's types, NaN and infinity included, and
    `records` the rows of the main table, all with the same names.
    """

    title: str
    lead: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    data: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]] = ()
