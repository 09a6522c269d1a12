"""The report of `security-report`: answers to common questions, then all measurements."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from sudokucrypt.analysis.attacking import AttackFigures
from sudokucrypt.analysis.attacks import Outcome
from sudokucrypt.analysis.attacks.contract import format_count
from sudokucrypt.analysis.metrics.metric import find_group
from sudokucrypt.analysis.security import PictureSeries, SecurityFigures
from sudokucrypt.analysis.zoo import find_similar_ciphers
from sudokucrypt.reports import words
from sudokucrypt.reports.attack_report import (
    make_attack_data,
    make_attack_lead,
    make_attack_section,
)
from sudokucrypt.reports.document import Cell, Figure, Report, Section, Table
from sudokucrypt.reports.drawings import draw_histogram, draw_p_values, make_picture_figure
from sudokucrypt.reports.robustness_report import make_robustness_data, make_robustness_section


def make_security_lead(figures: SecurityFigures) -> str:
    """Summarize which attacks break the scheme, in a few sentences."""
    texts = [broken_sentence(figures)]
    for salt, use in (("none", "Without salt"), ("fresh", "With fresh salt")):
        runs = [
            (attack.attack.title.lower(), run.outcome)
            for attack in figures.attacks
            for run in attack.runs
            if run.salt == salt and not run.control and run.outcome is not None
        ]
        breaking_names, leaking_names = (
            ", ".join(name for name, outcome in runs if outcome is wanted_outcome)
            for wanted_outcome in (Outcome.BROKEN, Outcome.LEAKS)
        )
        findings = [f"it is broken by {breaking_names}"] if breaking_names else []
        findings += [f"it leaks to {leaking_names}"] if leaking_names else []
        if runs:
            no_finding_text = f"none of the {len(runs)} attacks tried here finds anything"
            texts.append(f"{use}, {'; '.join(findings) or no_finding_text}.")
    if figures.scheme.moves_only:
        texts.append(
            "It moves samples and keeps their values: this hides a picture but is not encryption."
        )
    return " ".join([*texts, "No test shows that a scheme is secure."])


def broken_sentence(figures: SecurityFigures) -> str:
    """Return a sentence that says whether the scheme is broken, by which attack, at what cost.

    Parameters
    ----------
    figures : SecurityFigures
        The measurements, from `measure_security`.
    """
    if figures.best_break is None:
        leaks = describe_leaks(figures)
        run_count, attack_count = _count_run_attacks(figures), len(figures.attacks)
        if not run_count:
            reason = next(iter(figures.refusals.values()), "no attack takes the scheme")
            return f"Is it broken? Nothing could be run: {reason}."
        text = "Is it broken? No attack here breaks it"
        if 2 * run_count < attack_count:
            text += f", and only {run_count} of {attack_count} could be run"
        return f"{text}, but it leaks: {'; '.join(leaks)}." if leaks else f"{text}."
    attack, _, finding = figures.best_break
    images = format_count(finding.queries, "image")
    return f"Is it broken? Yes: by {attack.attack.title.lower()}, with {images}."


def _count_run_attacks(figures: SecurityFigures) -> int:
    """Return the number of attacks that could be run."""
    return sum(
        any(run.finding is not None for run in attack.runs if not run.control)
        for attack in figures.attacks
    )


def describe_leaks(figures: SecurityFigures) -> list[str]:
    """Describe the findings of attacks, metrics and tests that do not break the scheme."""
    attacks = [
        f"to {attack.attack.title.lower()}"
        for attack in figures.attacks
        if any(run.outcome is Outcome.LEAKS and not run.control for run in attack.runs)
    ]
    return [*attacks, *figures.failures]


def list_similar_ciphers(figures: SecurityFigures) -> list[str]:
    """Return at most three published ciphers that nearly the same attacks break."""
    attacks = [
        attack.attack.name
        for attack in figures.attacks
        if any(run.broken and not run.control for run in attack.runs)
    ]
    return [name for name in find_similar_ciphers(attacks) if name != figures.scheme.name][:3]


def _make_broken_section(figures: SecurityFigures) -> Section:
    """Return a section about the strongest attack, with the picture that it recovers."""
    leaks = describe_leaks(figures)
    leak_sentences = [f"It leaks: {'; '.join(leaks)}."] if leaks else []
    if figures.best_break is None:
        text = (
            broken_sentence(figures)
            if 2 * _count_run_attacks(figures) < len(figures.attacks)
            else (
                "No attack here breaks it. This is no proof: others may, and attacks that a scheme "
                "refuses were not tried."
            )
        )
        return Section(title="Is it broken?", paragraphs=(text, *leak_sentences))
    attack, _, finding = figures.best_break
    first_plain_image = figures.pictures[0].plain if figures.pictures else attack.plain
    plain_pixels = first_plain_image.pixels if finding.plain is None else finding.plain
    pictures = (
        ("plain", plain_pixels),
        ("what the attacker has", finding.seen),
        ("what the attacker recovers", finding.picture),
    )
    similar_ciphers = list_similar_ciphers(figures)
    return Section(
        title="Is it broken?",
        paragraphs=(
            f"Yes, by {attack.attack.title.lower()}: {format_count(finding.queries, 'image')}. "
            f"{finding.verdict[0].upper()}{finding.verdict[1:]}.",
            attack.attack.method,
            *leak_sentences,
            *(
                [f"It behaves like {', '.join(similar_ciphers)}: the same attacks break them."]
                if similar_ciphers
                else []
            ),
        ),
        figures=tuple(
            make_picture_figure(
                name,
                first_plain_image.with_pixels(pixels),
                alternative_text=f"{first_plain_image.name}, {name}",
            )
            for name, pixels in pictures
        ),
        abreast=3,
    )


def make_answers_section(figures: SecurityFigures) -> Section:
    """Return a table with questions that people ask, and short answers."""
    runs = figures.keys * len(figures.pictures)
    exact_counts = [picture.exact for picture in figures.pictures if picture.exact is not None]
    rows = []
    if exact_counts:
        finding = f"{sum(exact_counts)} of {runs}"
        rows.append(
            _make_answer(
                "Was every picture restored exactly?", finding, is_good=sum(exact_counts) == runs
            )
        )
    questions = [
        (f"Do results for {picture.plain.name} look random?", picture.series)
        for picture in figures.pictures
    ]
    questions += [("Do maps look like uniform permutations?", figures.maps)] if figures.maps else []
    questions += (
        [("Does one changed sample change the result?", figures.places)] if figures.places else []
    )
    for question, group in questions:
        passed_flags = [series.passed for series in group if series.passed is not None]
        rows.append(
            _make_answer(
                question,
                f"{sum(passed_flags)} of {len(passed_flags)} figures",
                is_good=all(passed_flags),
            )
        )
    for kind in ("key", "picture"):
        # Key and picture are separate questions, since the effect of changing a bit of the picture
        # shows nothing about the key.
        is_picture = kind == "picture"
        bit_tests = [
            measurement
            for measurement in figures.key
            if measurement.name.endswith("image") is is_picture
        ]
        passed_flags = [
            measurement.passed for measurement in bit_tests if measurement.passed is not None
        ]
        if passed_flags:
            question = f"Does one changed bit of the {kind} change the result?"
            text = f"{sum(passed_flags)} of {len(passed_flags)} figures"
            rows.append(_make_answer(question, text, is_good=all(passed_flags)))
    rows.append(_answer_key_bits(figures))
    rows += [row for attack in figures.attacks for row in _answer_attack(attack)]
    notes = [
        "A figure counts as random if no more of its tests failed than one truly random series in "
        "a thousand has.",
        "An attack that did not break its control on this picture answers nothing.",
        *(f"{name}: left out, {reason}." for name, reason in figures.refusals.items()),
    ]
    if figures.scheme.moves_only:
        notes.append(
            "A scheme that moves samples keeps histogram and entropy of the plain picture, so its "
            "results look random only for pictures that do."
        )
    table = Table(title="Answers", columns=("question", "found", "answer"), rows=tuple(rows))
    return Section(title="Answers", tables=(table,), notes=tuple(notes))


def _answer_key_bits(figures: SecurityFigures) -> tuple[Cell, ...]:
    """Answer how many bits of the key have an effect: the measured or else the stated number."""
    bits, question = figures.key_bits, "Has the key space 128 bits or more?"
    if bits is None:
        return _make_answer(question, "not stated, and not measured", is_good=None)
    if bits == 0:
        return _make_answer(question, "no secret: the key changes nothing", is_good=False)
    if figures.measured_bits is None:
        return _make_answer(
            question, f"{bits:.4g} bits, stated", is_good=None if bits >= 128 else False
        )
    if bits >= 128:
        text = f"{bits:.4g} bits have an effect; the size of the space is not shown"
        return _make_answer(question, text, is_good=None)
    return _make_answer(question, f"{bits:.4g} bits, measured", is_good=False)


def _make_answer(question: str, finding: str, *, is_good: bool | None) -> tuple[Cell, ...]:
    answer = "unknown" if is_good is None else "yes" if is_good else "no"
    return Cell(text=question), Cell(text=finding), Cell(text=answer, verdict=is_good)


def _answer_attack(attack: AttackFigures) -> Iterator[tuple[Cell, ...]]:
    """Yield the answers for an attack on the scheme without salt and with fresh salts."""
    title = attack.attack.title
    for run in attack.runs:
        if run.control:
            continue
        salt = "without salt" if run.salt == "none" else "with fresh salt"
        question = f"Does it withstand {title[:1].lower()}{title[1:]}, {salt}?"
        if run.finding is None:
            yield _make_answer(question, run.refusal, is_good=None)
            continue
        has_withstood = run.outcome is Outcome.NOTHING
        yield _make_answer(
            question,
            f"{words.format_number(run.finding.recovered)} recovered",
            is_good=None if has_withstood and not attack.control_was_broken else has_withstood,
        )


def security_report(figures: SecurityFigures) -> Report:
    """Make the report on the security of a scheme, as text, tables and drawings.

    The figures are from `measure_security`; docs/reference/analysis.md lists the keys of the data.

    Parameters
    ----------
    figures : SecurityFigures
        The measurements, from `measure_security`.
    """
    pictures = [
        (picture_series.plain.name, picture_series.series) for picture_series in figures.pictures
    ]
    return Report(
        title=f"Security report on {figures.scheme.name}",
        lead=make_security_lead(figures),
        facts=(
            ("scheme", figures.scheme.name),
            ("keeps values", "yes" if figures.scheme.moves_only else "no"),
            ("known limits", figures.scheme.limits),
            ("key bits stated", _format_stated_key_bits(figures)),
            ("keys", str(figures.keys)),
            ("pictures", ", ".join(name for name, _ in pictures)),
            ("level of significance", f"{figures.level:g}"),
        ),
        sections=tuple(_iterate_sections(figures)),
        data=_collect_data(figures),
        records=[
            {"of": name, "name": series.name, **words.make_series_data(series)}
            for name, group in (*pictures, ("places", figures.places), ("map", figures.maps))
            for series in group
        ],
    )


def _iterate_sections(figures: SecurityFigures) -> Iterator[Section]:
    """Yield all sections: the answers, then measurements, then attacks."""
    yield _make_broken_section(figures)
    yield make_answers_section(figures)
    for picture_series in figures.pictures:
        yield _make_picture_section(figures, picture_series)
    if figures.places:
        count = len(figures.places[0].measurements)
        yield Section(
            title="One changed sample",
            paragraphs=(
                f"One sample is raised by one level at each of {count} places, under the first "
                "key, and both results are compared.",
            ),
            tables=(words.make_series_table(f"{count} places", figures.places),),
            notes=words.collect_notes(series.measurements[0] for series in figures.places),
        )
    if figures.key:
        yield Section(
            title="Key",
            paragraphs=(
                "One bit of the key or of the picture is flipped, without salt, and the changes "
                " are counted. Finding a key may take far less than trying them all.",
            ),
            tables=(words.make_measurement_table("Key", figures.key),),
            notes=words.collect_notes(figures.key),
        )
    if figures.maps:
        yield Section(
            title="Map",
            paragraphs=(
                "The map of the pixels of an image of 128 x 128 different levels, under each "
                "key, compared with uniform permutations. Chosen images break even a map that "
                "looks uniform, if it is used twice.",
            ),
            tables=(words.make_series_table("Statistics of the map", figures.maps),),
            notes=words.collect_notes(series.measurements[0] for series in figures.maps),
        )
    if figures.randomness:
        yield words.make_randomness_section(figures.randomness)
    if figures.robustness is not None:
        yield make_robustness_section(figures.robustness)
    for attack in figures.attacks:
        yield make_attack_section(attack, title=f"Attack: {attack.attack.title}")


def _make_picture_section(figures: SecurityFigures, picture_series: PictureSeries) -> Section:
    pictures = (
        ("plain", picture_series.plain.pixels),
        ("protected, first key", picture_series.protected),
        ("restored", picture_series.restored),
        ("restored with a key that differs in one bit", picture_series.wrong_key),
        ("distance of results for keys that differ in one bit", picture_series.key_difference),
    )
    drawings = [
        make_picture_figure(
            name,
            picture_series.plain.with_pixels(pixels),
            alternative_text=f"{picture_series.plain.name}, {name}",
        )
        for name, pixels in pictures
        if pixels is not None
    ]
    if picture_series is figures.pictures[0]:
        protected_image = picture_series.plain.with_pixels(picture_series.protected)
        drawings.append(
            Figure(
                title="histogram of the result",
                draw=partial(draw_histogram, protected_image.pixels, levels=protected_image.levels),
                alternative=f"histogram of {picture_series.plain.name}, protected",
            )
        )
    p_values = [
        measurement.p_value
        for series in picture_series.series
        if find_group(series.name) == "neighbors"
        for measurement in series.measurements
        if measurement.p_value is not None and measurement.passed is not None
    ]
    if p_values:
        drawings.append(
            Figure(
                title="p-values of all correlations: evenly spread if results are like random "
                "images",
                draw=partial(draw_p_values, p_values),
                alternative="histogram of the p-values of the correlations of "
                f"{picture_series.plain.name}",
                wide=True,
            )
        )
    return Section(
        title=picture_series.plain.name,
        figures=tuple(drawings),
        abreast=4,
        tables=(words.make_series_table(f"{figures.keys} keys", picture_series.series),),
        notes=words.collect_notes(series.measurements[0] for series in picture_series.series),
    )


def _format_stated_key_bits(figures: SecurityFigures) -> str:
    bits = figures.scheme.key_bits
    return "not stated" if bits is None else f"{bits:g}"


def _make_break_data(figures: SecurityFigures) -> dict[str, Any] | None:
    if figures.best_break is None:
        return None
    attack, run, finding = figures.best_break
    return {
        "attack": attack.attack.name,
        "salt": run.salt,
        "images": finding.queries,
        "recovered": finding.recovered,
    }


def _collect_data(figures: SecurityFigures) -> dict[str, Any]:
    return {
        "report": "security",
        "report_version": 1,
        "scheme": figures.scheme.name,
        "moves_only": figures.scheme.moves_only,
        "limits": figures.scheme.limits,
        "broken": _make_break_data(figures),
        "leaks": describe_leaks(figures),
        "behaves_like": list_similar_ciphers(figures),
        "refusals": dict(figures.refusals),
        "keys": figures.keys,
        "level": figures.level,
        "pictures": [
            {
                **words.make_image_data(picture_series.plain),
                "restored_exactly": picture_series.exact,
                "figures": {
                    series.name: words.make_series_data(series) for series in picture_series.series
                },
            }
            for picture_series in figures.pictures
        ],
        "key": words.index_by_name(figures.key),
        "key_bits_stated": figures.scheme.key_bits,
        "key_bits_measured": figures.measured_bits,
        "key_space_bits": figures.key_bits,
        "places": {series.name: words.make_series_data(series) for series in figures.places}
        or None,
        "map": {series.name: words.make_series_data(series) for series in figures.maps} or None,
        "attacks": [
            {
                "attack": attack.attack.name,
                "outcome": attack.as_used.outcome,
                "summary": make_attack_lead(attack),
                **make_attack_data(attack),
            }
            for attack in figures.attacks
        ],
        "robustness": make_robustness_data(figures.robustness) if figures.robustness else None,
        "randomness": words.make_randomness_data(figures.randomness)
        if figures.randomness
        else None,
    }
