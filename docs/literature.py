"""Write the tables of docs/explanation/literature.md: `python -m docs.literature`.

With `--measure`, all ciphers, or those named after the option, are first measured and attacked in
two processes; the results are written to sudokucrypt/analysis/baselines/measured.json.
"""

import json
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from sudokucrypt.analysis import NamedImage, published_ciphers
from sudokucrypt.analysis.attacks import ATTACKS
from sudokucrypt.analysis.zoo import (
    MEASUREMENTS_FILE,
    make_zoo_data,
    measure_zoo,
    parse_entries,
    standard_ciphers,
)
from sudokucrypt.reports import Report, Section, Table, to_markdown
from sudokucrypt.reports.zoo_report import (
    make_growth_table,
    make_metrics_table,
    make_threats_table,
    make_values_table,
    summarize_zoo,
)
from tests.analysis.pictures import picture

PAGE = Path(__file__).parent / "explanation" / "literature.md"

PICTURE_SIDE = 64
"""Of the pictures, parts of photographs that no attack has."""

KEY_COUNT = 5

_START, _END = "<!-- tables: python -m docs.literature -->", "<!-- end of tables -->"


def crop_photograph(side: int, name: str = "camera") -> NamedImage:
    """Return a square part of a photograph, in the colors of the photograph."""
    pixels = np.ascontiguousarray(picture(name)[100 : 100 + side, 200 : 200 + side])
    return NamedImage(name=name, pixels=pixels)


def measure_cipher(name: str) -> dict[str, Any]:
    """Measure and attack one cipher; return its data."""
    pictures = [crop_photograph(PICTURE_SIDE), crop_photograph(PICTURE_SIDE, "astronaut")]
    (cipher,) = (
        candidate
        for candidate in (*published_ciphers(), *standard_ciphers())
        if candidate.name == name
    )
    return make_zoo_data(measure_zoo(pictures, [cipher], keys=KEY_COUNT, timeout=None))


def update_measurements(names: Sequence[str]) -> None:
    """Measure ciphers in two processes, by default all, and update the file of results."""
    all_ciphers = [cipher.name for cipher in (*published_ciphers(), *standard_ciphers())]
    with ProcessPoolExecutor(2) as processes:
        results = list(processes.map(measure_cipher, names or all_ciphers))
    rows = json.loads(MEASUREMENTS_FILE.read_text("utf-8"))["ciphers"] if names else {}
    rows |= {name: row for result in results for name, row in result["ciphers"].items()}
    data = results[0] | {"ciphers": {name: rows[name] for name in all_ciphers}}
    MEASUREMENTS_FILE.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def _format_table(table: Table) -> str:
    section = Section(title=table.title, tables=(table,))
    report = Report(title="", lead="", facts=(), sections=(section,), data={})
    lines = to_markdown(report).splitlines()
    return "\n".join(line for line in lines if line.startswith("|"))


def format_tables() -> str:
    """Return the results and the list of ciphers as Markdown."""
    entries = parse_entries(json.loads(MEASUREMENTS_FILE.read_text("utf-8")))
    unbroken = [f"`{entry.cipher}`" for entry in entries if not entry.broken_by]
    controls = []
    for entry in (entry for entry in entries if entry.controls):
        threats = dict.fromkeys(ATTACKS[name].threat for name in entry.controls)
        controls.append(f"`{entry.cipher}` ({', '.join(entry.controls)}: {', '.join(threats)})")
    lines = [
        "## Results",
        "",
        *re.sub(r"\. (?=Of )", ".\n", summarize_zoo(entries)).splitlines(),
        f"No attack here, with any of the threats, breaks {', '.join(unbroken) or 'none of them'}.",
        "With a new key for each image, attacks still break the following ciphers, each with its "
        f"attacks and threats: {'; '.join(controls) or 'none'}.",
        "",
        "### Metrics",
        "",
        "The number of tests passed at a significance level of 0.001, of "
        f"{KEY_COUNT} keys on each of two pictures.",
        "",
        _format_table(make_metrics_table(entries)),
        "",
        "Mean and deviation over keys and pictures, each followed by the value that the paper "
        "claims, as far as it is known. For schemes with a nonce, NPCR and UACI compare the "
        "results under two nonces.",
        "",
        _format_table(make_values_table(entries)),
        "",
        "### Blind attacks",
        "",
        "The best score for each threat, with the deviation over both pictures. The score is the "
        "share of samples recovered of a picture that the attack did not have. An attack is named "
        "where it breaks the cipher on both pictures, and without a score where it only confirms "
        "guesses.",
        "",
        _format_table(make_threats_table(entries)),
        "",
        "### What each attack adds",
        "",
        "The first row is the attack that breaks most ciphers; each further row is the attack "
        "that breaks most of the ciphers that the attacks of the rows above do not break.",
        "",
        _format_table(make_growth_table(entries)),
        "",
        "## The ciphers",
        "",
    ]
    for cipher in published_ciphers():
        lines += [
            f"### {cipher.name}",
            "",
            f"- **Source.** {cipher.source}.",
            f"- **Broken by.** {cipher.broken_by or 'No published break is known to us'}.",
            f"- **Limits.** {cipher.limits[0].upper()}{cipher.limits[1:]}.",
            f"- **Evidence.** {cipher.evidence[0].upper()}{cipher.evidence[1:]}. {cipher.basis}",
            "",
        ]
    return "\n".join(lines)


def update_page(page: str) -> str:
    """Return the text of the page with current tables."""
    before, after = page.split(_START)
    return f"{before}{_START}\n\n{format_tables()}\n{_END}{after.split(_END)[1]}"


def main() -> None:
    """Write the tables to the page."""
    PAGE.write_text(update_page(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    if "--measure" in sys.argv[1:]:
        update_measurements(sys.argv[2:])
    main()
