"""``key card`` and ``key read-card``: a key goes to paper, and comes back from what was copied."""

import os
import stat
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
import zxingcpp
from PIL import Image

from sudokucrypt import Identity, Key, Passphrase
from sudokucrypt.cards import card_grids, card_puzzles
from sudokucrypt.keys import lock
from tests.cli.conftest import Run

SECRET = Key(bytes(range(32)))
GRIDS = [grid.to_text() for grid in card_grids(SECRET)]


def wrong(text: str, position: int) -> str:
    """A grid with one other digit."""
    return text[:position] + str(int(text[position]) % 9 + 1) + text[position + 1 :]


def picture(name: str) -> Image.Image:
    """What a card looks like."""
    if name.endswith(".png"):
        return Image.open(name)
    opened = pypdfium2.PdfDocument(name)
    shown: Image.Image = opened[0].render(scale=2).to_pil()
    opened.close()
    return shown


@pytest.mark.parametrize("name", ["card.pdf", "card.png"])
def test_the_code_of_a_card_is_the_key(run: Run, name: str) -> None:
    """A foreign reader finds the key; the file is its owner's alone, and is never replaced."""
    result = run("key", "card", "my.key", "-o", name)
    assert (result.code, result.out) == (0, "")
    assert SECRET.to_text() not in result.err
    assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
    with picture(name) as shown:
        codes = zxingcpp.read_barcodes(np.asarray(shown.convert("L")))
    assert [code.text for code in codes] == [SECRET.to_text()]
    assert run("key", "card", "my.key", "-o", name).code == 6


def test_cards_of_a_key_are_alike(run: Run) -> None:
    """A card is the same whenever it is drawn, and in SVG has its size on paper."""
    for name in ("a.svg", "b.svg"):
        assert run("key", "card", "-", "-o", name, stdin=SECRET.to_text().encode()).code == 0
    text = Path("a.svg").read_text()
    assert text == Path("b.svg").read_text()
    assert 'width="148.00mm" height="209.97mm"' in text


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(GRIDS),
        "\n\n".join(map(str, card_grids(SECRET))),
        "\n\n".join(map(str, card_puzzles(SECRET))),
        "\n".join(text[at : at + 9] for text in GRIDS for at in range(0, 81, 9)),
        "# my card\n" + "\n".join(GRIDS) + "\n",
    ],
    ids=["lines", "ruled", "puzzles", "rows", "comment"],
)
def test_grids_become_the_key_file(run: Run, text: str) -> None:
    """Any form in which grids are read gives the key file that was drawn, mode 0600."""
    result = run("key", "read-card", "-", "-o", "again.key", stdin=text.encode())
    assert (result.code, result.out) == (0, "")
    assert result.err.splitlines() == [
        f"sudokucrypt: note: key {SECRET.id} is in 'again.key'; its id must be that on the card"
    ]
    assert Key.from_file("again.key") == SECRET
    assert stat.S_IMODE(Path("again.key").stat().st_mode) == 0o600


def test_repairs_are_named(run: Run) -> None:
    """The order of the grids and the cell that was wrong are said, without any digit."""
    swapped = "\n".join([GRIDS[1], GRIDS[0], wrong(GRIDS[2], 12), "." * 15 + GRIDS[3][15:]])
    result = run("key", "read-card", "-", "-o", "again.key", stdin=swapped.encode())
    assert result.code == 0
    assert result.err.splitlines()[:2] == [
        "sudokucrypt: note: grids 1 to 4 of the card are numbers 2, 1, 3, 4 of the input",
        "sudokucrypt: note: the digit in r2c4 of grid 3 of the input is wrong",
    ]
    assert Key.from_file("again.key") == SECRET


def test_what_gives_no_key(run: Run) -> None:
    """Errors say what is wrong, write no file, and repeat no part of a grid or key."""
    Path("open.txt").write_text("\n".join(GRIDS))
    Path("open.txt").chmod(0o644)
    two_wrong = "\n".join([wrong(wrong(GRIDS[0], 3), 40), *GRIDS[1:]])
    for arguments, stdin, code, message in (
        (["-"], two_wrong, 4, "the four grids encode no key"),
        (["-"], "\n".join(GRIDS[:3]), 4, "a key card has 4 grids, not 3"),
        (["-"], "\n".join(["." * 81] * 4), 4, "too much of sheet 1 is open"),
        (["-"], "", 4, "there is no grid"),
        (["-"], SECRET.to_file_text(), 4, ""),
        (["missing.txt"], "", 4, "there is no file 'missing.txt'"),
        ([GRIDS[0]], "", 2, "the grids themselves are on the command line"),
        (["photo.png"], "", 4, "is not text\nsudokucrypt: hint: type what a picture shows into"),
    ):
        result = run("key", "read-card", *arguments, "-o", "new.key", stdin=stdin.encode())
        assert (result.code, result.out) == (code, "")
        assert message in result.err
        assert not Path("new.key").exists()
        assert SECRET.to_text() not in result.err
        assert not any(grid[at : at + 9] in result.err for grid in GRIDS for at in range(0, 72, 9))
    kept = Path("my.key").read_bytes()
    assert run("key", "read-card", "open.txt", "-o", "my.key").code == 6
    assert Path("my.key").read_bytes() == kept
    warned = run("key", "read-card", "open.txt", "-o", "new.key")
    assert "other users can read 'open.txt'" in warned.err


def test_cards_of_other_secrets(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked key is unlocked first; identities and the keys of single pictures have no card."""
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "seven plain words that nobody else would choose")
    Path("locked.key").write_text(lock(SECRET, Passphrase(os.environ["SUDOKUCRYPT_PASSPHRASE"])))
    Path("locked.key").chmod(0o600)
    assert run("key", "card", "my.key", "-o", "open.svg").code == 0
    assert run("key", "card", "locked.key", "-o", "card.svg").code == 0
    assert Path("card.svg").read_bytes() == Path("open.svg").read_bytes()
    picture, identity = SECRET.picture_key(bytes(16)), Identity(bytes(32))
    for secret, name in ((picture, "the key of one picture"), (identity, "an identity")):
        result = run("key", "card", "-", "-o", "new.svg", stdin=secret.to_text().encode())
        assert result.code == 4
        assert f"{name} has no card" in result.err
    assert run("key", "card", SECRET.to_text(), "-o", "new.svg").code == 2
    assert run("key", "card", "my.key", "-o", "new.jpg").code == 2
    assert not Path("new.svg").exists()
