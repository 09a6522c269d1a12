"""Numbers, names, verdicts and tables of sequences in reports."""

from dataclasses import replace
from math import inf, nan
from typing import Any

from sudokucrypt.analysis import Measurement
from sudokucrypt.analysis.randomness import SequencesSummary
from sudokucrypt.reports import words
from sudokucrypt.reports.sequences import sequences_data, sequences_section

NUMBERS = (0.0, -0.5, 4e-7, 1234.56, 2e7, nan, inf, None)
TEXTS = ["0.0000", "-0.5000", "0.0000", "1234.6", "2.00e+07", "undefined", "infinite", "-"]


def test_numbers_have_fitting_digits() -> None:
    """Four places up to a hundred, fewer above; tiny chances and open intervals say so."""
    assert [words.number_text(value) for value in NUMBERS] == TEXTS
    assert (words.chance_text(1e-9), words.chance_text(0.05)) == ("< 0.0001", "0.0500")
    assert (words.number_text(0.99609375, "%"), words.number_text(-1e-9)) == ("99.6094", "0.0000")
    low = Measurement(name="npcr", value=1.0, lower=0.995693)
    high = Measurement(name="chi", value=1.0, upper=293.2478)
    assert (words.interval_text(low), words.interval_text(high)) == ("≥ 99.5693", "≤ 293.25")


def test_empty_columns_are_left_out() -> None:
    """A table of plain numbers has no columns for tests."""
    table = words.measurement_table("t", [Measurement(name="mse", value=2.0)])
    assert table.columns == ("figure", "value")
    assert [cell.text for cell in table.rows[0]] == ["MSE", "2.0000"]


def test_names_become_titles_and_equal_notes_are_joined() -> None:
    """Abbreviations are written large, a last number is a channel or the plane itself."""
    assert words.title_of("bit_plane_3") == "Bit plane 3"
    assert words.title_of("uaci_same_salt") == "UACI same salt"
    shared = [Measurement(name=f"bit_plane_{n}", value=0.5, note="of bits") for n in range(5)]
    assert words.notes_of(shared) == ("Bit plane 0 to Bit plane 4: of bits.",)


def test_records_keep_their_keys() -> None:
    """Every figure has the same keys, which the documentation lists."""
    result = words.by_name([Measurement(name="npcr", value=1.0, lower=0.9)])
    keys = ["value", "expected", "lower", "upper", "p_value", "level", "passed", "note"]
    assert list(result["npcr"]) == keys
    assert result["npcr"]["passed"] is True


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
    assert row_of() == ["Serial", "2", "0.9860", "0.9900", "0.5100", "0.4000", "pass"]
    low = row_of(proportion=0.94, proportion_p_value=0.0051)
    assert low == ["Serial", "2", "0.9400", "0.9900", "0.0051", "0.4000", "pass"]
    assert row_of(proportion=0.94, proportion_p_value=0.0049)[-1] == "fail"
    assert row_of(uniformity=0.000051)[-1] == "pass"
    assert row_of(uniformity=0.000049)[-1] == "fail"
    assert row_of(uniformity=None)[-2:] == ["0.4000", "pass"]
    (row,) = sequences_section([replace(GOOD, uniformity=None)]).tables[0].rows
    assert row[-2].text == "-"


def test_data_have_every_figure() -> None:
    """One object for each p-value."""
    first, second = sequences_data([GOOD, replace(GOOD, label="second")])
    same = {name: each for name, each in vars(GOOD).items() if name in first}
    assert first == {"test": "serial", **same}
    assert second["label"] == "second"
