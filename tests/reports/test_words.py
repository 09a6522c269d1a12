"""Numbers, names and verdicts in reports."""

from math import inf, nan

from sudokucrypt.analysis import Measurement
from sudokucrypt.reports import words

NUMBERS = (0.0, -0.5, 4e-7, 1234.56, 2e7, nan, inf, None)
TEXTS = ["0.000000", "-0.500000", "4.00e-07", "1234.6", "2.00e+07", "undefined", "infinite", "-"]


def test_numbers_have_fitting_digits() -> None:
    """Six places up to a hundred, fewer above; tiny chances and open intervals say so."""
    assert [words.number_text(value) for value in NUMBERS] == TEXTS
    assert (words.chance_text(1e-9), words.chance_text(0.05)) == ("< 0.000001", "0.050000")
    low = Measurement(name="npcr", value=1.0, lower=0.995693)
    high = Measurement(name="chi", value=1.0, upper=293.2478)
    assert (words.interval_text(low), words.interval_text(high)) == ("≥ 0.995693", "≤ 293.248")


def test_empty_columns_are_left_out() -> None:
    """A table of plain numbers has no columns for tests."""
    table = words.measurement_table("t", [Measurement(name="mse", value=2.0)])
    assert table.columns == ("figure", "value")
    assert [cell.text for cell in table.rows[0]] == ["MSE", "2.000000"]


def test_names_become_titles_and_equal_notes_are_joined() -> None:
    """Abbreviations are written large, a last number is a channel or the plane itself."""
    assert words.title_of("bit_plane_3") == "Bit plane 3"
    assert words.title_of("uaci_same_salt") == "UACI same salt"
    shared = [Measurement(name=f"bit_plane_{n}", value=0.5, note="of bits") for n in range(5)]
    assert words.notes_of(shared) == ("Bit plane 0 to Bit plane 4: of bits.",)


def test_records_keep_their_keys() -> None:
    """Every figure has the same keys, which the documentation lists."""
    found = words.by_name([Measurement(name="npcr", value=1.0, lower=0.9)])
    keys = ["value", "expected", "lower", "upper", "p_value", "level", "passed", "note"]
    assert list(found["npcr"]) == keys
    assert found["npcr"]["passed"] is True
