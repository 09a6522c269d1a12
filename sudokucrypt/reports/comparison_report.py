"""The report of `compare`: one table for each picture, and one of means."""

from collections.abc import Iterable, Sequence
from math import isfinite, isnan, nan
from statistics import fmean
from typing import Any

from sudokucrypt.analysis.comparison import ComparedRun, ComparisonFigures
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.metrics.metric import has_aim, metrics_for
from sudokucrypt.reports.document import Cell, Report, Section, Table
from sudokucrypt.reports.drawings import picture
from sudokucrypt.reports.words import UNKNOWN, by_name, described, number_cell

_NOTES = (
    "✓ and ✗ say whether a figure is as for a random image. One test in twenty rejects a random "
    "image at level 0.05, so a lone ✗ in a row means little.",
    "No figure here shows secrecy: 'uniform' is the best that moving pixels can be, and falls to "
    "two chosen images all the same. 'sudokucrypt attack' shows that.",
    "Entropy of a scheme that only moves pixels is that of the plain picture: it cannot pass.",
    "NPCR and UACI compare two results for pictures that differ in one sample by one level, under "
    "one key: without salt, then with fresh salt, where two results are unrelated whatever the "
    "scheme, and a pass shows nothing. A scheme that only moves samples still cannot pass unless "
    "the levels of the picture are evenly frequent.",
    "The gray difference degree has no fixed aim: compare it with that of 'uniform'.",
    "PSNR between plain and scrambled picture: low means unlike, and no more.",
    "Time is the least of several runs on this machine, without reading and writing files.",
)


def comparison_report(found: ComparisonFigures) -> Report:
    """Put a comparison into words, tables and pictures.

    The figures are from `compare_schemes`; docs/reference/analysis.md lists the keys of the data.
    """
    several = len(found.pictures) > 1
    sections = [_picture_section(found, plain) for plain in found.pictures]
    if several:
        sections.insert(0, _means(found))
    sections.append(_schemes(found))
    names = ", ".join(plain.name for plain in found.pictures)
    return Report(
        title="Comparison of schemes",
        lead=(
            f"{len(found.schemes)} schemes on {len(found.pictures)} "
            f"{'pictures' if several else 'picture'}, each figure beside what a random image "
            "gives. What passes looks random; whether it is secret is another question, which "
            "attacks answer."
        ),
        facts=(
            ("pictures", names),
            ("schemes", ", ".join(scheme.name for scheme in found.schemes)),
            ("level of significance", f"{found.level:g}"),
        ),
        sections=tuple(sections),
        data=_data(found),
        records=[_record(run) for run in found.runs],
    )


def _picture_section(found: ComparisonFigures, plain: NamedImage) -> Section:
    runs = [run for run in found.runs if run.picture is plain]
    drawn = [(plain.name, plain), *((r.scheme.name, r.result) for r in runs)]
    figures = tuple(
        picture(name, image.pixels, levels=image.levels, alternative=f"{plain.name}, {name}")
        for name, image in drawn
        if image is not None
    )
    refusals = tuple(f"{run.scheme.name}: {run.refusal}." for run in runs if run.refusal)
    return Section(
        title=plain.name, figures=figures, tables=(_table(plain.name, runs),), notes=refusals
    )


def _figures() -> dict[str, str]:
    """Return the names of all figures, and the heads of their columns where they have any."""
    found = {
        name: metric.head
        for metric in metrics_for("image", "channel", "pair", compared=True)
        for name in metric.figures or (metric.name,)
    }
    for ending, words in (("_same_salt", ""), ("_fresh_salt", ", fresh salt")):
        for metric in metrics_for("twins", compared=True):
            found[metric.name + ending] = metric.head and metric.head + words
    return found


def _columns() -> dict[str, str]:
    return {name: head for name, head in _figures().items() if head}


def _matrix(title: str, rows: Iterable[tuple[Cell, ...]]) -> Table:
    """Return a table with a column for each figure that has a head."""
    heads = ("scheme", *_columns().values(), "time, ms", "exact")
    return Table(title=title, columns=heads, rows=tuple(rows), matrix=True)


