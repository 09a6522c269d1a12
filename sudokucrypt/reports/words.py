"""Format names, numbers and tables of measurements for people and as data for programs."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import compress
from math import isfinite, isnan
from statistics import fmean, pstdev
from typing import Any

from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.metrics.metric import find_metric, has_aim
from sudokucrypt.analysis.randomness import RandomnessResult
from sudokucrypt.analysis.results import Measurement, Series
from sudokucrypt.reports.document import Cell, Section, Table

UNKNOWN_MARK = "-"


def format_title(name: str) -> str:
    """Return the name of a measurement as text for people.

    >>> format_title("correlation_horizontal_0"), format_title("npcr_fresh")
    ('Correlation horizontal, channel 0', 'NPCR fresh')
    """
    words = name.split("_")
    channel = ""
    if words[-1].isdigit():
        index = words.pop()
        channel = f" {index}" if words[-1] == "plane" else f", channel {index}"
    text = " ".join(words)
    metric = find_metric(name)
    if metric is not None and metric.title:
        text = text.replace(metric.name.replace("_", " "), metric.title, 1)
    return text[:1].upper() + text[1:] + channel


def format_number(value: float | None, unit: str = "") -> str:
    """Return a number as text with at most four decimals; in percent if the unit is "%".

    >>> [format_number(value) for value in (293.24783, 2e-9, None)], format_number(0.99609375, "%")
    (['293.25', '0.0000', '-'], '99.6094')
    """
    if value is None:
        return UNKNOWN_MARK
    if not isfinite(value):
        return "undefined" if isnan(value) else "infinite"
    value = 100 * value if unit == "%" else value
    if abs(value) >= 1e7:
        return f"{value:.2e}"
    # Small negative numbers are rounded to -0; adding 0 turns it into 0.
    return f"{round(value, _count_decimals(value)) + 0.0:.{_count_decimals(value)}f}"


def _count_decimals(value: float) -> int:
    return 1 if abs(value) >= 1000 else 2 if abs(value) >= 100 else 4


def format_p_value(p_value: float | None) -> str:
    """Return a p-value as text, or its upper bound if it is very small."""
    if p_value is None:
        return UNKNOWN_MARK
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.4f}"


def make_verdict_cell(*, passed: bool | None, untested_word: str = UNKNOWN_MARK) -> Cell:
    """Return a cell with a verdict as one word."""
    verdict_words = {None: untested_word, True: "pass", False: "fail"}
    return Cell(text=verdict_words[passed], verdict=passed)


def make_number_cell(value: float | None, *, verdict: bool | None = None, unit: str = "") -> Cell:
    """Return a cell with a number and its verdict; in percent if the unit is "%"."""
    return Cell(text=format_number(value, unit), verdict=verdict, number=True)


def find_unit(name: str) -> str:
    """Return the unit of a measurement; it is "%" for shares that papers print in percent."""
    metric = find_metric(name)
    return "" if metric is None else metric.unit


def format_head(name: str) -> str:
    """Return the name of a measurement as text for people, with its unit."""
    unit = find_unit(name)
    return f"{format_title(name)}, {unit}" if unit else format_title(name)


def make_measurement_table(
    title: str,
    measurements: Sequence[Measurement],
    *,
    plain_measurements: Sequence[Measurement] = (),
) -> Table:
    """Return a table with a row for each measurement; column "before" is for the plain image."""
    plain_values = {measurement.name: measurement.value for measurement in plain_measurements}
    rows = [
        (
            Cell(text=format_head(measurement.name)),
            *(
                make_number_cell(value, unit=find_unit(measurement.name))
                for value in (
                    plain_values.get(measurement.name),
                    measurement.value,
                    measurement.expected,
                )
            ),
            Cell(text=format_interval(measurement), number=True),
            Cell(text=format_p_value(measurement.p_value), number=True),
            make_verdict_cell(passed=measurement.passed if has_aim(measurement.name) else None),
        )
        for measurement in measurements
    ]
    columns = ("figure", "before", "value", "expected", "accepted", "p-value", "as random")
    # Columns that contain only dashes are left out, so that simple tables stay narrow.
    shown_flags = [
        column == "value" or any(cell.text != UNKNOWN_MARK for cell in cells)
        for column, *cells in zip(columns, *rows, strict=True)
    ]
    return Table(
        title=title,
        columns=tuple(compress(columns, shown_flags)),
        rows=tuple(tuple(compress(row, shown_flags)) for row in rows),
    )


def format_interval(measurement: Measurement) -> str:
    """Return the interval of accepted values as text."""
    unit = find_unit(measurement.name)
    lower, upper = (format_number(limit, unit) for limit in (measurement.lower, measurement.upper))
    if measurement.lower is None:
        return UNKNOWN_MARK if measurement.upper is None else f"≤ {upper}"
    return f"≥ {lower}" if measurement.upper is None else f"{lower} … {upper}"


def collect_notes(measurements: Iterable[Measurement]) -> tuple[str, ...]:
    """Return each note once, after the names of its measurements."""
    names_by_note: dict[str, list[str]] = {}
    for measurement in measurements:
        if measurement.note:
            names_by_note.setdefault(measurement.note, []).append(format_title(measurement.name))
    for names in names_by_note.values():
        # Long lists of names, such as all bit planes, are shortened.
        if len(names) > 3:
            names[:] = [f"{names[0]} to {names[-1]}"]
    return tuple(f"{', '.join(names)}: {note}." for note, names in names_by_note.items())


def make_image_data(image: NamedImage) -> dict[str, Any]:
    """Return name, shape, dtype and levels of an image as data for JSON."""
    return {
        "name": image.name,
        "shape": list(image.pixels.shape),
        "dtype": image.pixels.dtype.name,
        "levels": image.levels,
    }


def list_image_facts(label: str, image: NamedImage) -> list[tuple[str, str]]:
    """Return name, shape and samples of an image as facts for people."""
    return [
        (label, image.name),
        ("shape", " x ".join(map(str, image.pixels.shape))),
        ("samples", f"{image.pixels.dtype}, {image.levels} levels"),
    ]


def make_flat_row(measurement: Measurement) -> dict[str, Any]:
    """Return a measurement as one row of data."""
    fields = asdict(measurement)
    note = fields.pop("note")
    return {**fields, "passed": measurement.passed, "note": note}


def index_by_name(measurements: Iterable[Measurement]) -> dict[str, dict[str, Any]]:
    """Return measurements by their names as data for JSON."""
    records = map(make_flat_row, measurements)
    return {record.pop("name"): record for record in records}


def make_randomness_section(results: Sequence[RandomnessResult]) -> Section:
    """Return a table with a row for each test, and the smallest p-value of the test."""
    rows = tuple(
        (
            Cell(text=format_title(result.name)),
            Cell(text=result.section),
            Cell(text=str(len(result.p_values) or UNKNOWN_MARK), number=True),
            Cell(text=format_p_value(min(result.p_values, default=None)), number=True),
            make_verdict_cell(passed=result.passed, untested_word=result.verdict),
        )
        for result in results
    )
    columns = ("test", "section", "p-values", "smallest p-value", "as random")
    table = Table(title=f"NIST SP 800-22 on {results[0].length} bits", columns=columns, rows=rows)
    notes = tuple(
        f"{format_title(result.name)}: {result.note}." for result in results if result.note
    )
    return Section(
        title="Randomness of the bits",
        paragraphs=(
            "The bits of all samples, the most significant of each first. A test fails if its "
            f"smallest p-value is below {results[0].level:g} divided by the number of its "
            "p-values. About one random sequence in eight fails at least one of the fifteen "
            "tests.",
        ),
        tables=(table,),
        notes=(
            *notes,
            "Passing proves nothing: the digits of pi pass, and so does any key stream, secret or "
            "not.",
        ),
    )


def make_randomness_data(results: Iterable[RandomnessResult]) -> dict[str, Any]:
    """Return the results by the names of the tests as data for JSON."""
    names = ("verdict", "passed", "level", "labels", "statistics", "p_values", "note")
    return {
        result.name: {
            "section": result.section,
            "bits": result.length,
            **{name: getattr(result, name) for name in names},
        }
        for result in results
    }


def make_series_table(title: str, group: Iterable[Series]) -> Table:
    """Return a table with a row for each measured value over several keys."""
    rows = []
    for series in group:
        values, unit = series.values, find_unit(series.name)
        has_verdict = has_aim(series.name)
        test_count = sum(
            has_verdict and measurement.passed is not None for measurement in series.measurements
        )
        rows.append(
            (
                Cell(text=format_head(series.name)),
                make_number_cell(fmean(values) if values else None, unit=unit),
                make_number_cell(min(values, default=None), unit=unit),
                make_number_cell(max(values, default=None), unit=unit),
                make_number_cell(series.measurements[0].expected, unit=unit),
                Cell(
                    text=f"{test_count - series.fails} of {test_count}"
                    if test_count
                    else UNKNOWN_MARK,
                    number=True,
                ),
                make_verdict_cell(passed=series.passed if has_verdict else None),
            )
        )
    columns = ("figure", "mean", "least", "largest", "expected", "tests passed", "as random")
    return Table(title=title, columns=columns, rows=tuple(rows))


def make_series_data(series: Series) -> dict[str, Any]:
    """Return a series as data for JSON."""
    values = series.values
    return {
        "mean": fmean(values) if values else None,
        "deviation": pstdev(values) if values and all(map(isfinite, values)) else None,
        "least": min(values, default=None),
        "largest": max(values, default=None),
        "expected": series.measurements[0].expected,
        "measured": len(values),
        "failed": series.fails,
        "most_failed": series.most_fails,
        "passed": series.passed,
    }
