"""The answers that a security report begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.analysis.reports.attack_report import TITLES
from sudokucrypt.analysis.reports.document import Cell, Section, Table
from sudokucrypt.analysis.reports.words import number_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.analysis.reports.attacking import AttackFigures
    from sudokucrypt.analysis.reports.security import SecurityFigures
    from sudokucrypt.analysis.reports.series import Series


def _breakers(found: SecurityFigures) -> dict[str, list[str]]:
    """Return for each way of use the attacks that break the scheme."""
    ways: dict[str, list[str]] = {}
    for attack in found.attacks:
        for run in attack.runs:
            if not run.control and run.picture is not None:
                names = ways.setdefault(run.salt, [])
                names += [TITLES[attack.attack].lower()] if run.broken else []
    return ways


def security_lead(found: SecurityFigures) -> str:
    """Return what breaks the scheme, in a few sentences."""
    words = {"none": "Without salt", "fresh": "With fresh salt"}
    texts = [
        f"{words[salt]}, it is broken by {', '.join(names)}."
        if names
        else f"{words[salt]}, none of the attacks tried here breaks it."
        for salt, names in _breakers(found).items()
    ]
    if found.subject.moves_only:
        texts.append(
            "It moves samples and keeps their values: this hides a picture and is no encryption."
        )
    return " ".join([*texts, "No test shows that a scheme is secure."])


def answers_section(found: SecurityFigures) -> Section:
    """Return the questions that people ask, and the answers in one line each."""
    runs = found.keys * len(found.pictures)
    exact = sum(each.exact for each in found.pictures)
    rows = [_answer("Did every picture come back exactly?", f"{exact} of {runs}", exact == runs)]
    for each in found.pictures:
        rows.append(_series_answer(f"Do results for {each.plain.name} look random?", each.series))
    if found.maps:
        rows.append(_series_answer("Do maps look like uniform permutations?", found.maps))
    bits = found.key_bits
    rows.append(_answer("Has the key space 128 bits or more?", f"{bits:g} bits", bits >= 128))
    rows += [row for attack in found.attacks for row in _attack_answers(attack)]
    notes = [
        "A figure counts as random if no more of its tests failed than one truly random series in "
        "a thousand has.",
        "An attack that did not break its control on this picture answers nothing.",
    ]
    if found.subject.moves_only:
        notes.append(
            "Histogram and entropy of a scheme that moves samples are those of the plain picture, "
            "so that it looks random only for pictures that do."
        )
    table = Table(title="Answers", columns=("question", "found", "answer"), rows=tuple(rows))
    return Section(title="Answers", tables=(table,), notes=tuple(notes))


def _answer(question: str, finding: str, good: bool | None) -> tuple[Cell, ...]:
    answer = "unknown" if good is None else "yes" if good else "no"
    return Cell(text=question), Cell(text=finding), Cell(text=answer, verdict=good)


def _series_answer(question: str, group: Sequence[Series]) -> tuple[Cell, ...]:
    tests = [series.passed for series in group if series.passed is not None]
    return _answer(question, f"{sum(tests)} of {len(tests)} figures", all(tests))


def _attack_answers(attack: AttackFigures) -> Iterator[tuple[Cell, ...]]:
    """Yield an answer for the scheme without salt and with fresh salt."""
    title = TITLES[attack.attack]
    for run in attack.runs:
        if run.control or run.picture is None:
            continue
        way = "without salt" if run.salt == "none" else "with fresh salt"
        yield _answer(
            f"Does it withstand {title[:1].lower()}{title[1:]}, {way}?",
            f"{number_text(run.recovered)} recovered",
            not run.broken if attack.sound or run.broken else None,
        )
