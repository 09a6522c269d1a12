"""The reports of `zoo`: published ciphers, their metrics, and attacks that break them."""

from collections.abc import Iterator, Sequence
from statistics import pstdev
from typing import Any, get_args

from sudokucrypt.analysis.attacking import AttackFigures
from sudokucrypt.analysis.attacks import ATTACKS
from sudokucrypt.analysis.attacks.contract import Threat, format_count
from sudokucrypt.analysis.schemes import RELIABLE_EVIDENCE, MeasuredScheme
from sudokucrypt.analysis.zoo import (
    SHOWN_METRICS,
    USUAL_METRICS,
    ZooEntry,
    ZooFigures,
    make_zoo_data,
)
from sudokucrypt.reports.attack_report import (
    iterate_picture_sections,
    make_attack_data,
    make_attack_section,
)
from sudokucrypt.reports.document import Cell, Report, Section, Table
from sudokucrypt.reports.words import UNKNOWN_MARK, make_image_data

_NOTES = (
    "A score is the share of samples that came back of a picture that the attack did not have, or "
    "the correlation with it; from one fifth on pictures can be seen. Of several pictures it is "
    "the mean, with the deviation; a cipher is broken if it is on each of them.",
    "An attack that names no score finds parts of results that are equal: it confirms guesses at "
    "pictures, and does not restore them.",
    "Attacks know neither the design nor the key. Ciphers that are attacked under a new key for "
    "each image should not be broken; attacks that break them even so are named.",
    "A metric that fails may fail for the picture or for the sample that was changed, and not for "
    "the reason that the paper of the cipher gives.",
    "Values have mean and deviation over all keys and pictures. A claimed value is that which the "
    "paper prints, for a picture of its own, where it is known.",
)

PLAINTEXT_THREATS: tuple[Threat, ...] = ("ciphertext only", "known", "chosen", "adaptive")
"""The threats of an attacker who has encrypted pictures, perhaps of chosen plain pictures."""


def zoo_report(figures: ZooFigures) -> Report:
    """Make the report on the measurements of the zoo, as text and tables.

    docs/reference/analysis.md lists the keys of the data.

    Parameters
    ----------
    figures : ZooFigures
        The measurements, from `measure_zoo`.
    """
    names = ", ".join(plain.name for plain in figures.pictures)
    picture_shapes = {" x ".join(map(str, plain.pixels.shape)) for plain in figures.pictures}
    return Report(
        title="Ciphers, measured and attacked",
        lead=summarize_zoo(figures.entries),
        facts=(
            ("pictures", names),
            ("shapes", ", ".join(sorted(picture_shapes))),
            ("keys", f"{figures.keys}, of seed {figures.seed}"),
        ),
        sections=(
            Section(
                title="Metrics",
                tables=(make_metrics_table(figures.entries), make_values_table(figures.entries)),
                notes=_NOTES[3:],
            ),
            Section(
                title="Blind attacks",
                tables=(make_threats_table(figures.entries),),
                notes=_NOTES[:3],
            ),
            Section(title="What each attack adds", tables=(make_growth_table(figures.entries),)),
        ),
        data={"report": "zoo", "report_version": 3, **make_zoo_data(figures)},
        records=[
            {
                "cipher": entry.cipher,
                "evidence": describe_evidence(entry),
                "attack": run.attack,
                "outcome": run.outcome,
                "recovered": run.recovered,
                "images": run.queries,
            }
            for entry in figures.entries
            for run in entry.runs
        ],
    )


def describe_evidence(entry: ZooEntry) -> str:
    """Return the source that an implementation was checked against, or "" if not published."""
    return f"{entry.evidence}, reduced" if entry.reduced else entry.evidence


def summarize_zoo(entries: Sequence[ZooEntry]) -> str:
    """Return sentences about how many ciphers the attacks break, and with which threats.

    Only complete ciphers count that were checked against papers, authors' code or known results.
    """
    groups: dict[str, list[ZooEntry]] = {kind: [] for kind in _CIPHER_GROUPS}
    for entry in entries:
        groups[_find_cipher_group(entry)].append(entry)
    return " ".join(_summarize_group(group, kind) for kind, group in groups.items() if group)


_CIPHER_GROUPS = {
    "sure": "published cipher|, checked against pairs, authors' code or papers",
    "reduced": "published cipher|, checked in the same way but reduced, and not counted",
    "unsure": "published cipher|, from memory or from other code, and not counted",
    "other": "other scheme|",
}
"""Groups of ciphers: the noun that is counted, and a description, separated by a bar."""


