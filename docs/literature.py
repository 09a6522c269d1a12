"""Write the tables of docs/explanation/literature.md: `python -m docs.literature`."""

import json
from pathlib import Path

from sudokucrypt.analysis import LITERATURE

PAGE = Path(__file__).parent / "explanation" / "literature.md"
METRICS = Path(__file__).parents[1] / "tests" / "analysis" / "literature" / "metrics.json"

_START, _END = "<!-- tables: python -m docs.literature -->", "<!-- end of tables -->"
_COLUMNS = {
    "npcr_same_salt": "NPCR",
    "uaci_same_salt": "UACI",
    "global_entropy": "entropy",
    "chi_square_uniformity": "chi-square",
    "correlation_horizontal": "horizontal",
    "correlation_vertical": "vertical",
    "correlation_diagonal": "diagonal",
}


def tables() -> str:
    """Return the tables of metrics and of sources, from the register and the measured figures."""
    measured = json.loads(METRICS.read_text("utf-8"))
    passing = [
        f"`{name}`"
        for name, row in measured.items()
        if all(row.values()) and LITERATURE[name].broken_by
    ]
    lines = [
        f"| cipher | {' | '.join(_COLUMNS.values())} |",
        "|---" * (len(_COLUMNS) + 1) + "|",
        *(
            f"| {name} | {' | '.join('pass' if row[each] else '**fail**' for each in _COLUMNS)} |"
            for name, row in measured.items()
        ),
        "",
        f"All of these tests are passed by {', '.join(passing)}, which fall to their breaks.",
        "",
    ]
    for cipher in LITERATURE.values():
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


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text("utf-8")), "utf-8")
