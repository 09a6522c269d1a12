"""The report of `compare`: one table of schemes for each picture, and one table of means."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from math import isfinite, isnan, nan
from statistics import fmean, pstdev
from typing import Any, TypeAlias

from sudokucrypt.analysis.attacks import ATTACKS
from sudokucrypt.analysis.attacks.contract import format_count
from sudokucrypt.analysis.comparison import ComparedRun, ComparisonFigures, read_clock_rate
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.metrics.metric import has_aim, list_metrics
from sudokucrypt.analysis.results import Series
from sudokucrypt.analysis.schemes import MeasuredScheme
from sudokucrypt.analysis.zoo import find_recorded_break
from sudokucrypt.reports.document import Cell, Report, Section, Table
from sudokucrypt.reports.drawings import make_picture_figure
from sudokucrypt.reports.robustness_report import make_robustness_data, make_robustness_overview
from sudokucrypt.reports.words import (
    UNKNOWN_MARK,
    find_unit,
    format_number,
    index_by_name,
    make_image_data,
    make_number_cell,
    make_series_data,
)

_NOTES = (
    "✓ and ✗ say whether a figure is as for a random image. One test in twenty rejects a random "
    "image at level 0.05, so a lone ✗ in a row means little.",
    "No figure here shows secrecy: 'uniform' is the best that a scheme which only moves pixels can "
    "be, and two chosen images still break it, as attacks show.",
    "Entropy of a scheme that only moves pixels is that of the plain picture: it cannot pass.",
    "NPCR and UACI compare two results for pictures that differ in one sample by one level, under "
    "one key: without salt, then with fresh salt, where two results are unrelated whatever the "
    "scheme, and a pass shows nothing. A scheme that only moves samples is held to what unrelated "
    "moves of the samples of the picture would give.",
    "The gray difference degree has no target value: compare it with that of 'uniform'.",
    "PSNR between plain and scrambled picture: low means different, and no more.",
    "'Broken by' names an attack that breaks the scheme as it is meant to be used, without knowing "
    "the design, and what it needs; of schemes that are not on record, `attack all` finds it out.",
    "Time is the minimum of several runs on this machine, without reading and writing files; over "
    "several pictures it is their sum. MB/s are millions of bytes of samples a second, and cycles "
    "are counted at the clock that the system states.",
)

_PREVIEW_SIDE = 256  # small, since a page shows the result of every scheme for every picture
_SPEED_COLUMNS = ("time, ms", "MB/s", "cycles/byte")


PublishedRows: TypeAlias = Sequence[Mapping[str, str]]
"""Rows of published values: a scheme, perhaps a picture, and values by their names."""


def comparison_report(figures: ComparisonFigures, *, published: PublishedRows = ()) -> Report:
    """Make the report on a comparison of schemes, as text, tables and pictures.

    The figures are from `compare_schemes`; docs/reference/analysis.md lists the keys of the data.
    Rows of `published` are shown below those that were measured: of the picture that they name, or
    of all pictures together; their columns are those that `to_csv` writes.

    Parameters
    ----------
    figures : ComparisonFigures
        The comparison, from `compare_schemes`.
    published : sequence of mapping of str to str, default ()
        Rows of values that papers print, with the columns that `to_csv` writes.
    """
    has_several_pictures = len(figures.pictures) > 1
    picture_rows = [row for row in published if row.get("picture") or not has_several_pictures]
    sections = [_make_picture_section(figures, plain, picture_rows) for plain in figures.pictures]
    if has_several_pictures:
        mean_rows = [row for row in published if not row.get("picture")]
        sections.insert(0, _make_mean_section(figures, mean_rows))
    if figures.speeds:
        sections.append(_make_speed_section(figures))
    if figures.robustness:
        title = "Robustness: PSNR of what is restored, dB"
        sections.append(make_robustness_overview(figures.robustness, title=title))
    sections.append(_make_scheme_section(figures))
    names = ", ".join(plain.name for plain in figures.pictures)
    refusals = dict.fromkeys((run.scheme.name, run.refusal) for run in figures.runs if run.refusal)
    return Report(
        title="Comparison of schemes",
        lead=(
            f"{format_count(len(figures.schemes), 'scheme')} on "
            f"{format_count(len(figures.pictures), 'picture')}, each figure beside the value "
            "expected of a random image. What passes looks random; whether it is secret is another "
            "question, which attacks answer."
            + "".join(f" {name}: no figures: {refusal}." for name, refusal in refusals)
        ),
        facts=(
            ("pictures", names),
            ("schemes", ", ".join(scheme.name for scheme in figures.schemes)),
            ("level of significance", f"{figures.level:g}"),
            ("keys", f"{figures.keys}, of seed {figures.seed}"),
        ),
        sections=tuple(sections),
        data=_collect_data(figures),
        records=[*map(_make_record, figures.runs), *map(_make_published_record, published)],
    )


def _make_picture_section(
    figures: ComparisonFigures, plain: NamedImage, published_rows: PublishedRows
) -> Section:
    runs = [run for run in figures.runs if run.picture is plain]
    pictures = [(plain.name, plain), *((run.scheme.name, run.result) for run in runs)]
    drawings = tuple(
        make_picture_figure(
            name,
            image,
            alternative_text=f"{plain.name}, {name}",
            side=_PREVIEW_SIDE,
        )
        for name, image in pictures
        if image is not None
    )
    refusals = tuple(f"{run.scheme.name}: {run.refusal}." for run in runs if run.refusal)
    picture_rows = [row for row in published_rows if row.get("picture") in {None, "", plain.name}]
    table = _make_table(plain.name, runs, picture_rows)
    return Section(title=plain.name, figures=drawings, tables=(table,), notes=refusals)


def _map_value_heads() -> dict[str, str]:
    """Return the head of the column of each measured value, or "" if it has no column."""
    heads = {
        name: metric.head
        for metric in list_metrics("image", "channel", "pair", only_compared=True)
        for name in metric.figures or (metric.name,)
    }
    for ending, suffix in (("_same_salt", ""), ("_fresh_salt", ", fresh salt")):
        for metric in list_metrics("twins", only_compared=True):
            heads[metric.name + ending] = metric.head and metric.head + suffix
    return heads


def _list_columns() -> dict[str, str]:
    return {name: head for name, head in _map_value_heads().items() if head}


def _make_value_table(title: str, rows: Iterable[tuple[Cell, ...]], *, with_times: bool) -> Table:
    """Return a table with a column for each value that has a head; `with_times` adds times."""
    heads = ("scheme", *_list_columns().values(), *_SPEED_COLUMNS, "exact")
    shown_flags = [with_times or head not in _SPEED_COLUMNS for head in heads]
    return Table(
        title=title,
        columns=tuple(compress(heads, shown_flags)),
        rows=tuple(tuple(compress(row, shown_flags)) for row in rows),
        matrix=True,
    )


def _make_row(
    name: str, cells: Iterable[Cell], seconds: float, size: int, exact_cell: Cell
) -> tuple[Cell, ...]:
    return (Cell(text=name), *cells, *_iterate_speed_cells(seconds, size), exact_cell)


def _iterate_speed_cells(seconds: float, size: int) -> Iterator[Cell]:
    """Yield cells of the time in ms, MB per second and cycles per byte, for `size` bytes."""
    clock_rate = read_clock_rate()
    is_known = not isnan(seconds)
    yield Cell(text=f"{1000 * seconds:.2f}" if is_known else UNKNOWN_MARK, number=True)
    yield Cell(text=f"{size / seconds / 1e6:.1f}" if is_known else UNKNOWN_MARK, number=True)
    yield Cell(
        text=f"{clock_rate * seconds / size:.1f}" if is_known and clock_rate else UNKNOWN_MARK,
        number=True,
    )


def _make_table(title: str, runs: Sequence[ComparedRun], published_rows: PublishedRows) -> Table:
    """Return a table with the values of a random image, then the values of each scheme."""
    # The values of a random image depend on its number of levels. Results with as many levels as
    # the picture are preferred.
    full_range_runs = [
        run for run in runs if run.result and run.result.levels == run.picture.levels
    ]
    # Schemes that only move samples are compared with random moves of the same samples.
    full_range_runs = [
        run for run in full_range_runs if not run.scheme.moves_only
    ] or full_range_runs
    expected_values = {
        measurement.name: measurement.expected
        for run in (*reversed(runs), *reversed(full_range_runs))
        for measurement in run.measurements
        if has_aim(measurement.name)
    }
    exact_cells: dict[bool | None, Cell] = {
        True: Cell(text="yes"),
        False: Cell(text="no", verdict=False),
    }
    unknown_cell = Cell(text=UNKNOWN_MARK)
    cells = [
        make_number_cell(expected_values.get(name), unit=find_unit(name))
        for name in _list_columns()
    ]
    rows = [_make_row("expected", cells, nan, 0, unknown_cell)]
    for run in runs:
        figures = {series.name: _format_series(series) for series in run.series}
        cells = [figures.get(name, make_number_cell(None)) for name in _list_columns()]
        size = run.picture.pixels.nbytes
        rows.append(
            _make_row(
                run.scheme.name, cells, run.seconds, size, exact_cells.get(run.exact, unknown_cell)
            )
        )
    rows += _iterate_published_rows(published_rows)
    return _make_value_table(title, rows, with_times=_is_timed(runs))


def _iterate_published_rows(published_rows: PublishedRows) -> Iterator[tuple[Cell, ...]]:
    """Yield a row of published values for each scheme."""
    for row in published_rows:
        cells = [
            make_number_cell(_parse_published(row, name), unit=find_unit(name))
            for name in _list_columns()
        ]
        yield _make_row(f"{row['scheme']} (published)", cells, nan, 0, Cell(text=UNKNOWN_MARK))


def _format_series(series: Series) -> Cell:
    """Return a cell with the mean and deviation over all keys, or the value under one key."""
    unit, values = find_unit(series.name), series.values
    if len(series.measurements) == 1 or not values or not all(map(isfinite, values)):
        measurement = series.measurements[0]
        return make_number_cell(measurement.value, verdict=series.passed, unit=unit)
    mean, deviation = (format_number(value, unit) for value in (fmean(values), pstdev(values)))
    return Cell(text=f"{mean} ± {deviation}", verdict=series.passed, number=True)


def _parse_published(row: Mapping[str, str], name: str) -> float | None:
    """Return a published value, or None if it is missing or not a number."""
    try:
        return float(row[name])
    except (KeyError, ValueError):
        return None


def _make_published_record(row: Mapping[str, str]) -> dict[str, Any]:
    return {
        "picture": row.get("picture") or None,
        "scheme": f"{row['scheme']} (published)",
        **{name: _parse_published(row, name) for name in _map_value_heads()},
        "restored_exactly": None,
    }


def _make_mean_section(figures: ComparisonFigures, published_rows: PublishedRows) -> Section:
    """Return the mean of each value over the pictures that all schemes accept.

    A scheme that accepts no picture is left out.
    """
    accepting_schemes = {id(run.scheme) for run in figures.runs if not run.refusal}
    refused_pictures = {
        id(run.picture)
        for run in figures.runs
        if run.refusal and id(run.scheme) in accepting_schemes
    }
    common_pictures = [plain for plain in figures.pictures if id(plain) not in refused_pictures]
    rows = []
    for scheme in figures.schemes:
        runs = [
            run
            for run in figures.runs
            if run.scheme is scheme and not run.refusal and id(run.picture) not in refused_pictures
        ]
        cells = [
            make_number_cell(_average_defined_values(runs, name), unit=find_unit(name))
            for name in _list_columns()
        ]
        exact_flags = [run.exact for run in runs if run.exact is not None]
        restored_text = f"{sum(exact_flags)} of {len(exact_flags)}" if exact_flags else UNKNOWN_MARK
        seconds = sum(run.seconds for run in runs) if runs else nan
        size = sum(run.picture.pixels.nbytes for run in runs)
        rows.append(_make_row(scheme.name, cells, seconds, size, Cell(text=restored_text)))
    rows += _iterate_published_rows(published_rows)
    names = ", ".join(plain.name for plain in common_pictures) or "none"
    return Section(
        title="All pictures",
        paragraphs=(
            f"The mean over the pictures that all schemes accept: {names}. Of correlations it is "
            "the mean of their magnitudes, which for random images is not 0 but about "
            "0.8 / sqrt(pairs).",
        ),
        tables=(_make_value_table("Means", rows, with_times=_is_timed(figures.runs)),),
    )


def _is_timed(runs: Sequence[ComparedRun]) -> bool:
    return any(not isnan(run.seconds) for run in runs)


def _average_defined_values(runs: Sequence[ComparedRun], name: str) -> float | None:
    """Return the mean of all values that are defined, or None."""
    measurements = [
        measurement
        for run in runs
        for series in run.series
        for measurement in series.measurements
        if measurement.name == name
    ]
    # Correlations are averaged by magnitude, since values of opposite sign would cancel out.
    values = [
        abs(measurement.value) if measurement.expected == 0 else measurement.value
        for measurement in measurements
    ]
    values = [value for value in values if isfinite(value)]
    return fmean(values) if values else None


def _make_speed_section(figures: ComparisonFigures) -> Section:
    """Return a table of time and memory of each scheme for images of several sizes."""
    rows = tuple(
        (
            Cell(text=speed.scheme),
            Cell(text=str(speed.side), number=True),
            *_iterate_speed_cells(speed.seconds, speed.side**2),
            Cell(text=UNKNOWN_MARK if speed.refusal else f"{speed.memory:.1f}", number=True),
        )
        for speed in figures.speeds
    )
    heads = ("scheme", "side", *_SPEED_COLUMNS, "memory")
    refusals = {speed.scheme: speed.refusal for speed in figures.speeds if speed.refusal}
    return Section(
        title="Speed",
        paragraphs=(
            "Square images of random gray samples. Memory is what Python and NumPy held at a "
            "time beside the image, in sizes of the image.",
        ),
        tables=(Table(title="Speed over sizes", columns=heads, rows=rows),),
        notes=tuple(f"{name}: {refusal}." for name, refusal in refusals.items()),
    )


def _make_scheme_section(figures: ComparisonFigures) -> Section:
    rows = tuple(
        (
            Cell(text=scheme.name),
            Cell(text="yes" if scheme.moves_only else "no"),
            Cell(text="yes" if scheme.fresh is not None else "no"),
            Cell(text=scheme.limits),
            _format_break(scheme),
        )
        for scheme in figures.schemes
    )
    heads = ("scheme", "keeps values", "salt", "known limits", "broken by")
    return Section(
        title="Schemes and notes",
        tables=(Table(title="Schemes", columns=heads, rows=rows),),
        notes=_NOTES,
    )


def _format_break(scheme: MeasuredScheme) -> Cell:
    """Return a cell with the attack that breaks a scheme in normal use, and its threat."""
    attack = find_recorded_break(scheme)
    if attack in ATTACKS:
        return Cell(text=f"{attack} ({ATTACKS[attack].threat})", verdict=False)
    return Cell(text="no attack here" if attack else "not on record")


def _collect_data(figures: ComparisonFigures) -> dict[str, Any]:
    return {
        "report": "comparison",
        "report_version": 1,
        "level": figures.level,
        "keys": figures.keys,
        "seed": figures.seed,
        "pictures": [make_image_data(plain) for plain in figures.pictures],
        "schemes": [
            {
                "name": scheme.name,
                "moves_only": scheme.moves_only,
                "salted": scheme.fresh is not None,
                "key_bits": scheme.key_bits,
                "limits": scheme.limits,
                "broken_by": find_recorded_break(scheme) or None,
            }
            for scheme in figures.schemes
        ],
        "results": [
            {
                "picture": run.picture.name,
                "scheme": run.scheme.name,
                "refusal": run.refusal or None,
                "seconds": run.seconds,
                "megabytes_per_second": run.picture.pixels.nbytes / run.seconds / 1e6,
                "restored_exactly": run.exact,
                "measurements": index_by_name(run.measurements),
                "over_keys": {series.name: make_series_data(series) for series in run.series},
            }
            for run in figures.runs
        ],
        "speed": [
            {
                "scheme": speed.scheme,
                "side": speed.side,
                "refusal": speed.refusal or None,
                "seconds": speed.seconds,
                "megabytes_per_second": speed.bytes_per_second / 1e6,
                "cycles_per_byte": None if speed.refusal else speed.cycles_per_byte,
                "memory_in_images": speed.memory,
            }
            for speed in figures.speeds
        ],
        "robustness": [make_robustness_data(each) for each in figures.robustness],
    }


def _make_record(run: ComparedRun) -> dict[str, Any]:
    """Return one row of data, with None for missing values."""
    values = {series.name: fmean(series.values or [nan]) for series in run.series}
    return {
        "picture": run.picture.name,
        "scheme": run.scheme.name,
        **{name: values.get(name) for name in _map_value_heads()},
        "restored_exactly": run.exact,
    }