def _row(name: str, cells: Iterable[Cell], seconds: float, exact: Cell) -> tuple[Cell, ...]:
    time = UNKNOWN if isnan(seconds) else f"{1000 * seconds:.2f}"
    return (Cell(text=name), *cells, Cell(text=time, number=True), exact)


def _table(title: str, runs: Sequence[ComparedRun]) -> Table:
    """Return what a random image of this size gives, and then what each scheme gave."""
    known = {
        each.name: each.expected
        for run in reversed(runs)
        for each in run.measurements
        if has_aim(each.name)
    }
    exact: dict[bool | None, Cell] = {True: Cell(text="yes"), False: Cell(text="no", verdict=False)}
    unknown = Cell(text=UNKNOWN)
    rows = [_row("expected", (number_cell(known.get(name)) for name in _columns()), nan, unknown)]
    for run in runs:
        figures = {each.name: number_cell(each.value, each.passed) for each in run.measurements}
        cells = [figures.get(name, number_cell(None)) for name in _columns()]
        rows.append(_row(run.scheme.name, cells, run.seconds, exact.get(run.exact, unknown)))
    return _matrix(title, rows)


def _means(found: ComparisonFigures) -> Section:
    """Return the mean of each figure over the pictures that a scheme takes."""
    rows = []
    for scheme in found.schemes:
        runs = [run for run in found.runs if run.scheme is scheme and not run.refusal]
        cells = [number_cell(_mean(runs, name)) for name in _columns()]
        exact = [run.exact for run in runs if run.exact is not None]
        back = f"{sum(exact)} of {len(exact)}" if exact else UNKNOWN
        seconds = fmean(run.seconds for run in runs) if runs else nan
        rows.append(_row(scheme.name, cells, seconds, Cell(text=back)))
    return Section(
        title="All pictures",
        paragraphs=(
            "The mean over the pictures that a scheme takes; for correlations the mean of their "
            "magnitudes, which for random images is not 0 but about 0.8 / sqrt(pairs).",
        ),
        tables=(_matrix("Means", rows),),
    )


def _mean(runs: Sequence[ComparedRun], name: str) -> float | None:
    """Return the mean of what is defined."""
    found = [each for run in runs for each in run.measurements if each.name == name]
    values = [abs(each.value) if each.expected == 0 else each.value for each in found]
    values = [value for value in values if isfinite(value)]
    return fmean(values) if values else None


def _schemes(found: ComparisonFigures) -> Section:
    rows = tuple(
        (
            Cell(text=scheme.name),
            Cell(text="places" if scheme.moves_only else "places and values"),
            Cell(text="yes" if scheme.fresh is not None else "no"),
            Cell(text=scheme.limits),
        )
        for scheme in found.schemes
    )
    heads = ("scheme", "changes", "salt", "known limits")
    return Section(
        title="Schemes and notes",
        tables=(Table(title="Schemes", columns=heads, rows=rows),),
        notes=_NOTES,
    )


def _data(found: ComparisonFigures) -> dict[str, Any]:
    return {
        "report": "comparison",
        "report_version": 1,
        "level": found.level,
        "pictures": [described(plain) for plain in found.pictures],
        "schemes": [
            {
                "name": scheme.name,
                "moves_only": scheme.moves_only,
                "salted": scheme.fresh is not None,
                "key_bits": scheme.key_bits,
                "limits": scheme.limits,
            }
            for scheme in found.schemes
        ],
        "results": [
            {
                "picture": run.picture.name,
                "scheme": run.scheme.name,
                "refusal": run.refusal or None,
                "seconds": run.seconds,
                "restored_exactly": run.exact,
                "measurements": by_name(run.measurements),
            }
            for run in found.runs
        ],
    }


def _record(run: ComparedRun) -> dict[str, Any]:
    """Return one row of values; what is missing is None."""
    values = {each.name: each.value for each in run.measurements}
    return {
        "picture": run.picture.name,
        "scheme": run.scheme.name,
        **{name: values.get(name) for name in _figures()},
        "seconds": run.seconds,
        "restored_exactly": run.exact,
    }
