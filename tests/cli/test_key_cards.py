"""``key card`` prints a key on paper; ``key read-card`` recovers it from copied grids."""

import os
import stat
from itertools import combinations
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
import zxingcpp
from PIL import Image

from sudokucrypt import Identity, Key, Passphrase
from sudokucrypt.cards import card_grids, card_puzzles
from sudokucrypt.keys import KeyShare, lock, split_key
from tests.cli.conftest import Run

SECRET = Key(bytes(range(32)))
GRIDS = [grid.to_text() for grid in card_grids(SECRET)]


def change_digit(text: str, position: int) -> str:
    """Return the text of a grid with one changed digit."""
    return text[:position] + str(int(text[position]) % 9 + 1) + text[position + 1 :]


def show_card(name: str) -> Image.Image:
    """Return a card as an image."""
    if name.endswith(".png"):
        return Image.open(name)
    document_pages = pypdfium2.PdfDocument(name)
    page_image: Image.Image = document_pages[0].render(scale=2).to_pil()
    document_pages.close()
    return page_image


@pytest.mark.parametrize("name", ["card.pdf", "card.png"])
def test_the_code_of_a_card_is_the_key(run: Run, name: str) -> None:
    """A foreign QR reader finds the key; only the owner can read the card; it is not replaced."""
    result = run("key card my.key -o", name, out="")
    assert SECRET.to_text() not in result.err
    assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
    with show_card(name) as card_image:
        barcodes = zxingcpp.read_barcodes(np.asarray(card_image.convert("L")))
    assert [barcode.text for barcode in barcodes] == [SECRET.to_text()]
    run("key card my.key -o", name, code=6)


def test_cards_of_a_key_are_equal(run: Run) -> None:
    """Two cards of a key are the same bytes; as SVG a card has its size on paper."""
    for name in ("a.svg", "b.svg"):
        run("key card - -o", name, stdin=SECRET.to_text().encode())
    text = Path("a.svg").read_text()
    assert text == Path("b.svg").read_text()
    assert 'width="148.00mm" height="209.97mm"' in text


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(GRIDS),
        "\n\n".join(map(str, card_grids(SECRET))),
        "\n\n".join(map(str, card_puzzles(SECRET))),
        "\n".join(text[index : index + 9] for text in GRIDS for index in range(0, 81, 9)),
        "# my card\n" + "\n".join(GRIDS) + "\n",
    ],
    ids=["lines", "ruled", "puzzles", "rows", "comment"],
)
def test_grids_become_the_key_file(run: Run, text: str) -> None:
    """Grids in any readable form give the same key file, with mode 0600."""
    result = run("key read-card - -o again.key", stdin=text.encode(), out="")
    assert result.err.splitlines() == [
        f"sudokucrypt: note: key {SECRET.id} is in 'again.key'; its id must be that on the card"
    ]
    assert Key.from_file("again.key") == SECRET
    assert stat.S_IMODE(Path("again.key").stat().st_mode) == 0o600


def test_repairs_are_named(run: Run) -> None:
    """Notes name a changed order of grids and a wrong cell, without its digit."""
    card_text = "\n".join(
        [GRIDS[1], GRIDS[0], change_digit(GRIDS[2], 12), "." * 15 + GRIDS[3][15:]]
    )
    result = run("key read-card - -o again.key", stdin=card_text.encode())
    assert result.err.splitlines()[:2] == [
        "sudokucrypt: note: grids 1 to 4 of the card are numbers 2, 1, 3, 4 of the input",
        "sudokucrypt: note: the digit in r2c4 of grid 3 of the input is wrong",
    ]
    assert Key.from_file("again.key") == SECRET


