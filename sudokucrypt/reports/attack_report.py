"""The report of `attack`: which schemes it breaks, and the pictures that it recovers."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from sudokucrypt.analysis.attacking import AttackFigures, AttackRun
from sudokucrypt.analysis.attacks import Outcome
from sudokucrypt.analysis.attacks.contract import format_count
from sudokucrypt.reports.document import Cell, Figure, Report, Section, Table
from sudokucrypt.reports.drawings import draw_curves, make_picture_figure
from sudokucrypt.reports.words import (
    UNKNOWN_MARK,
    list_image_facts,
    make_image_data,
    make_number_cell,
)

_RECOVERED_NOTE = (
    "recovered: the share of pixels, samples or, for the jigsaw, joints that are recovered "
    "correctly. From one fifth on, or one half of the joints, pictures can be seen."
)
_SALT_LABELS = {"none": "without salt", "fresh": "fresh salt"}


def attack_report(figures: AttackFigures) -> Report:
    """Put one attack into words, a table and pictures.

    The figures are from `run_attack`; docs/reference/analysis.md lists the keys of the data.

    Parameters
    ----------
    figures : AttackFigures
        The attack, from `run_attack` or `run_jpeg_attack`.
    """
    title = figures.attack.title
    return Report(
        title=f"Attack: {title[:1].lower()}{title[1:]}",
        lead=make_attack_lead(figures),
        facts=tuple(list_image_facts("picture", figures.plain)),
        sections=(
            make_attack_section(figures, title="Results"),
            *iterate_picture_sections(figures),
        ),
        data={
            "report": "attack",
            "report_version": 1,
            "attack": figures.attack.name,
            "picture": make_image_data(figures.plain),
            **make_attack_data(figures),
        },
        records=[_make_record(run) for run in figures.runs],
    )


def attacks_report(figures: Sequence[AttackFigures]) -> Report:
    """Put several attacks on the same schemes into one table, the runs of a scheme side by side.

    The figures are from `run_attacks`; docs/reference/analysis.md lists the keys of the data.

    Parameters
    ----------
    figures : sequence of AttackFigures
        The attacks, from `run_attacks`.
    """
    labels = [_format_label(run) for run in figures[0].runs if not run.control]
    broken_schemes = {
        label: [
            result.attack.name
            for result in figures
            for run in result.runs
            if run.broken and not run.control and _format_label(run) == label
        ]
        for label in labels
    }
    rows = tuple(
        (
            Cell(text=result.attack.name),
            *(
                Cell(
                    text=run.outcome or "not tried",
                    verdict=_find_verdict(run, control_was_broken=result.control_was_broken),
                )
                for run in result.runs
                if not run.control
            ),
        )
        for result in figures
    )
    table = Table(title="Outcomes", columns=("attack", *labels), rows=rows, matrix=True)
    notes = ("An attack that did not break its control answers nothing.", _RECOVERED_NOTE)
    return Report(
        title="All attacks",
        lead=" ".join(
            f"{label}: broken by {', '.join(names)}." if names else f"{label}: not broken."
            for label, names in broken_schemes.items()
        )
        + " No test shows that a scheme is secure.",
        facts=tuple(list_image_facts("picture", figures[0].plain)),
        sections=(
            Section(title="Outcomes", tables=(table,), notes=notes),
            *(make_attack_section(result, title=result.attack.title) for result in figures),
        ),
        data={
            "report": "attacks",
            "report_version": 1,
            "picture": make_image_data(figures[0].plain),
            "attacks": [
                {"attack": result.attack.name, **make_attack_data(result)} for result in figures
            ],
        },
        records=[
            {"attack": result.attack.name, **_make_record(run)}
            for result in figures
            for run in result.runs
        ],
    )


def _find_verdict(run: AttackRun, *, control_was_broken: bool) -> bool | None:
    has_withstood = run.outcome is Outcome.NOTHING
    return (
        None if run.outcome is None or (has_withstood and not control_was_broken) else has_withstood
    )


def make_attack_lead(figures: AttackFigures) -> str:
    """Return the outcome of an attack in a few sentences."""
    scheme_runs = [run for run in figures.runs if not run.control]
    scheme_names = {
        outcome: ", ".join(_format_label(run) for run in scheme_runs if run.outcome is outcome)
        for outcome in Outcome
    }
    broken_scheme_names, leaky_names, withstanding_names = (
        scheme_names[outcome] for outcome in Outcome
    )
    has_findings = any(run.finding is not None for run in scheme_runs)
    text = (
        f"It breaks {broken_scheme_names}. "
        if broken_scheme_names
        else "It breaks none of these schemes. " * has_findings
    )
    if leaky_names:
        text += f"It finds something in {leaky_names}. "
    if withstanding_names and (broken_scheme_names or leaky_names):
        text += f"It finds nothing in {withstanding_names}. "
    refused_labels: dict[str, list[str]] = {}
    for run in scheme_runs:
        if run.finding is None:
            refused_labels.setdefault(_get_verdict(run), []).append(_format_label(run))
    text += "".join(
        f"{', '.join(labels)}: {verdict}. " for verdict, labels in refused_labels.items()
    )
    if not figures.control_was_broken:
        return f"{text}It did not break its control either, so its failures mean nothing."
    if not withstanding_names:
        return text.rstrip()
    meaning = "It does break its control, so a failure means something."
    return f"{text}{meaning} Attacks that were not tried may still succeed."


def _format_label(run: AttackRun) -> str:
    return f"{run.scheme} ({_SALT_LABELS[run.salt]})"


def _get_verdict(run: AttackRun) -> str:
    return f"not tried: {run.refusal}" if run.finding is None else run.finding.verdict


def make_attack_section(figures: AttackFigures, *, title: str) -> Section:
    """Return the table of an attack, with a plot of its curves if it uses known plaintexts."""
    rows = tuple(
        (
            Cell(text=run.scheme + (", the control" if run.control else "")),
            Cell(text=_SALT_LABELS[run.salt]),
            Cell(text=str(run.finding.queries) if run.finding else UNKNOWN_MARK, number=True),
            make_number_cell(run.finding.recovered if run.finding else None),
            Cell(text=run.outcome, verdict=run.outcome is Outcome.NOTHING)
            if run.outcome
            else Cell(text="not tried"),
        )
        for run in figures.runs
    )
    columns = ("scheme", "salt", "images", "recovered", "outcome")
    return Section(
        title=title,
        paragraphs=(figures.attack.method,),
        figures=tuple(_plot_curves(figures)),
        tables=(Table(title=figures.attack.title, columns=columns, rows=rows),),
        notes=(
            *(
                f"{_format_label(run)}: {_get_verdict(run)}."
                for run in figures.runs
                if not run.control
            ),
            *(_RECOVERED_NOTE,) * (figures.attack.takes == "pixels"),
        ),
    )


def _plot_curves(figures: AttackFigures) -> Iterator[Figure]:
    """Yield a plot of the measured and the expected recovered share by number of known images."""
    details_by_label = {
        _format_label(run): run.finding.details
        for run in figures.runs
        if run.finding is not None and "recovered_after" in run.finding.details
    }
    if not details_by_label:
        return
    theory_label = "theory, one map"
    curves = {label: details["recovered_after"] for label, details in details_by_label.items()}
    curves[theory_label] = next(iter(details_by_label.values()))["expected_after"]
    yield Figure(
        title="Recovered share after each known image",
        draw=partial(draw_curves, curves, expected=theory_label),
        alternative="recovered share over the number of known images",
        wide=True,
    )


def iterate_picture_sections(figures: AttackFigures) -> Iterator[Section]:
    """Yield for each scheme the plain image, the data of the attacker, and recovered images."""
    for run in figures.runs:
        finding = run.finding
        if finding is None:
            continue
        plain = figures.plain.pixels if finding.plain is None else finding.plain
        pictures = [("plain", plain), ("what the attacker has", finding.seen)]
        caption = "what the attacker recovers"
        pictures += [
            (f"{caption} after {format_count(count, 'known image')}", stage)
            for count, stage in enumerate(finding.stages, 1)
        ] or [(caption, finding.picture)]
        yield Section(
            title=_format_label(run) + (", the control" if run.control else ""),
            figures=tuple(
                make_picture_figure(
                    name,
                    figures.plain.with_pixels(pixels),
                    alternative_text=f"{figures.plain.name} {name}, {_format_label(run)}",
                )
                for name, pixels in pictures
            ),
            abreast=4 if finding.stages else 3,
        )


def make_attack_data(figures: AttackFigures) -> dict[str, Any]:
    """Return the outcomes as data for JSON."""
    return {
        "control_broken": figures.control_was_broken,
        "results": [
            {
                **_make_record(run),
                "details": dict(run.finding.details) if run.finding else {},
            }
            for run in figures.runs
        ],
    }


def _make_record(run: AttackRun) -> dict[str, Any]:
    """Return one row of data; a run that was not tried has no outcome."""
    return {
        "scheme": run.scheme,
        "salt": run.salt,
        "control": run.control,
        "images": run.finding.queries if run.finding else None,
        "recovered": run.finding.recovered if run.finding else None,
        "outcome": run.outcome,
        "verdict": _get_verdict(run),
    }
