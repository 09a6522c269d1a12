"""The report of `compare`: one table for each picture, and one of means."""

from __future__ import annotations

from functools import partial
from math import isfinite
from statistics import fmean
from typing import TYPE_CHECKING, Any

from sudokucrypt.analysis.reports.document import Cell, Figure, Report, Section, Table
from sudokucrypt.analysis.reports.image_report import described
from sudokucrypt.analysis.reports.rasters import preview
from sudokucrypt.analysis.reports.words import (
    UNKNOWN,
    by_name,
    measured_cell,
    number_cell,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.analysis.reports.comparison import ComparedRun, ComparisonFigures
    from sudokucrypt.analysis.reports.named_image import NamedImage
    from sudokucrypt.analysis.results import Measurement

COLUMNS = (
    "correlation_horizontal",
    "correlation_vertical",
    "correlation_diagonal",
    "global_entropy",
    "local_entropy",
    "npcr_same_salt",
    "uaci_same_salt",
    "npcr_fresh_salt",
    "uaci_fresh_salt",
    "gray_difference_degree",
    "psnr",
)
"""The figures of the table, in its order."""

_HEADS = {
    "correlation_horizontal": "correlation →",
    "correlation_vertical": "correlation ↓",
    "correlation_diagonal": "correlation ↘",
    "global_entropy": "global entropy, bits",
    "local_entropy": "local entropy, bits",
    "npcr_same_salt": "NPCR",
    "uaci_same_salt": "UACI",
    "npcr_fresh_salt": "NPCR, fresh salt",
    "uaci_fresh_salt": "UACI, fresh salt",
    "gray_difference_degree": "gray difference degree",
    "psnr": "PSNR, dB",
}
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

    Parameters
    ----------
    found : ComparisonFigures
        From `compare_schemes`.

    Returns
    -------
    Report
        Its data have the keys that docs/reference/analysis.md lists.

    Examples
    --------
    >>> from sudokucrypt.analysis.reports import baseline_subjects, compare_schemes, specimens
    >>> found = compare_schemes(specimens(64)[-1:], [baseline_subjects()["hilbert"]])
    >>> comparison_report(found).records[0]["scheme"]
    'hilbert'
    """
    several = len(found.pictures) > 1
    sections = [_picture_section(found, picture) for picture in found.pictures]
    if several:
        sections.insert(0, _means(found))
    sections.append(_schemes(found))
    names = ", ".join(picture.name for picture in found.pictures)
    return Report(
        title="Comparison of schemes",
        lead=(
            f"{len(found.subjects)} schemes on {len(found.pictures)} "
            f"{'pictures' if several else 'picture'}, each figure beside what a random image "
            "gives. What passes looks random; whether it is secret is another question, which "
            "attacks answer."
        ),
        facts=(
            ("pictures", names),
            ("schemes", ", ".join(subject.name for subject in found.subjects)),
            ("level of significance", f"{found.level:g}"),
        ),
        sections=tuple(sections),
        data=_data(found),
        records=[_record(run) for run in found.runs],
    )


def _picture_section(found: ComparisonFigures, picture: NamedImage) -> Section:
    runs = [run for run in found.runs if run.picture is picture]
    drawn = [(picture.name, picture), *((r.subject.name, r.result) for r in runs)]
    figures = tuple(
        Figure(
            title=name,
            draw=partial(preview, image.pixels, levels=image.levels),
            alternative=f"{picture.name}, {name}",
        )
        for name, image in drawn
        if image is not None
    )
    refusals = tuple(f"{run.subject.name}: {run.refusal}." for run in runs if run.refusal)
    return Section(
        title=picture.name, figures=figures, tables=(_table(picture.name, runs),), notes=refusals
    )


def _table(title: str, runs: Sequence[ComparedRun]) -> Table:
    rows = [_expected_row(runs)]
    for run in runs:
        figures = {each.name: each for each in run.measurements}
        cells = [
            measured_cell(figures[name]) if name in figures else number_cell(None)
            for name in COLUMNS
        ]
        rows.append((Cell(text=run.subject.name), *cells, *_closing(run)))
    heads = ("scheme", *(_HEADS[name] for name in COLUMNS), "time, ms", "exact")
    return Table(title=title, columns=heads, rows=tuple(rows), matrix=True)


def _closing(run: ComparedRun) -> tuple[Cell, Cell]:
    """Return time and whether the picture came back."""
    if run.refusal:
        return Cell(text=UNKNOWN, number=True), Cell(text=UNKNOWN)
    time = Cell(text=f"{1000 * run.seconds:.2f}", number=True)
    return time, Cell(text="yes" if run.exact else "no", verdict=None if run.exact else False)


def _expected_row(runs: Sequence[ComparedRun]) -> tuple[Cell, ...]:
    """Return what a random image of this size gives."""
    known: dict[str, Measurement] = {}
    for run in runs:
        for each in run.measurements:
            known.setdefault(each.name, each)
    cells = [
        number_cell(known[name].expected if name in known and _same_for_all(name) else None)
        for name in COLUMNS
    ]
    return (Cell(text="expected"), *cells, Cell(text=UNKNOWN, number=True), Cell(text=UNKNOWN))


def _same_for_all(name: str) -> bool:
    return name not in {"gray_difference_degree", "psnr"}


def _means(found: ComparisonFigures) -> Section:
    """Return the mean of each figure over the pictures that a scheme takes."""
    rows = []
    for subject in found.subjects:
        runs = [run for run in found.runs if run.subject is subject and not run.refusal]
        cells = [number_cell(_mean(runs, name)) for name in COLUMNS]
        time = 1000 * fmean(run.seconds for run in runs) if runs else None
        rows.append(
            (
                Cell(text=subject.name),
                *cells,
                Cell(text=UNKNOWN if time is None else f"{time:.2f}", number=True),
                Cell(text=f"{sum(run.exact for run in runs)} of {len(runs)}"),
            )
        )
    heads = ("scheme", *(_HEADS[name] for name in COLUMNS), "time, ms", "exact")
    return Section(
        title="All pictures",
        paragraphs=(
            "The mean over the pictures that a scheme takes; for correlations the mean of their "
            "magnitudes, which for random images is not 0 but about 0.8 / sqrt(pairs).",
        ),
        tables=(Table(title="Means", columns=heads, rows=tuple(rows), matrix=True),),
    )


def _mean(runs: Sequence[ComparedRun], name: str) -> float | None:
    """Return the mean of what is defined."""
    values = [each.value for run in runs for each in run.measurements if each.name == name]
    if name.startswith("correlation"):
        values = [abs(value) for value in values]
    values = [value for value in values if isfinite(value)]
    return fmean(values) if values else None


def _schemes(found: ComparisonFigures) -> Section:
    rows = tuple(
        (
            Cell(text=subject.name),
            Cell(text="places" if subject.moves_only else "places and values"),
            Cell(text="yes" if subject.fresh is not None else "no"),
            Cell(text=subject.limits),
        )
        for subject in found.subjects
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
        "pictures": [described(picture) for picture in found.pictures],
        "schemes": [
            {
                "name": subject.name,
                "moves_only": subject.moves_only,
                "salted": subject.fresh is not None,
                "limits": subject.limits,
            }
            for subject in found.subjects
        ],
        "results": [
            {
                "picture": run.picture.name,
                "scheme": run.subject.name,
                "refusal": run.refusal or None,
                "seconds": run.seconds,
                "restored_exactly": None if run.refusal else run.exact,
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
        "scheme": run.subject.name,
        **{name: values.get(name) for name in COLUMNS},
        "chi_square_uniformity": values.get("chi_square_uniformity"),
        "seconds": run.seconds,
        "restored_exactly": None if run.refusal else run.exact,
    }
