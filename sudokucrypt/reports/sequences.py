"""Tables of many sequences of bits, each of which was tested for itself."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sudokucrypt.analysis.randomness import SequencesSummary
from sudokucrypt.reports.document import Cell, Section, Table
from sudokucrypt.reports.words import chance_text, number_cell, title_of, verdict_cell


def sequences_section(rows: Sequence[SequencesSummary]) -> Section:
    """Return one row for each test, with the least of its proportions and P_T."""
    table = Table(
        title=f"NIST SP 800-22 on {max(row.sequences for row in rows)} sequences",
        columns=("test", "p-values", "proportion", "expected", "its chance", "P_T", "as random"),
        rows=tuple(_row(name, list(group)) for name, group in groupby(rows, lambda row: row.name)),
    )
    return Section(
        title="Randomness of many sequences",
        paragraphs=(
            "The bits are cut into sequences of a million, and each is tested. The proportion is "
            f"the share of sequences whose p-value is {rows[0].level:g} or more, its chance how "
            "often random sequences give as low a one, and P_T whether p-values are uniform. Of "
            "tests with several p-values, the row shows the least of each.",
        ),
        tables=(table,),
        notes=(
            "A test fails if its chance, or P_T times 100, is below "
            f"{rows[0].level:g} divided by the number of its p-values. P_T needs 55 sequences. "
            "Sequences that a test does not apply to are left out of its row.",
        ),
    )


def _row(name: str, group: Sequence[SequencesSummary]) -> tuple[Cell, ...]:
    worst = min(group, key=lambda row: row.proportion)
    spreads = [row.uniformity for row in group if row.uniformity is not None]
    least = min(spreads, default=None)
    chance = min(row.proportion_p_value for row in group)
    # The document tests uniformity at 0.0001, a hundredth of the level of proportions.
    passed = min(chance, 1.0 if least is None else 100 * least) >= worst.level / len(group)
    return (
        Cell(text=title_of(name)),
        Cell(text=str(len(group)), number=True),
        number_cell(worst.proportion),
        number_cell(1 - worst.level),
        Cell(text=chance_text(chance), number=True),
        Cell(text=chance_text(least), number=True),
        verdict_cell(passed=passed),
    )


def sequences_data(rows: Sequence[SequencesSummary]) -> list[dict[str, Any]]:
    """Return each p-value over all sequences, as JSON holds it."""
    names = ("label", "sequences", "proportion", "lower", "upper", "proportion_p_value")
    return [
        {
            "test": row.name,
            **{name: getattr(row, name) for name in names},
            "uniformity": row.uniformity,
        }
        for row in rows
    ]
