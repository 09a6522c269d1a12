"""The report of `security-report`: answers first, then everything they rest on."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from sudokucrypt.analysis.attacking import AttackFigures
from sudokucrypt.analysis.attacks import Outcome
from sudokucrypt.analysis.attacks.contract import count_text
from sudokucrypt.analysis.metrics.metric import find_group
from sudokucrypt.analysis.security import PictureSeries, SecurityFigures
from sudokucrypt.analysis.zoo import find_similar_ciphers
from sudokucrypt.reports import words
from sudokucrypt.reports.attack_report import attack_data, attack_lead, attack_section
from sudokucrypt.reports.document import Cell, Figure, Report, Section, Table
from sudokucrypt.reports.drawings import chances_plot, histogram_plot, picture_figure
from sudokucrypt.reports.robustness_report import robustness_data, robustness_section


def security_lead(figures: SecurityFigures) -> str:
    """Name the attacks that break the scheme, in a few sentences."""
    texts = [broken_sentence(figures)]
    for salt, start in (("none", "Without salt"), ("fresh", "With fresh salt")):
        runs = [
            (attack.attack.title.lower(), run.outcome)
            for attack in figures.attacks
            for run in attack.runs
            if run.salt == salt and not run.control and run.outcome is not None
        ]
        broken, leaky = (
            ", ".join(name for name, outcome in runs if outcome is wanted)
            for wanted in (Outcome.BROKEN, Outcome.LEAKS)
        )
        findings = [f"it is broken by {broken}"] if broken else []
        findings += [f"it leaks to {leaky}"] if leaky else []
        if runs:
            nothing = f"none of the {len(runs)} attacks tried here finds anything"
            texts.append(f"{start}, {'; '.join(findings) or nothing}.")
    if figures.scheme.moves_only:
        texts.append(
            "It moves samples and keeps their values: this hides a picture but is not encryption."
        )
    return " ".join([*texts, "No test shows that a scheme is secure."])


def broken_sentence(figures: SecurityFigures) -> str:
    """Return whether the scheme is broken, by which attack, and at what cost.

    Parameters
    ----------
    figures : SecurityFigures
        The measurements, from `measure_security`.
    """
    if figures.best_break is None:
        leaks = leaks_found(figures)
        run, every = _count_attacks(figures), len(figures.attacks)
        if not run:
            reason = next(iter(figures.refusals.values()), "no attack takes the scheme")
            return f"Is it broken? Nothing could be run: {reason}."
        text = "Is it broken? No attack here breaks it"
        if 2 * run < every:
            text += f", and only {run} of {every} could be run"
        return f"{text}, but it leaks: {'; '.join(leaks)}." if leaks else f"{text}."
    attack, _, finding = figures.best_break
    images = count_text(finding.queries, "image")
    return f"Is it broken? Yes: by {attack.attack.title.lower()}, with {images}."


def _count_attacks(figures: SecurityFigures) -> int:
    """Return how many attacks could be run."""
    return sum(
        any(run.finding is not None for run in attack.runs if not run.control)
        for attack in figures.attacks
    )


def leaks_found(figures: SecurityFigures) -> list[str]:
    """Describe findings of attacks, metrics and tests that are not a break."""
    attacks = [
        f"to {attack.attack.title.lower()}"
        for attack in figures.attacks
        if any(run.outcome is Outcome.LEAKS and not run.control for run in attack.runs)
    ]
    return [*attacks, *figures.failures]


def behaves_like(figures: SecurityFigures) -> list[str]:
    """Return the published ciphers that fall to nearly the same attacks, three at most."""
    broken = [
        attack.attack.name
        for attack in figures.attacks
        if any(run.broken and not run.control for run in attack.runs)
    ]
    return [name for name in find_similar_ciphers(broken) if name != figures.scheme.name][:3]


def _make_broken_section(figures: SecurityFigures) -> Section:
    """Return the attack that shows most, with what it recovers and the plain picture."""
    leaks = leaks_found(figures)
    found = [f"It leaks: {'; '.join(leaks)}."] if leaks else []
    if figures.best_break is None:
        text = (
            broken_sentence(figures)
            if 2 * _count_attacks(figures) < len(figures.attacks)
            else (
                "No attack here breaks it. This is no proof: others may, and attacks that a scheme "
                "refuses were not tried."
            )
        )
        return Section(title="Is it broken?", paragraphs=(text, *found))
    attack, _, finding = figures.best_break
    first = figures.pictures[0].plain if figures.pictures else attack.plain
    plain = first.pixels if finding.plain is None else finding.plain
    drawn = (
        ("plain", plain),
        ("what the attacker has", finding.seen),
        ("what the attacker recovers", finding.picture),
    )
    kin = behaves_like(figures)
    return Section(
        title="Is it broken?",
        paragraphs=(
            f"Yes, by {attack.attack.title.lower()}: {count_text(finding.queries, 'image')}. "
            f"{finding.verdict[0].upper()}{finding.verdict[1:]}.",
            attack.attack.method,
            *found,
            *([f"It behaves like {', '.join(kin)}: the same attacks break them."] if kin else []),
        ),
        figures=tuple(
            picture_figure(name, first.made_into(pixels), alternative=f"{first.name}, {name}")
            for name, pixels in drawn
        ),
        abreast=3,
    )


def answers_section(figures: SecurityFigures) -> Section:
    """Return the questions that people ask, and the answers in one line each."""
    runs = figures.keys * len(figures.pictures)
    exact = [each.exact for each in figures.pictures if each.exact is not None]
    rows = []
    if exact:
        finding = f"{sum(exact)} of {runs}"
        rows.append(
            _answer("Was every picture restored exactly?", finding, good=sum(exact) == runs)
        )
    questions = [
        (f"Do results for {each.plain.name} look random?", each.series) for each in figures.pictures
    ]
    questions += [("Do maps look like uniform permutations?", figures.maps)] if figures.maps else []
    questions += (
        [("Does one changed sample change the result?", figures.places)] if figures.places else []
    )
    for question, group in questions:
        tests = [series.passed for series in group if series.passed is not None]
        rows.append(_answer(question, f"{sum(tests)} of {len(tests)} figures", good=all(tests)))
    for what in ("key", "picture"):
        # The avalanche of a bit of the picture says nothing about the key.
        of_picture = what == "picture"
        own = [each for each in figures.key if each.name.endswith("image") is of_picture]
        tests = [each.passed for each in own if each.passed is not None]
        if tests:
            question = f"Does one changed bit of the {what} change the result?"
            text = f"{sum(tests)} of {len(tests)} figures"
            rows.append(_answer(question, text, good=all(tests)))
    rows.append(_answer_key_bits(figures))
    rows += [row for attack in figures.attacks for row in _attack_answers(attack)]
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
    """Return how many bits of the key count: measured where that is possible, else as stated."""
    bits, question = figures.key_bits, "Has the key space 128 bits or more?"
    if bits is None:
        return _answer(question, "not stated, and not measured", good=None)
    if bits == 0:
        return _answer(question, "no secret: the key changes nothing", good=False)
    if figures.measured_bits is None:
        return _answer(question, f"{bits:.4g} bits, stated", good=None if bits >= 128 else False)
    if bits >= 128:
        text = f"{bits:.4g} bits have an effect; the size of the space is not shown"
        return _answer(question, text, good=None)
    return _answer(question, f"{bits:.4g} bits, measured", good=False)


def _answer(question: str, finding: str, *, good: bool | None) -> tuple[Cell, ...]:
    answer = "unknown" if good is None else "yes" if good else "no"
    return Cell(text=question), Cell(text=finding), Cell(text=answer, verdict=good)


def _attack_answers(attack: AttackFigures) -> Iterator[tuple[Cell, ...]]:
    """Yield an answer for the scheme without salt and with fresh salt."""
    title = attack.attack.title
    for run in attack.runs:
        if run.control:
            continue
        salt = "without salt" if run.salt == "none" else "with fresh salt"
        question = f"Does it withstand {title[:1].lower()}{title[1:]}, {salt}?"
        if run.finding is None:
            yield _answer(question, run.refusal, good=None)
            continue
        withstood = run.outcome is Outcome.NOTHING
        yield _answer(
            question,
            f"{words.number_text(run.finding.recovered)} recovered",
            good=None if withstood and not attack.control_was_broken else withstood,
        )


def security_report(figures: SecurityFigures) -> Report:
    """Put everything into words, tables and drawings.

    The figures are from `measure_security`; docs/reference/analysis.md lists the keys of the data.

    Parameters
    ----------
    figures : SecurityFigures
        The measurements, from `measure_security`.
    """
    pictures = [(each.plain.name, each.series) for each in figures.pictures]
    return Report(
        title=f"Security report on {figures.scheme.name}",
        lead=security_lead(figures),
        facts=(
            ("scheme", figures.scheme.name),
            ("keeps values", "yes" if figures.scheme.moves_only else "no"),
            ("known limits", figures.scheme.limits),
            ("key bits stated", _format_statement(figures)),
            ("keys", str(figures.keys)),
            ("pictures", ", ".join(name for name, _ in pictures)),
            ("level of significance", f"{figures.level:g}"),
        ),
        sections=tuple(_iterate_sections(figures)),
        data=_collect_data(figures),
        records=[
            {"of": name, "name": series.name, **words.series_data(series)}
            for name, group in (*pictures, ("places", figures.places), ("map", figures.maps))
            for series in group
        ],
    )


def _iterate_sections(figures: SecurityFigures) -> Iterator[Section]:
    """Yield answers first, then what was measured, and the attacks last."""
    yield _make_broken_section(figures)
    yield answers_section(figures)
    for each in figures.pictures:
        yield _make_picture_section(figures, each)
    if figures.places:
        count = len(figures.places[0].measurements)
        yield Section(
            title="One changed sample",
            paragraphs=(
                f"One sample is raised by one level at each of {count} places, under the first "
                "key, and both results are compared.",
            ),
            tables=(words.series_table(f"{count} places", figures.places),),
            notes=words.collect_notes(series.measurements[0] for series in figures.places),
        )
    if figures.key:
        yield Section(
            title="Key",
            paragraphs=(
                "One bit of the key or of the picture is flipped, without salt, and the changes "
                " are counted. Finding a key may take far less than trying them all.",
            ),
            tables=(words.measurement_table("Key", figures.key),),
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
            tables=(words.series_table("Statistics of the map", figures.maps),),
            notes=words.collect_notes(series.measurements[0] for series in figures.maps),
        )
    if figures.randomness:
        yield words.randomness_section(figures.randomness)
    if figures.robustness is not None:
        yield robustness_section(figures.robustness)
    for attack in figures.attacks:
        yield attack_section(attack, title=f"Attack: {attack.attack.title}")


def _make_picture_section(figures: SecurityFigures, each: PictureSeries) -> Section:
    drawn = (
        ("plain", each.plain.pixels),
        ("protected, first key", each.protected),
        ("restored", each.restored),
        ("restored with a key that differs in one bit", each.wrong_key),
        ("distance of results for keys that differ in one bit", each.key_difference),
    )
    drawings = [
        picture_figure(name, each.plain.made_into(pixels), alternative=f"{each.plain.name}, {name}")
        for name, pixels in drawn
        if pixels is not None
    ]
    if each is figures.pictures[0]:
        protected = each.plain.made_into(each.protected)
        drawings.append(
            Figure(
                title="histogram of the result",
                draw=partial(histogram_plot, protected.pixels, levels=protected.levels),
                alternative=f"histogram of {each.plain.name}, protected",
            )
        )
    chances = [
        measurement.p_value
        for series in each.series
        if find_group(series.name) == "neighbors"
        for measurement in series.measurements
        if measurement.p_value is not None and measurement.passed is not None
    ]
    if chances:
        drawings.append(
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
        figures=tuple(drawings),
        abreast=4,
        tables=(words.series_table(f"{figures.keys} keys", each.series),),
        notes=words.collect_notes(series.measurements[0] for series in each.series),
    )


def _format_statement(figures: SecurityFigures) -> str:
    bits = figures.scheme.key_bits
    return "not stated" if bits is None else f"{bits:g}"


def _break_data(figures: SecurityFigures) -> dict[str, Any] | None:
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
        "broken": _break_data(figures),
        "leaks": leaks_found(figures),
        "behaves_like": behaves_like(figures),
        "refusals": dict(figures.refusals),
        "keys": figures.keys,
        "level": figures.level,
        "pictures": [
            {
                **words.image_data(each.plain),
                "restored_exactly": each.exact,
                "figures": {series.name: words.series_data(series) for series in each.series},
            }
            for each in figures.pictures
        ],
        "key": words.index_by_name(figures.key),
        "key_bits_stated": figures.scheme.key_bits,
        "key_bits_measured": figures.measured_bits,
        "key_space_bits": figures.key_bits,
        "places": {series.name: words.series_data(series) for series in figures.places} or None,
        "map": {series.name: words.series_data(series) for series in figures.maps} or None,
        "attacks": [
            {
                "attack": attack.attack.name,
                "outcome": attack.as_used.outcome,
                "summary": attack_lead(attack),
                **attack_data(attack),
            }
            for attack in figures.attacks
        ],
        "robustness": robustness_data(figures.robustness) if figures.robustness else None,
        "randomness": words.randomness_data(figures.randomness) if figures.randomness else None,
    }
