"""Many sequences of bits in a table."""

from dataclasses import replace
from typing import Any

from sudokucrypt.analysis.randomness import SequencesSummary
from sudokucrypt.reports.sequences import sequences_data, sequences_section

GOOD = SequencesSummary(
    name="serial",
    label="first",
    sequences=72,
    proportion=0.986,
    lower=0.955,
    upper=1.025,
    proportion_p_value=0.51,
    uniformity=0.4,
    level=0.01,
)


def row_of(**changed: Any) -> list[str]:
    """The row of a test with two p-values, the second of which has other figures."""
    (row,) = sequences_section([GOOD, replace(GOOD, label="second", **changed)]).tables[0].rows
    return [cell.text for cell in row]


def test_a_row_shows_the_least_figures_of_a_test() -> None:
    """It fails if chance explains one of them in less than one of a hundred such rows."""
    assert row_of() == ["Serial", "2", "0.986000", "0.990000", "0.510000", "0.400000", "pass"]
    low = row_of(proportion=0.94, proportion_p_value=0.0051)
    assert low == ["Serial", "2", "0.940000", "0.990000", "0.005100", "0.400000", "pass"]
    assert row_of(proportion=0.94, proportion_p_value=0.0049)[-1] == "fail"
    assert row_of(uniformity=0.000051)[-1] == "pass"
    assert row_of(uniformity=0.000049)[-1] == "fail"
    assert row_of(uniformity=None)[-2:] == ["0.400000", "pass"]
    (row,) = sequences_section([replace(GOOD, uniformity=None)]).tables[0].rows
    assert row[-2].text == "-"


def test_data_have_every_figure() -> None:
    """One object for each p-value."""
    first, second = sequences_data([GOOD, replace(GOOD, label="second")])
    same = {name: each for name, each in vars(GOOD).items() if name not in {"name", "level"}}
    assert first == {"test": "serial", **same}
    assert second["label"] == "second"
