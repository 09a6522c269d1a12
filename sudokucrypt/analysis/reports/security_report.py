"""The report of `security-report`: answers first, then everything they rest on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sudokucrypt.analysis.reports.answers import answers_section, security_lead
from sudokucrypt.analysis.reports.attack_report import (
    TITLES,
    attack_data,
    attack_lead,
    attack_section,
)
from sudokucrypt.analysis.reports.document import Figure, Report, Section
from sudokucrypt.analysis.reports.image_report import described
from sudokucrypt.analysis.reports.plots import chances_plot
from sudokucrypt.analysis.reports.randomness import randomness_data, randomness_section
from sudokucrypt.analysis.reports.rasters import preview
from sudokucrypt.analysis.reports.series import series_data, series_table
from sudokucrypt.analysis.reports.words import by_name, measurement_table, notes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.analysis.reports.security import PictureSeries, SecurityFigures


def security_report(found: SecurityFigures) -> Report:
    """Put the whole battery into words, tables and drawings.

    Parameters
    ----------
    found : SecurityFigures
        From `measure_security`.

    Returns
    -------
    Report
        Its data have the keys that docs/reference/analysis.md lists.

    Examples
    --------
    >>> from sudokucrypt.analysis.reports import baseline_subjects, measure_security, specimens
    >>> found = measure_security(baseline_subjects()["hilbert"], specimens(32)[-1:], keys=5)
    >>> [section.title for section in security_report(found).sections][:3]
    ['Answers', 'clouds', 'Map']
    """
    sections = [answers_section(found), *(_picture_section(found, each) for each in found.pictures)]
    if found.key:
        sections.append(_key_section(found))
    if found.maps:
        sections.append(_map_section(found))
    if found.randomness:
        sections.append(randomness_section(found.randomness))
    for attack in found.attacks:
        sections.append(attack_section(attack, title=f"Attack: {TITLES[attack.attack]}"))
    return Report(
        title=f"Security report on {found.subject.name}",
        lead=security_lead(found),
        facts=(
            ("scheme", found.subject.name),
            ("changes", "places" if found.subject.moves_only else "places and values"),
            ("known limits", found.subject.limits),
            ("keys", str(found.keys)),
            ("pictures", ", ".join(each.plain.name for each in found.pictures)),
            ("level of significance", f"{found.level:g}"),
        ),
        sections=tuple(sections),
        data=_data(found),
        records=list(_records(found)),
    )


def _picture_section(found: SecurityFigures, each: PictureSeries) -> Section:
    drawn = (
        ("plain", each.plain.pixels),
        ("protected, first key", each.protected),
        ("restored", each.restored),
    )
    figures = [
        Figure(
            title=name,
            draw=partial(preview, pixels, levels=each.plain.levels),
            alternative=f"{each.plain.name}, {name}",
        )
        for name, pixels in drawn
    ]
    chances = [
        measurement.p_value
        for series in each.series
        if series.name.startswith("correlation")
        for measurement in series.measurements
        if measurement.p_value is not None and measurement.passed is not None
    ]
    if chances:
        figures.append(
            Figure(
                title="p-values of all correlations: even, if results are as random images",
                draw=partial(chances_plot, chances),
                alternative=f"histogram of the p-values of the correlations of {each.plain.name}",
                wide=True,
            )
        )
    return Section(
        title=each.plain.name,
        figures=tuple(figures),
        abreast=3,
        tables=(series_table(f"{found.keys} keys", each.series),),
        notes=notes_of(series.measurements[0] for series in each.series),
    )


def _key_section(found: SecurityFigures) -> Section:
    return Section(
        title="Key",
        paragraphs=(
            "One bit of the key or of the picture is flipped, without salt, and what changes is "
            f"counted. The key space is {found.key_bits:g} bits by counting keys and "
            "maps; what it takes to find a key may be far less.",
        ),
        tables=(measurement_table("Key", found.key),),
        notes=notes_of(found.key),
    )


def _map_section(found: SecurityFigures) -> Section:
    return Section(
        title="Map",
        paragraphs=(
            "Where the pixels of an image of 128 x 128 different levels go, under each key, beside "
            "uniform permutations. A map that looks uniform falls to chosen images all the same, "
            "if it is used twice.",
        ),
        tables=(series_table("Statistics of the map", found.maps),),
        notes=notes_of(series.measurements[0] for series in found.maps),
    )


def _data(found: SecurityFigures) -> dict[str, Any]:
    return {
        "report": "security",
        "report_version": 1,
        "scheme": found.subject.name,
        "moves_only": found.subject.moves_only,
        "limits": found.subject.limits,
        "keys": found.keys,
        "level": found.level,
        "pictures": [
            {
                **described(each.plain),
                "restored_exactly": each.exact,
                "figures": {series.name: series_data(series) for series in each.series},
            }
            for each in found.pictures
        ],
        "key": by_name(found.key),
        "key_space_bits": found.key_bits,
        "map": {series.name: series_data(series) for series in found.maps} or None,
        "attacks": {
            attack.attack: {**attack_data(attack), "summary": attack_lead(attack)}
            for attack in found.attacks
        },
        "randomness": randomness_data(found.randomness) if found.randomness else None,
    }


def _records(found: SecurityFigures) -> Iterator[dict[str, Any]]:
    """Yield one row for each figure of each picture, then of the map."""
    for each in found.pictures:
        for series in each.series:
            yield {"of": each.plain.name, "name": series.name, **series_data(series)}
    for series in found.maps:
        yield {"of": "map", "name": series.name, **series_data(series)}
