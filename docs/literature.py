"""Write the tables of docs/explanation/literature.md: `python -m docs.literature`.

With `--measure` the ciphers are measured and attacked anew first, on two processes, and the figures
are written to sudokucrypt/analysis/baselines/measured.json.
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from sudokucrypt.analysis import BASELINES, NamedImage, published_ciphers
from sudokucrypt.analysis.zoo import (
    MEASURED,
    entries_in,
    measure_zoo,
    standard_ciphers,
    zoo_data,
)
from sudokucrypt.reports import Report, Section, Table, to_markdown
from sudokucrypt.reports.zoo_report import (
    finding_text,
    growth_table,
    metrics_table,
    threats_table,
)
from tests.analysis.pictures import picture

PAGE = Path(__file__).parent / "explanation" / "literature.md"

SIDE = 64
"""Of the pictures, parts of photographs that no attack has."""

KEYS = 5

_START, _END = "<!-- tables: python -m docs.literature -->", "<!-- end of tables -->"


def corner(side: int, name: str = "camera") -> NamedImage:
    """Return a square part of a photograph, one channel of one in color."""
    whole = picture(name)
    gray = whole if whole.ndim == 2 else whole[..., 1]
    pixels = np.ascontiguousarray(gray[100 : 100 + side, 200 : 200 + side])
    return NamedImage(name=name, pixels=pixels)


def measured(name: str) -> dict[str, Any]:
    """Return the data of one cipher."""
    pictures = [corner(SIDE), corner(SIDE, "astronaut")]
    return zoo_data(measure_zoo(pictures, [BASELINES[name]], keys=KEYS, timeout=None))


def measure_all() -> None:
    """Measure every cipher on two processes, and write the figures."""
    names = [cipher.name for cipher in (*published_ciphers(), *standard_ciphers())]
    with ProcessPoolExecutor(2) as processes:
        data = _merged(list(processes.map(measured, names)))
    MEASURED.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    ciphers = {name: row for part in parts for name, row in part["ciphers"].items()}
    return parts[0] | {"ciphers": ciphers}


def _table(table: Table) -> str:
    section = Section(title=table.title, tables=(table,))
    report = Report(title="", lead="", facts=(), sections=(section,), data={})
    lines = to_markdown(report).splitlines()
    return "\n".join(line for line in lines if line.startswith("|"))


def tables() -> str:
    """Return the tables of metrics, of blind attacks and of sources."""
    entries = entries_in(json.loads(MEASURED.read_text("utf-8")))
    open_ = [f"`{entry.cipher}`" for entry in entries if not entry.broken_by]
    controls = [
        f"`{each.cipher}` ({', '.join(each.controls)})" for each in entries if each.controls
    ]
    lines = [
        "## Results",
        "",
        finding_text(entries),
        f"No attack here breaks {', '.join(open_) or 'none of them'}.",
        "With a key of its own for each image, what still breaks: "
        f"{'; '.join(controls) or 'none'}.",
        "",
        "### Metrics",
        "",
        f"Tests passed at a level of 0.001, of {KEYS} keys on each of two pictures; NPCR and UACI "
        "with mean and deviation. Of schemes with a nonce NPCR and UACI compare two nonces.",
        "",
        _table(metrics_table(entries)),
        "",
        "### Blind attacks",
        "",
        "The best score for each threat, with the deviation over two pictures: the share of "
        "samples that came back of a picture that the attack did not have. An attack is named "
        "where it breaks the cipher on both, and without a score where it confirms guesses only.",
        "",
        _table(threats_table(entries)),
        "",
        "### What each attack adds",
        "",
        "The attack that breaks most comes first, then the one that adds most.",
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
            f"- **Evidence.** {cipher.evidence[0].upper()}{cipher.evidence[1:]}. {cipher.basis}",
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