def _find_cipher_group(entry: ZooEntry) -> str:
    if not entry.evidence:
        return "other"
    if entry.evidence not in RELIABLE_EVIDENCE:
        return "unsure"
    return "reduced" if entry.reduced else "sure"


def _summarize_group(group: Sequence[ZooEntry], kind: str) -> str:
    noun, description = _CIPHER_GROUPS[kind].split("|")
    plaintext_break_count = sum(entry.is_broken_under(*PLAINTEXT_THREATS) for entry in group)
    ciphertext_break_count = sum(entry.is_broken_under("chosen ciphertext") for entry in group)
    passing_entries = [entry for entry in group if entry.passes]
    broken_entries = [entry for entry in passing_entries if entry.broken_by]
    names = ", ".join(
        f"{entry.cipher} by {_find_weakest_threat(entry)}" for entry in broken_entries
    )
    broken_clause = ""
    if broken_entries:
        verb = "is" if len(broken_entries) == 1 else "are"
        broken_clause = f", of which {len(broken_entries)} {verb} broken ({names})"
    return (
        f"Of {format_count(len(group), noun)}{description}: attacks by known or chosen plaintexts "
        f"break {plaintext_break_count}, and attacks by chosen ciphertexts break "
        f"{ciphertext_break_count}; "
        f"{len(passing_entries)} {'passes' if len(passing_entries) == 1 else 'pass'} all of the "
        "usual metrics"
        f"{broken_clause}."
    )


def _find_weakest_threat(entry: ZooEntry) -> str:
    """Return the weakest threat that breaks a cipher as text."""
    threats = {ATTACKS[name].threat for name in entry.broken_by}
    threat = next(threat for threat in get_args(Threat) if threat in threats)
    descriptions = {"ciphertext only": "only results", "chosen ciphertext": "chosen ciphertexts"}
    return descriptions.get(threat, f"{threat} plaintexts")


def make_metrics_table(entries: Sequence[ZooEntry]) -> Table:
    """Return a table of how often each cipher passes each of the usual metrics."""

    def make_passed_cell(entry: ZooEntry, name: str) -> Cell:
        passed_count, test_count = entry.metrics.get(name, (0, 0))
        return Cell(text=f"{passed_count} of {test_count}" if test_count else UNKNOWN_MARK)

    rows = tuple(
        (
            Cell(text=entry.cipher),
            Cell(text=describe_evidence(entry) or UNKNOWN_MARK),
            *(make_passed_cell(entry, name) for name in USUAL_METRICS),
        )
        for entry in entries
    )
    heads = ("cipher", "evidence", *USUAL_METRICS.values())
    return Table(title="Usual metrics", columns=heads, rows=rows, matrix=True)


def make_values_table(entries: Sequence[ZooEntry]) -> Table:
    """Return a table of the values of metrics: as measured here, and as claimed by papers."""

    def make_measured_cell(entry: ZooEntry, name: str) -> Cell:
        if name not in entry.values:
            return Cell(text=UNKNOWN_MARK, number=True)
        mean, deviation = (_get_percent_factor(name) * value for value in entry.values[name])
        return Cell(text=f"{mean:.4f} ± {deviation:.4f}", number=True)

    def make_claimed_cell(entry: ZooEntry, name: str) -> Cell:
        if name not in entry.claimed:
            return Cell(text=UNKNOWN_MARK, number=True)
        return Cell(text=f"{_get_percent_factor(name) * entry.claimed[name]:.4f}", number=True)

    rows = tuple(
        (
            Cell(text=entry.cipher),
            *(
                value(entry, name)
                for name in SHOWN_METRICS
                for value in (make_measured_cell, make_claimed_cell)
            ),
        )
        for entry in entries
    )
    heads = [
        head
        for name in SHOWN_METRICS
        for head in (
            f"{USUAL_METRICS[name]}{', %' if _get_percent_factor(name) > 1 else ''}",
            "claimed",
        )
    ]
    return Table(
        title="Measured and claimed values", columns=("cipher", *heads), rows=rows, matrix=True
    )


def _get_percent_factor(name: str) -> int:
    return 100 if name in {"npcr_same_salt", "uaci_same_salt"} else 1


