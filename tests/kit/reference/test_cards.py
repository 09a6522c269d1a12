"""Key cards: a program that was written from the page reads what the package writes."""

import re
from pathlib import Path

import pytest

from sudokucrypt import Key
from sudokucrypt.cards import card_grids
from sudokucrypt.sudoku import rank
from tests.kit.reference import RefusedError
from tests.kit.reference.cards import check, read_card

PAGE = Path(__file__).parents[3] / "docs" / "spec" / "key-cards-v1.md"


def test_the_example_of_the_page() -> None:
    """Package and reference give the grids, the numbers and the check that are printed there."""
    _, _, text = PAGE.read_text(encoding="utf-8").partition("## 3. Example")
    grids = re.findall(r"^[1-9]{81}$", text, re.MULTILINE)
    key = bytes(range(32))
    assert [grid.to_text() for grid in card_grids(Key(key))] == grids
    assert read_card(grids) == key
    assert f"the check {check(key)}," in text
    assert f"numbers {', '.join(str(rank(grid)) for grid in grids)}." in text
    with pytest.raises(RefusedError, match="check"):
        read_card([grids[1], grids[0], *grids[2:]])
