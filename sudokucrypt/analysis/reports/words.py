"""Names and numbers of measurements as people read them, and as programs do."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from sudokucrypt.analysis.reports.document import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sudokucrypt.analysis.results import Measurement

_ABBREVIATIONS = {"npcr": "NPCR", "uaci": "UACI", "mse": "MSE", "psnr": "PSNR", "ssim": "SSIM"}
UNKNOWN = "-"


def title_of(name: str) -> str:
    """Return the name of a measurement in words.

    Examples
    --------
    >>> title_of("correlation_horizontal_0"), title_of("npcr_fresh")
    ('Correlation horizontal, channel 0', 'NPCR fresh')
    """
    words = name.split("_")
    channel = ""
    if words[-1].isdigit():
        number = words.pop()
        channel = f" {number}" if words[-1] == "plane" else f", channel {number}"
    words = [_ABBREVIATIONS.get(word, word) for word in words]
    text = " ".join(words)
    return text[:1].upper() + text[1:] + channel


def number_text(value: float | None) -> str:
    """Return a number with as many digits as it deserves.

    Examples
    --------
    >>> number_text(0.99609375), number_text(293.24783), number_text(2e-9), number_text(None)
    ('0.996094', '293.248', '2.00e-09', '-')
    """
    if value is None:
        return UNKNOWN
    if not isfinite(value):
        return "undefined" if isnan(value) else "infinite"
    size = abs(value)
    if size >= 1e7 or 0 < size < 5e-7:
        return f"{value:.2e}"
    if size >= 1000:
        return f"{value:.1f}"
    return f"{value:.3f}" if size >= 100 else f"{value:.6f}"


def chance_text(p_value: float | None) -> str:
    """Return a p-value; how small a tiny one is says nothing."""
    if p_value is None:
        return UNKNOWN
    return "< 0.000001" if p_value < 1e-6 else f"{p_value:.6f}"


def verdict_text(passed: bool | None) -> str:
    """Return a verdict in one word."""
    return UNKNOWN if passed is None else "pass" if passed else "fail"


def measured_cell(measurement: Measurement) -> Cell:
    """Return a value with its verdict, for a table of many."""
    return Cell(text=number_text(measurement.value), verdict=measurement.passed, number=True)


def number_cell(value: float | None) -> Cell:
    """Return a number without verdict."""
    return Cell(text=number_text(value), number=True)


def measurement_table(
    title: str, measurements: Sequence[Measurement], *, before: Sequence[Measurement] = ()
) -> Table:
    """Return measurements one in a row, with what a random image would give.

    Parameters
    ----------
    title : str
        What the table shows.
    measurements : sequence of Measurement
        The rows.
    before : sequence of Measurement
        The same figures of the plain image, for a column of their own.
    """
    plain = {each.name: each for each in before}
    rows = [
        (
            Cell(text=title_of(each.name)),
            number_cell(plain[each.name].value if each.name in plain else None),
            number_cell(each.value),
            number_cell(each.expected),
            Cell(text=interval_text(each), number=True),
            Cell(text=chance_text(each.p_value), number=True),
            Cell(text=verdict_text(each.passed), verdict=each.passed),
        )
        for each in measurements
    ]
    columns = ("figure", "before", "value", "expected", "accepted", "p-value", "as random")
    kept = [
        place
        for place in range(len(columns))
        if place == 2 or any(row[place].text != UNKNOWN for row in rows)
    ]
    return Table(
        title=title,
        columns=tuple(columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in rows),
    )


def interval_text(measurement: Measurement) -> str:
    """Return which values are accepted."""
    lower, upper = number_text(measurement.lower), number_text(measurement.upper)
    if measurement.lower is None:
        return UNKNOWN if measurement.upper is None else f"≤ {upper}"
    return f"≥ {lower}" if measurement.upper is None else f"{lower} … {upper}"


def notes_of(measurements: Iterable[Measurement]) -> tuple[str, ...]:
    """Return each note once, with the names of the figures that it belongs to."""
    named: dict[str, list[str]] = {}
    for each in measurements:
        if each.note:
            named.setdefault(each.note, []).append(title_of(each.name))
    return tuple(f"{_listed(names)}: {note}." for note, names in named.items())


def _listed(names: list[str]) -> str:
    """Return a few names; many of them by the first and the last."""
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} to {names[-1]}"


def record_of(measurement: Measurement) -> dict[str, Any]:
    """Return a measurement as one flat row."""
    fields = asdict(measurement)
    note = fields.pop("note")
    return {**fields, "passed": measurement.passed, "note": note}


def by_name(measurements: Iterable[Measurement]) -> dict[str, dict[str, Any]]:
    """Return measurements under their names, as JSON holds them."""
    found = {}
    for each in measurements:
        fields = record_of(each)
        found[fields.pop("name")] = fields
    return found