def test_unusable_grids(run: Run) -> None:
    """Unusable grids lead to an error without a file; it repeats no part of a grid or key."""
    Path("open.txt").write_text("\n".join(GRIDS))
    Path("open.txt").chmod(0o644)
    two_mistakes = "\n".join([change_digit(change_digit(GRIDS[0], 3), 40), *GRIDS[1:]])
    for arguments, stdin, code, message in (
        (["-"], two_mistakes, 4, "the four grids encode no key"),
        (["-"], "\n".join(GRIDS[:3]), 4, "a key card has 4 grids, not 3"),
        (["-"], "\n".join(["." * 81] * 4), 4, "too much of sheet 1 is open"),
        (["-"], "", 4, "there is no grid"),
        (["-"], SECRET.to_file_text(), 4, ""),
        (["missing.txt"], "", 4, "there is no file 'missing.txt'"),
        ([GRIDS[0]], "", 2, "the grids themselves are on the command line"),
        (["photo.png"], "", 4, "is not text\nsudokucrypt: hint: if it is a picture of a puzzle"),
    ):
        result = run(
            "key read-card", *arguments, "-o", "new.key", stdin=stdin.encode(), code=code, out=""
        )
        assert message in result.err
        assert not Path("new.key").exists()
        assert SECRET.to_text() not in result.err
        assert not any(
            grid[row : row + 9] in result.err for grid in GRIDS for row in range(0, 72, 9)
        )
    key_file_data = Path("my.key").read_bytes()
    run("key read-card open.txt -o my.key", code=6)
    assert Path("my.key").read_bytes() == key_file_data
    run("key read-card open.txt -o new.key", says="other users can read 'open.txt'")


