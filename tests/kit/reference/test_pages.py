"""Key shares and cards: the reference, written from the specification, agrees with the package."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from sudokucrypt import Key
from sudokucrypt.cards import card_grids
from sudokucrypt.keys import KeyShare, join_key, split_key
from sudokucrypt.sudoku import rank
from tests.kit.reference import RefusedError, shares
from tests.kit.reference.cards import check, read_card

PAGE = Path(__file__).parents[3] / "docs" / "spec" / "key-shares-v1.md"
SECRET = bytes(range(32))
pytestmark = pytest.mark.slow  # the reference changes only with the specification


def test_the_example_of_the_page() -> None:
    """Package and reference give the texts, label and grids of the example in key-shares-v1.md."""
    _, _, text = PAGE.read_text(encoding="utf-8").partition("## 5. Example")
    printed = re.findall(r"^SUDOKUCRYPT-KEY-SHARE-1\S+$", text, re.MULTILINE)
    split, coefficients = bytes(range(0x40, 0x50)), [SECRET, bytes(range(0x80, 0xA0))]
    other_shares = [
        shares.Share(2, number, split, shares.evaluate(coefficients, number))
        for number in (1, 2, 3)
    ]
    assert [shares.write_text(share) for share in other_shares] == printed
    assert f"`{shares.write_label(other_shares[0])}`" in text
    for share_pair in combinations(printed, 2):
        assert shares.join(share_pair) == SECRET
        assert join_key(map(KeyShare.from_text, share_pair)).to_bytes() == SECRET
    grids = re.findall(r"^[1-9]{81}$", text, re.MULTILINE)
    assert shares.read_grids(grids) == other_shares[0].value
    with pytest.raises(RefusedError, match="check"):
        read_card(grids)


@pytest.mark.parametrize(("count", "needed"), [(2, 2), (5, 3), (9, 9), (255, 4)])
def test_shares_of_the_package(count: int, needed: int) -> None:
    """The reference joins shares that the package has split, with numbers up to 255."""
    key = Key.generate()
    texts = [share.to_text() for share in split_key(key, shares=count, needed=needed)]
    assert shares.join(texts[-needed:]) == key.to_bytes()
    with pytest.raises(RefusedError, match="too few"):
        shares.join(texts[1:needed])


# Key cards: the reference reads cards that the package writes.


CARDS = Path(__file__).parents[3] / "docs" / "spec" / "key-cards-v1.md"


def test_the_example_of_the_page_of_cards() -> None:
    """Package and reference give the grids, numbers and check of the example in key-cards-v1.md."""
    _, _, text = CARDS.read_text(encoding="utf-8").partition("## 3. Example")
    grids = re.findall(r"^[1-9]{81}$", text, re.MULTILINE)
    key = bytes(range(32))
    assert [grid.to_text() for grid in card_grids(Key(key))] == grids
    assert read_card(grids) == key
    assert f"the check {check(key)}," in text
    assert f"numbers {', '.join(str(rank(grid)) for grid in grids)}." in text
    with pytest.raises(RefusedError, match="check"):
        read_card([grids[1], grids[0], *grids[2:]])
