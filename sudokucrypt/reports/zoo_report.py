"""The reports of `zoo`: published ciphers, the usual metrics, and what breaks them blindly."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from sudokucrypt.analysis.attacking import AttackFigures
from sudokucrypt.analysis.attacks import ATTACKS
from sudokucrypt.analysis.attacks.contract import Threat, count_text
from sudokucrypt.analysis.schemes import MeasuredScheme
from sudokucrypt.analysis.zoo import USUAL_METRICS, ZooEntry, ZooFigures, zoo_data
from sudokucrypt.reports.attack_report import attack_data, attack_section, picture_sections
from sudokucrypt.reports.document import Cell, Report, Section, Table
from sudokucrypt.reports.words import UNKNOWN, image_data, image_facts, number_text

_NOTES = (
    "A score is the share of samples that came back of a picture that the attack did not have, or "
    "the correlation with it; from one fifth on pictures can be seen.",
    "Attacks know neither the design nor the key. Ciphers that are attacked under a new key for "
    "each image should not be broken; attacks that break them even so are named.",
    "A metric that fails may fail for the picture or for the sample that was changed, and not for "
    "the reason that the paper of the cipher gives.",
)


def zoo_report(figures: ZooFigures) -> Report:
    """Put the figures of `measure_zoo` into words and tables.

    docs/reference/analysis.md lists the keys of the data.
    """
    broken = [entry.cipher for entry in figures.entries if entry.broken_by]
    passing = [
        entry.cipher for entry in figures.entries if entry.metrics and all(entry.metrics.values())
    ]
    both = [name for name in passing if name in broken]
    return Report(
        title="Ciphers, measured and attacked",
        lead=(
            f"Attacks that do not know the design break {len(broken)} of {len(figures.entries)} "
            f"ciphers. {len(passing)} of them pass all of the usual metrics, and {len(both)} of "
            f"those are broken{': ' if both else ''}{', '.join(both)}."
        ),
        facts=(*image_facts("picture", figures.plain), ("seed", str(figures.seed))),
        sections=(
            Section(title="Metrics", tables=(metrics_table(figures.entries),), notes=_NOTES[2:]),
            Section(title="Blind attacks", tables=(threats_table(figures.entries),), notes=_NOTES),
            Section(title="What each attack adds", tables=(growth_table(figures.entries),)),
        ),
        data={"report": "zoo", "report_version": 1, **zoo_data(figures)},
        records=[
            {
                "cipher": entry.cipher,
                "attack": run.attack,
                "outcome": run.outcome,
                "recovered": run.recovered,
                "images": run.queries,
            }
            for entry in figures.entries
            for run in entry.runs
        ],
    )


def metrics_table(entries: Sequence[ZooEntry]) -> Table:
    """Return which of the usual metrics each cipher passes."""
    words = {True: "pass", False: "fail", None: UNKNOWN}
    rows = tuple(
        (
            Cell(text=entry.cipher),
            *(
                Cell(text=words[entry.metrics.get(name)], verdict=entry.metrics.get(name))
                for name in USUAL_METRICS
            ),
        )
        for entry in entries
    )
    heads = ("cipher", *USUAL_METRICS.values())
    return Table(title="Usual metrics", columns=heads, rows=rows, matrix=True)


def threats_table(entries: Sequence[ZooEntry]) -> Table:
    """Return the best score by each threat, with the attack and the images that it took."""
    threats = [threat for threat in get_args(Threat) if threat != "key search"]

    def cell(entry: ZooEntry, threat: Threat) -> Cell:
        run = entry.best(threat)
        if run is None:
            return Cell(text=UNKNOWN)
        if run.attack not in entry.broken_by:
            return Cell(text=f"{number_text(run.recovered)[:4]}", verdict=True)
        return Cell(
            text=f"{run.recovered:.2f} {run.attack}, {count_text(run.queries, 'image')}",
            verdict=False,
        )

    rows = tuple(
        (
            Cell(text=entry.cipher),
            *(cell(entry, threat) for threat in threats),
            Cell(text=", ".join(entry.controls) or "none"),
        )
        for entry in entries
    )
    columns = ("cipher", *threats, "with new keys")
    return Table(title="Best score by threat", columns=columns, rows=rows)


def growth_table(entries: Sequence[ZooEntry]) -> Table:
    """Return how many ciphers each attack breaks, and how many all down to it."""
    left = {entry.cipher: entry.broken_by for entry in entries}
    broken: set[str] = set()
    names = {name for entry in entries for name in entry.broken_by}
    rows = []
    while names:
        # The attack that adds most comes next, of equal ones that which breaks more in all.
        counts = {
            name: {cipher for cipher, by in left.items() if name in by} for name in sorted(names)
        }
        name = max(counts, key=lambda each: (len(counts[each] - broken), len(counts[each])))
        names.remove(name)
        broken |= counts[name]
        rows.append(
            (
                Cell(text=name),
                Cell(text=ATTACKS[name].threat),
                Cell(text=str(len(counts[name])), number=True),
                Cell(text=f"{len(broken)} of {len(entries)}", number=True),
            )
        )
    columns = ("attack", "threat", "breaks", "with those above")
    return Table(title="What each attack adds", columns=columns, rows=tuple(rows))


def cipher_report(cipher: MeasuredScheme, figures: AttackFigures | None) -> Report:
    """Show one cipher: what it does, its source, its break, and what the best attack sees.

    `figures` are those of an attack on it, None if none is known to break it.
    """
    rows = tuple((Cell(text=name), Cell(text=text)) for name, text in cipher_facts(cipher))
    table = Table(title="Source", columns=("what", "is known"), rows=rows)
    attacked = (
        ()
        if figures is None
        else (
            attack_section(figures, title=f"Attack: {figures.attack.title}"),
            *picture_sections(figures),
        )
    )
    return Report(
        title=f"{cipher.name}: a published cipher" if cipher.basis else cipher.name,
        lead=_description(cipher),
        facts=(("cipher", cipher.name),),
        sections=(Section(title="Source", tables=(table,)), *attacked),
        data=_cipher_data(cipher, figures),
        records=[dict(cipher_facts(cipher))],
    )


def cipher_facts(cipher: MeasuredScheme) -> Iterator[tuple[str, str]]:
    """Yield the known facts of a cipher, each with its name."""
    unknown = "no break is known to us" if cipher.basis else "not stated"
    yield "source", cipher.source or "not stated"
    yield "broken by", cipher.broken_by or unknown
    yield "limits", cipher.limits
    yield "basis", cipher.basis or "not stated"
    yield "key bits", "not stated" if cipher.key_bits is None else f"{cipher.key_bits:g}"


def _description(cipher: MeasuredScheme) -> str:
    """Return what a scheme does, in one paragraph, or else what is known against it."""
    limits = f"{cipher.limits[:1].upper()}{cipher.limits[1:]}."
    return " ".join(cipher.description.split()) or limits


def _cipher_data(cipher: MeasuredScheme, figures: AttackFigures | None) -> dict[str, Any]:
    data: dict[str, Any] = {"report": "cipher", "report_version": 1, "cipher": cipher.name}
    data |= {name.replace(" ", "_"): text for name, text in cipher_facts(cipher)}
    data["core"] = _description(cipher)
    if figures is not None:
        data["picture"] = image_data(figures.plain)
        data["attack"] = {"attack": figures.attack.name, **attack_data(figures)}
    return data
