"""The report of `security-report`: answers first, then everything they rest on."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from sudokucrypt.analysis.attacking import AttackFigures
from sudokucrypt.analysis.attacks import Outcome
from sudokucrypt.analysis.metrics.metric import group_of
from sudokucrypt.analysis.security import PictureSeries, SecurityFigures
from sudokucrypt.reports import words
from sudokucrypt.reports.attack_report import attack_data, attack_lead, attack_section
from sudokucrypt.reports.document import Cell, Figure, Report, Section, Table
from sudokucrypt.reports.drawings import chances_plot, picture
from sudokucrypt.reports.robustness_report import robustness_data, robustness_section


def security_lead(found: SecurityFigures) -> str:
    """Return what breaks the scheme, in a few sentences."""
    texts = []
    for salt, start in (("none", "Without salt"), ("fresh", "With fresh salt")):
        runs = [
            (attack.attack.title.lower(), run.outcome)
            for attack in found.attacks
            for run in attack.runs
            if run.salt == salt and not run.control and run.outcome is not None
        ]
        broken, leaky = (
            ", ".join(name for name, outcome in runs if outcome is wanted)
            for wanted in (Outcome.BROKEN, Outcome.LEAKS)
        )
        said = [f"it is broken by {broken}"] if broken else []
        said += [f"it leaks to {leaky}"] if leaky else []
        if runs:
            nothing = f"none of the {len(runs)} attacks tried here finds anything"
            texts.append(f"{start}, {' and '.join(said) or nothing}.")
    if found.scheme.moves_only:
        texts.append(
            "It moves samples and keeps their values: this hides a picture but is not encryption."
        )
    return " ".join([*texts, "No test shows that a scheme is secure."])


def answers_section(found: SecurityFigures) -> Section:
    """Return the questions that people ask, and the answers in one line each."""
    runs = found.keys * len(found.pictures)
    exact = [each.exact for each in found.pictures if each.exact is not None]
    rows = []
    if exact:
        finding = f"{sum(exact)} of {runs}"
        rows.append(_answer("Was every picture restored exactly?", finding, sum(exact) == runs))
    questions = [
        (f"Do results for {each.plain.name} look random?", each.series) for each in found.pictures
    ]
    questions += [("Do maps look like uniform permutations?", found.maps)] if found.maps else []
    for question, group in questions:
        tests = [series.passed for series in group if series.passed is not None]
        rows.append(_answer(question, f"{sum(tests)} of {len(tests)} figures", all(tests)))
    bits = found.key_bits
    rows.append(_answer("Has the key space 128 bits or more?", f"{bits:g} bits", bits >= 128))
    rows += [row for attack in found.attacks for row in _attack_answers(attack)]
    notes = [
        "A figure counts as random if no more of its tests failed than one truly random series in "
        "a thousand has.",
        "An attack that did not break its control on this picture answers nothing.",
    ]
    if found.scheme.moves_only:
        notes.append(
            "A scheme that moves samples keeps histogram and entropy of the plain picture, so its "
            "results look random only for pictures that do."
        )
    table = Table(title="Answers", columns=("question", "found", "answer"), rows=tuple(rows))
    return Section(title="Answers", tables=(table,), notes=tuple(notes))


def _answer(question: str, finding: str, good: bool | None) -> tuple[Cell, ...]:
    answer = "unknown" if good is None else "yes" if good else "no"
    return Cell(text=question), Cell(text=finding), Cell(text=answer, verdict=good)


def _attack_answers(attack: AttackFigures) -> Iterator[tuple[Cell, ...]]:
    """Yield an answer for the scheme without salt and with fresh salt."""
    title = attack.attack.title
    for run in attack.runs:
        if run.control or run.finding is None:
            continue
        way = "without salt" if run.salt == "none" else "with fresh salt"
        withstood = run.outcome is Outcome.NOTHING
        yield _answer(
            f"Does it withstand {title[:1].lower()}{title[1:]}, {way}?",
            f"{words.number_text(run.finding.recovered)} recovered",
            None if withstood and not attack.sound else withstood,
        )


def security_report(found: SecurityFigures) -> Report:
    """Put everything into words, tables and drawings.

    The figures are from `measure_security`; docs/reference/analysis.md lists the keys of the data.
    """
    sections = [answers_section(found), *(_picture_section(found, each) for each in found.pictures)]
    if found.key:
        sections.append(
            Section(
                title="Key",
                paragraphs=(
                    "One bit of the key or of the picture is flipped, without salt, and the "
                    f"changes are counted. The key space is {found.key_bits:g} bits by counting "
                    "keys and maps; finding a key may take far less.",
                ),
                tables=(words.measurement_table("Key", found.key),),
                notes=words.notes_of(found.key),
            )
        )
    if found.maps:
        sections.append(
            Section(
                title="Map",
                paragraphs=(
                    "The map of the pixels of an image of 128 x 128 different levels, under each "
                    "key, compared with uniform permutations. Chosen images break even a map that "
                    "looks uniform, if it is used twice.",
                ),
                tables=(words.series_table("Statistics of the map", found.maps),),
                notes=words.notes_of(series.measurements[0] for series in found.maps),
            )
        )
    if found.randomness:
        sections.append(words.randomness_section(found.randomness))
    sections.append(robustness_section(found.robustness))
    for attack in found.attacks:
        sections.append(attack_section(attack, title=f"Attack: {attack.attack.title}"))
    return Report(
        title=f"Security report on {found.scheme.name}",
        lead=security_lead(found),
        facts=(
            ("scheme", found.scheme.name),
            ("keeps values", "yes" if found.scheme.moves_only else "no"),
            ("known limits", found.scheme.limits),
            ("keys", str(found.keys)),
            ("pictures", ", ".join(each.plain.name for each in found.pictures)),
            ("level of significance", f"{found.level:g}"),
        ),
        sections=tuple(sections),
        data=_data(found),
        records=[
            {"of": name, "name": series.name, **words.series_data(series)}
            for name, group in (
                *((each.plain.name, each.series) for each in found.pictures),
                ("map", found.maps),
            )
            for series in group
        ],
    )


def _picture_section(found: SecurityFigures, each: PictureSeries) -> Section:
    drawn = (
        ("plain", each.plain.pixels),
        ("protected, first key", each.protected),
        ("restored", each.restored),
        ("restored with a key that differs in one bit", each.wrong_key),
    )
    figures = [
        picture(name, each.plain.made_into(pixels), alternative=f"{each.plain.name}, {name}")
        for name, pixels in drawn
        if pixels is not None
    ]
    chances = [
        measurement.p_value
        for series in each.series
        if group_of(series.name) == "neighbours"
        for measurement in series.measurements
        if measurement.p_value is not None and measurement.passed is not None
    ]
    if chances:
        figures.append(
            Figure(
                title="p-values of all correlations: evenly spread if results are like random "
                "images",
                draw=partial(chances_plot, chances),
                alternative=f"histogram of the p-values of the correlations of {each.plain.name}",
                wide=True,
            )
        )
    return Section(
        title=each.plain.name,
        figures=tuple(figures),
        abreast=4,
        tables=(words.series_table(f"{found.keys} keys", each.series),),
        notes=words.notes_of(series.measurements[0] for series in each.series),
    )


def _data(found: SecurityFigures) -> dict[str, Any]:
    return {
        "report": "security",
        "report_version": 1,
        "scheme": found.scheme.name,
        "moves_only": found.scheme.moves_only,
        "limits": found.scheme.limits,
        "keys": found.keys,
        "level": found.level,
        "pictures": [
            {
                **words.described(each.plain),
                "restored_exactly": each.exact,
                "figures": {series.name: words.series_data(series) for series in each.series},
            }
            for each in found.pictures
        ],
        "key": words.by_name(found.key),
        "key_space_bits": found.key_bits,
        "map": {series.name: words.series_data(series) for series in found.maps} or None,
        "attacks": [
            {
                "attack": attack.attack.name,
                "outcome": attack.as_used.outcome,
                "summary": attack_lead(attack),
                **attack_data(attack),
            }
            for attack in found.attacks
        ],
        "robustness": robustness_data(found.robustness),
        "randomness": words.randomness_data(found.randomness) if found.randomness else None,
    }
