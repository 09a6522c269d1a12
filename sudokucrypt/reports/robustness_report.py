"""The report of `robustness`: quality of restored pictures after disturbances, by scheme."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import inf, isfinite
from statistics import fmean
from typing import Any

from sudokucrypt.analysis.robustness import DisturbedRun, RobustnessFigures
from sudokucrypt.reports.document import Cell, Figure, Report, Section, Table
from sudokucrypt.reports.drawings import make_picture_figure
from sudokucrypt.reports.words import format_number, make_image_data

_RESTORED, _REFUSED, _UNMEASURED = "restored", "refused", "not measured"

_NOTES = (
    "PSNR, SSIM and correlation compare what was restored with the plain picture. An infinite "
    "PSNR means that it was restored exactly.",
    "expected: the figure of a uniform permutation of the samples, where theory gives one.",
    "refused: the scheme detects changes and restores nothing. That is what authentication is for; "
    "a scheme that restores something cannot tell a forged picture from a real one.",
)


def robustness_report(figures: Sequence[RobustnessFigures]) -> Report:
    """Make the report on the robustness of several schemes, measured on the same pictures.

    docs/reference/analysis.md lists the keys of its data.

    Parameters
    ----------
    figures : sequence of RobustnessFigures
        The measurements of each scheme, from `measure_robustness`.
    """
    pictures = figures[0].pictures
    sections = [
        _make_section(scheme_figures, runs)
        for scheme_figures in figures
        if _name_scheme_outcome(scheme_figures) == "restores"
        for runs in _group_by_picture(scheme_figures)
    ]
    return Report(
        title="Robustness",
        lead=_make_lead(figures),
        facts=(
            ("pictures", ", ".join(picture.name for picture in pictures)),
            ("schemes", ", ".join(scheme_figures.scheme.name for scheme_figures in figures)),
        ),
        sections=(make_robustness_overview(figures), *sections, _make_notes_section(figures[0])),
        data={
            "report": "robustness",
            "report_version": 1,
            "pictures": [make_image_data(picture) for picture in pictures],
            "schemes": [make_robustness_data(scheme_figures) for scheme_figures in figures],
        },
        records=[
            {"scheme": scheme_figures.scheme.name, **_make_record(run)}
            for scheme_figures in figures
            for run in scheme_figures.runs
        ],
    )


def make_robustness_data(figures: RobustnessFigures) -> dict[str, Any]:
    """Return the measurements of one scheme as data for JSON."""
    return {
        "name": figures.scheme.name,
        "moves_only": figures.scheme.moves_only,
        "detects_changes": figures.detects,
        "results": [_make_record(run) for run in figures.runs],
    }


def _make_record(run: DisturbedRun) -> dict[str, Any]:
    """Return one row of data, with None for unknown values."""
    is_restored = run.outcome == _RESTORED
    return {
        "picture": run.picture.name,
        "disturbance": run.disturbance.name,
        "strength": run.strength,
        "outcome": run.outcome,
        "psnr": run.psnr if is_restored else None,  # infinity becomes null as well
        "expected_psnr": run.expected.psnr if run.expected else None,
        "ssim": run.ssim if is_restored else None,
        "correlation": run.correlation if is_restored else None,
        "expected_correlation": run.expected.correlation if run.expected else None,
        "restored_exactly": run.psnr == inf if is_restored else None,
        "note": run.note,
    }


def _make_lead(figures: Iterable[RobustnessFigures]) -> str:
    """Return sentences that name the schemes that restore disturbed pictures or refuse them."""
    kinds: dict[str, list[str]] = {}
    for scheme_figures in figures:
        kind, name = _name_scheme_outcome(scheme_figures), scheme_figures.scheme.name
        reason = next(
            (run.note for run in scheme_figures.runs if run.note and kind == "none"), None
        )
        kinds.setdefault(kind, []).append(f"{name} ({reason})" if reason else name)
    texts = {
        "restores": "Restored as far as possible, without noticing the change",
        "detects": "Refused by design, because changes are detected",
        "none": "Not measured",
    }
    return " ".join(
        f"{text}: {', '.join(kinds[kind])}." for kind, text in texts.items() if kind in kinds
    )


def _name_scheme_outcome(figures: RobustnessFigures) -> str:
    if figures.detects:
        return "detects"
    return "restores" if any(run.outcome == _RESTORED for run in figures.runs) else "none"


def make_robustness_overview(
    figures: Sequence[RobustnessFigures], *, title: str = "PSNR in dB"
) -> Section:
    """Return a table of the mean PSNR over all pictures, with a column for each scheme."""
    table = Table(
        title=title,
        columns=("disturbance", *(scheme_figures.scheme.name for scheme_figures in figures)),
        rows=tuple(
            (Cell(text=label), *(_format_mean(scheme_figures, label) for scheme_figures in figures))
            for label in dict.fromkeys(run.label for run in figures[0].runs)
        ),
        matrix=True,
    )
    mean_sentence = "The mean over the pictures that a scheme restores."
    return Section(
        title=title,
        paragraphs=(mean_sentence,) if len(figures[0].pictures) > 1 else (),
        tables=(table,),
        notes=tuple(
            f"{scheme_figures.scheme.name}: {note}"
            for scheme_figures in figures
            if _name_scheme_outcome(scheme_figures) != "restores"
            for runs in _group_by_picture(scheme_figures)
            for note in _iterate_failures(runs)
        ),
    )


def _format_mean(figures: RobustnessFigures, label: str) -> Cell:
    """Return a cell with the mean PSNR after one disturbance, or with the outcome."""
    runs = [run for run in figures.runs if run.label == label]
    values = [run.psnr for run in runs if run.outcome == _RESTORED]
    return _make_value_cell(fmean(values), 2) if values else Cell(text=runs[0].outcome, number=True)


def _make_value_cell(value: float | None, decimal_count: int) -> Cell:
    is_finite = value is not None and isfinite(value)
    return Cell(
        text=f"{value:.{decimal_count}f}" if is_finite else format_number(value), number=True
    )


def make_robustness_section(figures: RobustnessFigures) -> Section:
    """Return the section about one scheme on its first picture, with restored pictures."""
    section = _make_section(figures, _group_by_picture(figures)[0])
    return replace(
        section, title="Robustness", notes=(*section.notes, *_make_notes_section(figures).notes)
    )


def _group_by_picture(figures: RobustnessFigures) -> list[list[DisturbedRun]]:
    runs, count = figures.runs, len(figures.runs) // len(figures.pictures)
    return [list(runs[start : start + count]) for start in range(0, len(runs), count)]


def _make_section(figures: RobustnessFigures, runs: Sequence[DisturbedRun]) -> Section:
    table = _make_table(figures, runs)
    return Section(
        title=table.title,
        figures=tuple(_draw_restored_pictures(figures, runs)),
        tables=(table,),
        notes=tuple(_iterate_failures(runs)),
    )


def _iterate_failures(runs: Sequence[DisturbedRun]) -> Iterator[str]:
    """Yield sentences about the disturbances of one picture that were not measured."""
    names_by_note: dict[str, dict[str, None]] = {}
    for run in runs:
        if run.outcome == _UNMEASURED:
            names_by_note.setdefault(run.note, {})[run.disturbance.name] = None
    for note, names in names_by_note.items():
        suffix = "" if all(run.note == note for run in runs) else f", {', '.join(names)}"
        yield f"{runs[0].picture.name}{suffix}: {note}."


def _make_table(figures: RobustnessFigures, runs: Sequence[DisturbedRun]) -> Table:
    """Return a table with a row for each disturbance, and one row for all refused disturbances."""
    is_single = _name_scheme_outcome(figures) == "restores"
    rows = [
        (Cell(text=run.label), *_iterate_cells(run)) for run in runs if is_single or run.psnr == inf
    ]
    for outcome in () if is_single else (_REFUSED, _UNMEASURED):
        runs_with_outcome = [run for run in runs if run.outcome == outcome]
        text = f"{len(runs_with_outcome)} others" if rows else f"all {len(runs_with_outcome)}"
        rows += (
            [(Cell(text=text), *_iterate_cells(runs_with_outcome[0]))] if runs_with_outcome else []
        )
    return Table(
        title=f"{figures.scheme.name}, {runs[0].picture.name}",
        columns=("disturbance", "PSNR, dB", "expected", "SSIM", "correlation", "expected"),
        rows=tuple(rows),
    )


def _iterate_cells(run: DisturbedRun) -> Iterator[Cell]:
    """Yield the cells of one run: its values, or its outcome and dashes."""
    if run.outcome != _RESTORED:
        yield Cell(text=run.outcome, number=True)
        yield from [_make_value_cell(None, 0)] * 4
        return
    psnr, correlation = run.expected or (None, None)
    yield from (
        _make_value_cell(run.psnr, 2),
        _make_value_cell(psnr, 2),
        _make_value_cell(run.ssim, 4),
    )
    yield from (_make_value_cell(run.correlation, 4), _make_value_cell(correlation, 4))


def _draw_restored_pictures(
    figures: RobustnessFigures, runs: Sequence[DisturbedRun]
) -> Iterator[Figure]:
    """Yield a drawing of the restored picture for each disturbance at its middle strength."""
    for _, group in groupby(runs, key=lambda run: run.disturbance.name):
        # Only one strength of each disturbance, so that the drawings fit one row.
        disturbance_runs = list(group)
        run = disturbance_runs[len(disturbance_runs) // 2]
        if run.preview is not None:
            name = f"{run.picture.name}, {run.label}"
            yield make_picture_figure(
                name,
                run.picture.with_pixels(run.preview),
                alternative_text=f"{name}, restored by {figures.scheme.name}",
            )


def _make_notes_section(figures: RobustnessFigures) -> Section:
    """Return a section that explains the values, and each disturbance with its strength."""
    meanings = (
        f"{disturbance.name}: {disturbance.meaning}; the number is the {disturbance.unit}."
        for disturbance in dict.fromkeys(run.disturbance for run in figures.runs)
        if disturbance.least < disturbance.most
    )
    return Section(title="Notes", notes=(*_NOTES, *meanings))
