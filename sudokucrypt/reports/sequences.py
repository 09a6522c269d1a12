"""Tables of many sequences of bits, each of which was tested for itself."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sudokucrypt.analysis.image_figures import BitsFigures
from sudokucrypt.analysis.randomness import SequencesSummary
from sudokucrypt.reports.document import Cell, Report, Section, Table
from sudokucrypt.reports.words import (
    chance_text,
    format_title,
    number_cell,
    randomness_data,
    randomness_section,
    verdict_cell,
)


def sequences_section(rows: Sequence[SequencesSummary]) -> Section:
    """Return one row for each test, with the least of its proportions and P_T."""
    table = Table(
        title=f"NIST SP 800-22 on {max(row.sequences for row in rows)} sequences",
        columns=("test", "p-values", "proportion", "expected", "its chance", "P_T", "as random"),
        rows=tuple(
            _make_row(name, list(group)) for name, group in groupby(rows, lambda row: row.name)
        ),
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


def _make_row(name: str, group: Sequence[SequencesSummary]) -> tuple[Cell, ...]:
    worst = min(group, key=lambda row: row.proportion)
    spreads = [row.uniformity for row in group if row.uniformity is not None]
    least = min(spreads, default=None)
    chance = min(row.proportion_p_value for row in group)
    # The document tests uniformity at 0.0001, a hundredth of the level of proportions.
    passed = min(chance, 1.0 if least is None else 100 * least) >= worst.level / len(group)
    return (
        Cell(text=format_title(name)),
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


def bits_report(figures: BitsFigures) -> Report:
    """Put the tests of bits into words, and into the table of NIST's own program.

    The figures are from `measure_bits`; docs/reference/analysis.md lists the keys of the data.

    Parameters
    ----------
    figures : BitsFigures
        The tests, from `measure_bits`.
    """
    several = max((row.sequences for row in figures.sequences), default=1) > 1
    section = randomness_section(figures.randomness)
    if several:
        section = sequences_section(figures.sequences)
    kinds = {each.name: _name_kind(each.passed) for each in figures.randomness}
    failed = [format_title(name) for name, kind in kinds.items() if kind == "fail"]
    return Report(
        title=f"NIST SP 800-22 on {figures.name}",
        lead=(
            f"{figures.length} bits. "
            + (f"Of the first sequence these tests fail: {', '.join(failed)}. " if failed else "")
            + "Passing them all does not show that bits are secret."
        ),
        facts=(("bits", str(figures.length)), ("constants", figures.reference)),
        sections=(section, _list_final_analysis(figures.sequences)),
        data={
            "report": "bits",
            "report_version": 1,
            "bits": figures.length,
            "reference": figures.reference,
            "kinds": kinds,
            "randomness": randomness_data(figures.randomness),
            "sequences": sequences_data(figures.sequences),
        },
        records=sequences_data(figures.sequences),
    )


def _name_kind(passed: bool | None) -> str:  # noqa: FBT001
    return "not tested" if passed is None else "pass" if passed else "fail"


def _list_final_analysis(rows: Sequence[SequencesSummary]) -> Section:
    """Return a row for each p-value, with the columns of finalAnalysisReport.txt."""
    table = Table(
        title="Uniformity of p-values and proportion of passing sequences",
        # One field for all classes: the table is as wide as in NIST's file.
        columns=(
            " ".join(f"C{each}" for each in range(1, 11)),
            "P-VALUE",
            "PROPORTION",
            "STATISTICAL TEST",
        ),
        rows=tuple(
            (
                Cell(text=" ".join(f"{count:>2}" for count in row.classes)),
                Cell(
                    text="----" if row.uniformity is None else f"{row.uniformity:.6f}",
                    number=True,
                    verdict=row.uniform,
                ),
                Cell(
                    text=f"{round(row.proportion * row.sequences)}/{row.sequences}",
                    number=True,
                    verdict=row.inside,
                ),
                Cell(text="".join(format_title(row.name).title().split())),
            )
            for row in rows
        ),
    )
    notes = ("P-values of 55 sequences or more are tested for uniformity, as section 4.2.2 asks.",)
    return Section(title="Final analysis", tables=(table,), notes=notes)
