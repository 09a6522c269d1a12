"""The compression of links, against vectors of the JavaScript library."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.formats.lzstring import compress, decompress

VECTORS = json.loads((Path(__file__).parent / "lzstring.json").read_text("utf-8"))["vectors"]


@pytest.mark.parametrize(("text", "packed"), VECTORS)
def test_vectors(text: str, packed: str) -> None:
    """Texts of all kinds, long ones and those beyond 16 bits too, are coded as by lz-string."""
    assert compress(text) == packed
    assert decompress(packed) == decompress(packed.rstrip("=").replace("+", " ")) == text


@given(st.text(max_size=300))
def test_there_and_back(text: str) -> None:
    """What was compressed comes back."""
    assert decompress(compress(text)) == text


@given(st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", max_size=200))
def test_damage_is_one_error(packed: str) -> None:
    """Any symbols are a text or refused, and nothing else is raised."""
    with suppress(InvalidGridError):
        decompress(packed)


def test_no_text_is_longer_than_puzzles_are() -> None:
    """A link that grows beyond a megabyte, or is as long, is refused."""
    bomb = compress("a" * 2_000_000)
    assert len(bomb) < 10_000
    for packed in (bomb, "A" * 2**20, "\u00e9"):
        with pytest.raises(InvalidGridError, match="damaged"):
            decompress(packed)