def make_threats_table(entries: Sequence[ZooEntry]) -> Table:
    """Return a table of the best score for each threat, with its attack and number of images."""
    threats = [threat for threat in get_args(Threat) if threat != "key search"]

    def make_cell(entry: ZooEntry, threat: Threat) -> Cell:
        run = entry.best(threat)
        if run is None:
            return Cell(text=UNKNOWN_MARK)
        score = f"{run.recovered:.2f}"
        if len(run.scores) > 1:
            score += f" ± {pstdev(run.scores):.2f}"
        if run.attack not in entry.broken_by:
            return Cell(text=score, verdict=True)
        score_text = f"{score} " if run.recovered else ""
        return Cell(
            text=f"{score_text}{run.attack}, {format_count(run.queries, 'image')}", verdict=False
        )

    rows = tuple(
        (
            Cell(text=entry.cipher),
            *(make_cell(entry, threat) for threat in threats),
            Cell(text=", ".join(entry.controls) or "none"),
        )
        for entry in entries
    )
    columns = ("cipher", *threats, "with new keys")
    return Table(title="Best score by threat", columns=columns, rows=rows)


def make_growth_table(entries: Sequence[ZooEntry]) -> Table:
    """Return a table with the number of ciphers that each attack breaks, and a running total."""
    attacks_by_cipher = {entry.cipher: entry.broken_by for entry in entries}
    broken_ciphers: set[str] = set()
    remaining_attacks = {name for entry in entries for name in entry.broken_by}
    rows = []
    while remaining_attacks:
        # The next row is the attack that breaks the most ciphers that no earlier row breaks. Of
        # several such attacks, it is the attack that breaks the most ciphers in total.
        ciphers_by_attack = {
            name: {cipher for cipher, attacks in attacks_by_cipher.items() if name in attacks}
            for name in sorted(remaining_attacks)
        }
        name = max(
            ciphers_by_attack,
            key=lambda name: (
                len(ciphers_by_attack[name] - broken_ciphers),
                len(ciphers_by_attack[name]),
            ),
        )
        remaining_attacks.remove(name)
        broken_ciphers |= ciphers_by_attack[name]
        rows.append(
            (
                Cell(text=name),
                Cell(text=ATTACKS[name].threat),
                Cell(text=str(len(ciphers_by_attack[name])), number=True),
                Cell(text=f"{len(broken_ciphers)} of {len(entries)}", number=True),
            )
        )
    columns = ("attack", "threat", "breaks", "with those above")
    return Table(title="What each attack adds", columns=columns, rows=tuple(rows))


def cipher_report(cipher: MeasuredScheme, figures: AttackFigures | None) -> Report:
    """Make the report on one cipher: its design, its source, and the best attack on it.

    Parameters
    ----------
    cipher : MeasuredScheme
        The cipher.
    figures : AttackFigures or None
        An attack on it, from `run_attack`; None if none is known to break it.
    """
    rows = tuple((Cell(text=name), Cell(text=text)) for name, text in iterate_cipher_facts(cipher))
    table = Table(title="Source", columns=("what", "is known"), rows=rows)
    attack_sections = (
        ()
        if figures is None
        else (
            make_attack_section(figures, title=f"Attack: {figures.attack.title}"),
            *iterate_picture_sections(figures),
        )
    )
    return Report(
        title=f"{cipher.name}: a published cipher" if cipher.basis else cipher.name,
        lead=_describe_scheme(cipher),
        facts=(("cipher", cipher.name),),
        sections=(Section(title="Source", tables=(table,)), *attack_sections),
        data=_collect_cipher_data(cipher, figures),
        records=[dict(iterate_cipher_facts(cipher))],
    )


def iterate_cipher_facts(cipher: MeasuredScheme) -> Iterator[tuple[str, str]]:
    """Yield the known facts about a cipher as pairs of name and value."""
    no_break_text = "no published break is known to us" if cipher.basis else "not stated"
    yield "source", cipher.source or "not stated"
    yield "broken by", cipher.broken_by or no_break_text
    yield "limits", cipher.limits
    yield "evidence", cipher.evidence or "not stated"
    yield "basis", cipher.basis or "not stated"
    yield "key bits", "not stated" if cipher.key_bits is None else f"{cipher.key_bits:g}"


def _describe_scheme(cipher: MeasuredScheme) -> str:
    """Return a paragraph about the design of a scheme, or else about its known limits."""
    limits = f"{cipher.limits[:1].upper()}{cipher.limits[1:]}."
    return " ".join(cipher.description.split()) or limits


def _collect_cipher_data(cipher: MeasuredScheme, figures: AttackFigures | None) -> dict[str, Any]:
    data: dict[str, Any] = {"report": "cipher", "report_version": 1, "cipher": cipher.name}
    data |= {name.replace(" ", "_"): text for name, text in iterate_cipher_facts(cipher)}
    data["core"] = _describe_scheme(cipher)
    if figures is not None:
        data["picture"] = make_image_data(figures.plain)
        data["attack"] = {"attack": figures.attack.name, **make_attack_data(figures)}
    return data
