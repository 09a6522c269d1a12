"""What a report is before it is written down: sections of words, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Drawing: TypeAlias = tuple[Literal["image/png", "image/svg+xml"], bytes]
"""A media type, and the content of a file of this type."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One field of a table.

    Parameters
    ----------
    text : str
        What it says.
    verdict : bool, optional
        Whether it is as for a random image; None if there is no verdict.
    number : bool
        Whether it is lined up on the right.
    """

    text: str
    verdict: bool | None = None
    number: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under column heads; the first field of a row says what the row is about.

    Parameters
    ----------
    title : str
        What it shows.
    columns : tuple of str
        The heads.
    rows : tuple of tuple of Cell
        As many cells in each as there are heads.
    matrix : bool
        Whether a narrow screen scrolls it sideways, and does not write each row as a list.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    matrix: bool = False


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One drawing with its caption; it is drawn only where it is shown.

    Parameters
    ----------
    title : str
        The caption.
    draw : callable
        Returns the drawing.
    alternative : str
        What it shows, for those who cannot see it.
    pixelated : bool
        Whether enlarged pixels stay squares.
    wide : bool
        Whether it takes a row of its own.
    """

    title: str
    draw: Callable[[], Drawing]
    alternative: str
    pixelated: bool = False
    wide: bool = False


@dataclass(frozen=True, kw_only=True)
class Section:
    """One subject: words, figures, tables, then notes on what they do and do not show.

    Parameters
    ----------
    title : str
        The subject.
    paragraphs, tables, notes : tuple
        In the order of reading.
    figures : tuple of Figure
        Side by side where there is room.
    abreast : int
        Most figures in a row.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    abreast: int = 4
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Report:
    """A whole report, in words and as data.

    Parameters
    ----------
    title : str
        What was measured.
    lead : str
        What it amounts to, in a few plain sentences.
    facts : tuple of pairs of str
        The circumstances: names and values.
    sections : tuple of Section
        In the order of reading.
    data : mapping
        The figures by stable names, of JSON's types; NaN and infinity are allowed.
    records : sequence of mappings
        The rows of the main table by stable names, all of the same names.
    """

    title: str
    lead: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    data: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