def test_cards_of_other_secrets(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked key gives a card after unlocking; identities and picture keys have no card."""
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "seven plain words that nobody else would choose")
    Path("locked.key").write_text(lock(SECRET, Passphrase(os.environ["SUDOKUCRYPT_PASSPHRASE"])))
    Path("locked.key").chmod(0o600)
    run("key card my.key -o open.svg")
    run("key card locked.key -o card.svg")
    assert Path("card.svg").read_bytes() == Path("open.svg").read_bytes()
    picture, identity = SECRET.picture_key(bytes(16)), Identity(bytes(32))
    for secret, name in ((picture, "the key of one picture"), (identity, "an identity")):
        result = run("key card - -o new.svg", stdin=secret.to_text().encode(), code=4)
        assert f"{name} has no card" in result.err
    run("key card", SECRET.to_text(), "-o", "new.svg", code=2)
    run("key card my.key -o new.jpg", code=2)
    assert not Path("new.svg").exists()


# Tests of ``key split`` and ``key join``: shares in files, on paper, typed, and refused ones.


@pytest.fixture
def shares(run: Run) -> list[Path]:
    """Split a key; return the files of five shares, of which three are needed."""
    result = run("key split my.key --shares 5 --needed 3 -o shares", out="")
    assert f"any 3 of 5 shares give key {SECRET.id}; write its id down" in result.err
    return sorted(Path("shares").iterdir())


def test_three_shares_give_the_key(run: Run, shares: list[Path]) -> None:
    """Any three of five shares give the key file; only their owner can read the files."""
    assert [path.name for path in shares] == [f"share-{n}.txt" for n in range(1, 6)]
    assert {stat.S_IMODE(path.stat().st_mode) for path in shares} == {0o600}
    assert stat.S_IMODE(Path("shares").stat().st_mode) == 0o700
    for index, three_shares in enumerate(combinations(shares, 3)):
        name = f"{index}.key"
        result = run("key join", *three_shares, "-o", name, out="")
        assert f"key {SECRET.id} is in '{name}'; compare its id" in result.err
        assert Key.from_file(name) == SECRET
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
    assert Key.from_text(run("key join shares --key-id", SECRET.id).out) == SECRET
    run("key join shares -o my.key", code=6)


def test_shares_are_printed_and_read_from_stdin(run: Run) -> None:
    """`key join -` reads the shares that `key split -o -` prints."""
    result = run("key split - --shares 3 --needed 2 -o -", stdin=_write_key())
    for arguments in (["-"], []):
        assert Key.from_text(run("key join", *arguments, stdin=result.out_bytes).out) == SECRET


def _write_key() -> bytes:
    return SECRET.to_text().encode()


def test_shares_are_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, `key join` prompts until it has enough valid shares."""
    first_share, second_share, third_share = (
        share.to_text() for share in split_key(SECRET, shares=3, needed=3)
    )
    typed_lines = [
        "nonsense",
        first_share,
        second_share[:-1],
        first_share,
        second_share,
        third_share,
    ]
    titles = []

    def prompt(title: str, **options: object) -> str:
        assert options["hide_input"]
        titles.append(title)
        return typed_lines[len(titles) - 1]

    monkeypatch.setattr("click.prompt", prompt)
    result = run("key join -o new.key", terminal=True)
    assert "not a sudokucrypt key share" in result.err
    assert "share 1 was typed already" in result.err
    assert titles[0] == "share (1 of several)"
    assert titles[-1] == "share (3 of 3)"
    assert Key.from_file("new.key") == SECRET


def test_shares_that_give_no_key(run: Run, shares: list[Path]) -> None:
    """Unusable shares lead to an error that names the wrong one; no share is repeated."""
    lines = shares[0].read_text().splitlines()
    text = lines[-1]
    Path("typo.txt").write_text("\n".join([*lines[:-1], text[:50] + "!" + text[51:]]))
    Path("typo.txt").chmod(0o600)
    changed_share = KeyShare(3, 4, KeyShare.from_text(text).split, bytes(32))
    other_share = split_key(SECRET, shares=3, needed=3)[0]
    for name, share in (("changed.txt", changed_share), ("other.txt", other_share)):
        Path(name).write_text(share.to_file_text())
        Path(name).chmod(0o600)
    Path("empty").mkdir()
    for names, code, message in (
        ([*shares[:2], "typo.txt"], 4, "'typo.txt' is a damaged sudokucrypt key share: character"),
        (
            [*shares[:2], "other.txt"],
            4,
            "'other.txt' is of another split than 'shares/share-1.txt'",
        ),
        ([*shares[:2], "changed.txt"], 4, "not the one that was asked for"),
        ([*shares[:3], "changed.txt"], 4, "the shares contradict each other"),
        ([*shares, "changed.txt"], 4, "have the same number, and differ"),
        (shares[:2], 4, "3 shares are needed, and there are only 2 (number 1, 2)"),
        (["my.key"], 4, "'my.key' is not a sudokucrypt key share: a share starts with"),
        (["photo.png"], 4, "it is not text"),
        (["missing.txt"], 4, "cannot read the key file 'missing.txt'"),
        (["empty"], 4, "there is no share in the folder 'empty'"),
        ([text], 2, "the key itself is on the command line"),
    ):
        result = run("key join", *names, "-o", "new.key", "--key-id", SECRET.id, code=code, out="")
        assert message in result.err
        assert not Path("new.key").exists()
        assert text[30:60] not in result.err
    result = run("decrypt photo.png --key", str(shares[0]), code=4)
    assert "it is a share of a key" in result.err
    assert "'sudokucrypt key join' joins shares" in result.err


def test_refused_splits(run: Run, shares: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """An existing share is not replaced; secrets other than keys cannot be split."""
    share_files = {path: path.read_bytes() for path in shares}
    split_command = ("key", "split", "my.key", "--needed", "2", "--shares")
    run(*split_command, "6", "-o", "shares", code=6)
    shares[0].rename("kept.txt")
    run(*split_command, "6", "-o", "shares", code=6)
    Path("kept.txt").rename(shares[0])
    assert {path: path.read_bytes() for path in Path("shares").iterdir()} == share_files
    run("key split my.key --shares 3 --needed 4 -o x", code=2)
    run("key split my.key --shares 3 --needed 1 -o x", code=2)
    for secret, name in (
        (SECRET.picture_key(bytes(16)), "the key of one picture"),
        (Identity(bytes(32)), "an identity"),
    ):
        text = secret.to_text().encode()
        result = run("key split - --shares 3 --needed 2 -o x", stdin=text, code=4)
        assert f"{name} has no shares" in result.err
    monkeypatch.setattr("sudokucrypt.cli.keys.shares.join_key", lambda _: Key(bytes(32)))
    run(*split_command, "3", "-o", "x", code=1, says="nothing was written")
    assert not Path("x").exists()


@pytest.mark.parametrize("name", ["card.pdf", "card.png"])
def test_a_share_on_paper(run: Run, shares: list[Path], name: str) -> None:
    """A card of a share has its QR code and its label; the grids give the share."""
    share = KeyShare.from_file(shares[1])
    result = run("key card", shares[1], "-o", name, out="")
    assert f"anyone who has '{name}', or the printed card, has share 2" in result.err
    assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
    if name.endswith("png"):
        return
    page = pypdfium2.PdfDocument(name)[0]
    barcodes = zxingcpp.read_barcodes(np.asarray(page.render(scale=3).to_pil().convert("L")))
    assert [barcode.text for barcode in barcodes] == [share.to_text()]
    printed_lines = page.get_textpage().get_text_bounded().splitlines()
    label_start = next(
        number
        for number, line in enumerate(printed_lines)
        if line.startswith("SUDOKUCRYPT-SHARE-LABEL")
    )
    label = printed_lines[label_start : label_start + 2]
    puzzles = [str(puzzle) for puzzle in card_puzzles(share)]
    card_text = "\n".join(["# share 2", *label, "", *puzzles])
    result = run("key read-card - -o again.txt", stdin=card_text.encode())
    assert "share 2 is in 'again.txt'; 3 shares give the key" in result.err
    assert KeyShare.from_file("again.txt") == share
    run("key join", shares[0], "again.txt", shares[4], "-o", "new.key")
    assert Key.from_file("new.key") == SECRET


def test_copies_of_shares_are_repaired(run: Run) -> None:
    """A wrong digit in a grid of a share is corrected and named, with the label in any line."""
    share = split_key(SECRET, shares=2, needed=2)[0]
    grids = [grid.to_text() for grid in card_grids(share)]
    wrong_grid = grids[2][:12] + str(int(grids[2][12]) % 9 + 1) + grids[2][13:]
    for index, lines in enumerate(
        (
            [share.label.lower(), *grids[:2], wrong_grid, grids[3]],
            [*grids[:2], wrong_grid, grids[3], share.label],
        )
    ):
        card_data = "\n".join(lines).encode()
        result = run("key read-card - -o", f"{index}.txt", stdin=card_data)
        assert "the digit in r2c4 of grid 3 of the input is wrong" in result.err
        assert KeyShare.from_file(f"{index}.txt") == share


def test_grids_of_shares_are_not_those_of_keys(run: Run) -> None:
    """Grids of a share without its label, or of a key with a label, lead to specific errors."""
    share = split_key(SECRET, shares=2, needed=2)[0]
    share_grids, key_grids = (
        os.linesep.join(g.to_text() for g in card_grids(s)) for s in (share, SECRET)
    )
    typo = share.label[:40] + ("Q" if share.label[40] != "Q" else "P") + share.label[41:]
    for text, message in (
        (share_grids, "the four grids are those of a share, and not of a key"),
        (f"{share.label}\n{key_grids}", "the four grids are those of a key, and not of a share"),
        (
            f"{typo}\n{share_grids}",
            "a damaged sudokucrypt key share: character 41 of line 1 is wrong",
        ),
        (f"{share.label}\n{share_grids[:243]}", "a key card has 4 grids, not 3"),
    ):
        result = run("key read-card - -o new.txt", stdin=text.encode(), code=4, says=message)
        assert not Path("new.txt").exists()
        assert share_grids[:20] not in result.err
