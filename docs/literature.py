"""Write the tables of docs/explanation/literature.md: `python -m docs.literature`.

With `--measure` the ciphers are measured and attacked anew first, on two processes, and the figures
are written to sudokucrypt/analysis/baselines/measured.json.
"""

import json
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from sudokucrypt.analysis import BASELINES, NamedImage, published_ciphers
from sudokucrypt.analysis.zoo import (
    MEASURED,
    USUAL_METRICS,
    ZooEntry,
    entries_in,
    measure_zoo,
    zoo_data,
)
from sudokucrypt.reports import Report, Section, Table, to_markdown
from sudokucrypt.reports.zoo_report import growth_table, threats_table
from tests.analysis.pictures import picture

PAGE = Path(__file__).parent / "explanation" / "literature.md"

SIDES = (64, 256)
"""Of the pictures that are attacked."""

_START, _END = "<!-- tables: python -m docs.literature -->", "<!-- end of tables -->"


def corner(side: int) -> NamedImage:
    """Return the square part of a photograph that is attacked, which no attack has."""
    pixels = np.ascontiguousarray(picture("camera")[100 : 100 + side, 200 : 200 + side])
    return NamedImage(name="camera", pixels=pixels)


def measured(name: str, side: int = 64) -> dict[str, Any]:
    """Return the data of one cipher."""
    return zoo_data(measure_zoo(corner(side), [BASELINES[name]], timeout=None))


def measure_all() -> None:
    """Measure every cipher on pictures of each size, and write the figures."""
    names = [cipher.name for cipher in published_ciphers()]
    with ProcessPoolExecutor(2) as processes:
        rows = {str(side): processes.map(measured, names, [side] * len(names)) for side in SIDES}
        data = {side: _merged(list(parts)) for side, parts in rows.items()}
    MEASURED.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    ciphers = {name: row for part in parts for name, row in part["ciphers"].items()}
    return parts[0] | {"ciphers": ciphers}


def _table(table: Table) -> str:
    section = Section(title=table.title, tables=(table,))
    report = Report(title="", lead="", facts=(), sections=(section,), data={})
    lines = to_markdown(report).splitlines()
    return "\n".join(line for line in lines if line.startswith("|"))


def _finding(entries: tuple[ZooEntry, ...], metrics: dict[str, Mapping[str, bool]]) -> str:
    broken = [entry.cipher for entry in entries if entry.broken_by]
    open_ = [entry.cipher for entry in entries if not entry.broken_by]
    passing = [name for name, row in metrics.items() if all(row.values())]
    both = [f"`{name}`" for name in passing if name in broken or BASELINES[name].broken_by]
    controls = [f"`{entry.cipher}` ({', '.join(entry.controls)})" for entry in entries]
    controls = [text for text, entry in zip(controls, entries, strict=True) if entry.controls]
    return (
        f"Attacks that know neither the design nor the key break {len(broken)} of {len(entries)} "
        f"published ciphers. {len(passing)} of them pass all of the usual metrics; of these "
        f"{len(both)} are broken, blindly or by their published break: {', '.join(both)}. "
        f"What resists the blind attacks: {', '.join(f'`{name}`' for name in open_) or 'nothing'}. "
        f"With a key of its own for each image, what still breaks: {'; '.join(controls) or 'none'}."
    )


def _of_large(side: str, entries: tuple[ZooEntry, ...]) -> str:
    broken = [entry for entry in entries if entry.broken_by]
    return f"On {side} x {side} they break {len(broken)} of {len(entries)}."


def tables() -> str:
    """Return the tables of metrics, of blind attacks and of sources."""
    data = json.loads(MEASURED.read_text("utf-8"))
    entries = entries_in(data["64"])
    metrics = {entry.cipher: entry.metrics for entry in entries_in(data["256"])}
    heads = list(USUAL_METRICS)
    lines = [
        "## Finding",
        "",
        _finding(entries, metrics),
        *(_of_large(side, entries_in(data[side])) for side in data if side != "64"),
        "",
        "## Metrics",
        "",
        "256 x 256, tested at a level of 0.001.",
        "",
        f"| cipher | {' | '.join(USUAL_METRICS.values())} |",
        "|---" * (len(USUAL_METRICS) + 1) + "|",
        *(
            " | ".join([f"| {name}", *("pass" if row[each] else "**fail**" for each in heads)])
            + " |"
            for name, row in metrics.items()
        ),
        "",
        "## Blind attacks",
        "",
        "The best score for each threat, 64 x 64: the share of samples that came back of a picture "
        "that the attack did not have. An attack is named where it breaks the cipher.",
        "",
        _table(threats_table(entries)),
        "",
        "## What each attack adds",
        "",
        "The attack that breaks most comes first, then that which adds most.",
        "",
        _table(growth_table(entries)),
        "",
        "## The ciphers",
        "",
    ]
    for cipher in published_ciphers():
        lines += [
            f"### {cipher.name}",
            "",
            f"- **Source.** {cipher.source}.",
            f"- **Broken by.** {cipher.broken_by or 'No break is known to us'}.",
            f"- **Limits.** {cipher.limits[0].upper()}{cipher.limits[1:]}.",
            f"- **Basis.** {cipher.basis}",
            "",
        ]
    return "\n".join(lines)


def updated(page: str) -> str:
    """Return the text of the page with the tables of now."""
    before, rest = page.split(_START)
    return f"{before}{_START}\n\n{tables()}\n{_END}{rest.split(_END)[1]}"


def main() -> None:
    """Write the tables into the page."""
    PAGE.write_text(updated(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    if "--measure" in sys.argv[1:]:
        measure_all()
    main()
