"""Tables about tests of many sequences of bits, each of which was tested separately."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sudokucrypt.analysis.image_figures import BitsFigures
from sudokucrypt.analysis.randomness import SequencesSummary
from sudokucrypt.reports.document import Cell, Report, Section, Table
from sudokucrypt.reports.words import (
    format_p_value,
    format_title,
    make_number_cell,
    make_randomness_data,
    make_randomness_section,
    make_verdict_cell,
)


def make_sequences_section(rows: Sequence[SequencesSummary]) -> Section:
    """Return a table with a row for each test: its smallest proportion and uniformity (P_T)."""
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
    worst_row = min(group, key=lambda row: row.proportion)
    uniformities = [row.uniformity for row in group if row.uniformity is not None]
    least_uniformity = min(uniformities, default=None)
    chance = min(row.proportion_p_value for row in group)
    # NIST tests uniformity at level 0.0001, a hundredth of the level for proportions.
    has_passed = min(
        chance, 1.0 if least_uniformity is None else 100 * least_uniformity
    ) >= worst_row.level / len(group)
    return (
        Cell(text=format_title(name)),
        Cell(text=str(len(group)), number=True),
        make_number_cell(worst_row.proportion),
        make_number_cell(1 - worst_row.level),
        Cell(text=format_p_value(chance), number=True),
        Cell(text=format_p_value(least_uniformity), number=True),
        make_verdict_cell(passed=has_passed),
    )


def make_sequences_data(rows: Sequence[SequencesSummary]) -> list[dict[str, Any]]:
    """Return the results of each p-value over all sequences as data for JSON."""
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
    """Make the report on tests of bits, with the same table as NIST's own program.

    The figures are from `measure_bits`; docs/reference/analysis.md lists the keys of the data.

    Parameters
    ----------
    figures : BitsFigures
        The tests, from `measure_bits`.
    """
    has_several_sequences = max((row.sequences for row in figures.sequences), default=1) > 1
    section = make_randomness_section(figures.randomness)
    if has_several_sequences:
        section = make_sequences_section(figures.sequences)
    verdicts = {result.name: _name_verdict(result.passed) for result in figures.randomness}
    failed_titles = [format_title(name) for name, verdict in verdicts.items() if verdict == "fail"]
    return Report(
        title=f"NIST SP 800-22 on {figures.name}",
        lead=(
            f"{figures.length} bits. "
            + (
                f"Of the first sequence these tests fail: {', '.join(failed_titles)}. "
                if failed_titles
                else ""
            )
            + "Passing them all does not show that bits are secret."
        ),
        facts=(("bits", str(figures.length)), ("constants", figures.reference)),
        sections=(section, _make_final_analysis(figures.sequences)),
        data={
            "report": "bits",
            "report_version": 1,
            "bits": figures.length,
            "reference": figures.reference,
            "kinds": verdicts,
            "randomness": make_randomness_data(figures.randomness),
            "sequences": make_sequences_data(figures.sequences),
        },
        records=make_sequences_data(figures.sequences),
    )


def _name_verdict(passed: bool | None) -> str:  # noqa: FBT001
    return "not tested" if passed is None else "pass" if passed else "fail"


def _make_final_analysis(rows: Sequence[SequencesSummary]) -> Section:
    """Return a table with a row for each p-value, and the columns of finalAnalysisReport.txt."""
    table = Table(
        title="Uniformity of p-values and proportion of passing sequences",
        # The counts of all classes are one field, so that the table is as wide as in NIST's file.
        columns=(
            " ".join(f"C{number}" for number in range(1, 11)),
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
