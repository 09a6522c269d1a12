"""The tests of NIST SP 800-22 in a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudokucrypt.analysis.reports.document import Cell, Section, Table
from sudokucrypt.analysis.reports.words import UNKNOWN, chance_text, title_of, verdict_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sudokucrypt.analysis.randomness import RandomnessResult


def randomness_section(results: Sequence[RandomnessResult]) -> Section:
    """Return one row for each test, with the smallest of its p-values."""
    rows = tuple(
        (
            Cell(text=title_of(result.name)),
            Cell(text=result.section),
            Cell(text=str(len(result.p_values) or UNKNOWN), number=True),
            Cell(text=chance_text(min(result.p_values, default=None)), number=True),
            Cell(
                text=result.verdict if result.passed is None else verdict_text(result.passed),
                verdict=result.passed,
            ),
        )
        for result in results
    )
    table = Table(
        title=f"NIST SP 800-22 on {results[0].length} bits",
        columns=("test", "section", "p-values", "smallest p-value", "as random"),
        rows=rows,
    )
    noted = tuple(f"{title_of(each.name)}: {each.note}." for each in results if each.note)
    return Section(
        title="Randomness of the bits",
        paragraphs=(
            "The bits of all samples, the highest of each first. A test fails if its smallest "
            f"p-value is below {results[0].level:g} divided by how many it has. About one random "
            "sequence in eight fails at least one of the fifteen tests.",
        ),
        tables=(table,),
        notes=(
            *noted,
            "Passing proves nothing: the digits of pi pass, and so does every key stream, known "
            "or not.",
        ),
    )


def randomness_data(results: Iterable[RandomnessResult]) -> dict[str, Any]:
    """Return the results under the names of the tests, as JSON holds them."""
    return {
        result.name: {
            "section": result.section,
            "bits": result.length,
            "verdict": result.verdict,
            "passed": result.passed,
            "level": result.level,
            "labels": list(result.labels),
            "statistics": list(result.statistics),
            "p_values": list(result.p_values),
            "note": result.note,
        }
        for result in results
    }
