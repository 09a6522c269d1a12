"""Files of strangers whose keys take long to derive: they come last, and few are tried."""

from pathlib import Path

import pytest

from sudokucrypt import KeyDerivation, Passphrase, encrypt_file
from tests.cli.conftest import Run, names
from tests.images.builders import encoded, noise

WORDS = ("--passphrase-file", "pw")


@pytest.fixture
def derived(run: Run, monkeypatch: pytest.MonkeyPatch) -> list[KeyDerivation]:
    """Each derivation that is made, of a folder with costly files of others and of the user."""
    del run  # has made the folder
    Path("pw").write_text("saffron kite 9 moons")
    Path("pw").chmod(0o600)
    Path("in").mkdir()
    for index in range(8):
        word = Passphrase("saffron kite 9 moons" if index in (3, 7) else "of another")
        if index != 7:
            word._derivation = KeyDerivation("argon2id", 128, 1, 1, bytes([index]) * 16)
        Path("plain.png").write_bytes(encoded(noise(4, 5, 3) + index, "PNG"))
        encrypt_file("plain.png", f"in/{index}.png", word, as_file=False)
    result: list[KeyDerivation] = []
    derive = KeyDerivation.derive

    def counted(derivation: KeyDerivation, passphrase: Passphrase) -> object:
        result.append(derivation)
        return derive(derivation, passphrase)

    monkeypatch.setattr(KeyDerivation, "derive", counted)
    return result


def test_costly_files_come_last_and_few_are_tried(run: Run, derived: list[KeyDerivation]) -> None:
    """The cheap file is first, and after three that do not open no other is derived."""
    done = run("decrypt", "in", "-o", "out", *WORDS)
    assert not derived[0].costly
    assert [derivation.salt[0] for derivation in derived[1:]] == [0, 1, 2]
    assert names(Path("out")) == {"7.png.decrypted.png"}
    assert done.code == 1
    assert "takes a while, and that failed for 3 others" in done.err
    assert "--max-derivation" in done.err


@pytest.mark.parametrize(("most", "tried"), [("0", 0), ("9", 7)])
def test_the_user_says_how_many(
    run: Run, derived: list[KeyDerivation], most: str, tried: int
) -> None:
    """Costly files of the user are restored if there is room for those of others."""
    run("decrypt", "in", "-o", "out", *WORDS, "--max-derivation", most)
    assert sum(derivation.costly for derivation in derived) == tried
    assert names(Path("out")) == (
        {"3.png.decrypted.png", "7.png.decrypted.png"} if tried else {"7.png.decrypted.png"}
    )


def test_a_single_file_is_tried(run: Run, derived: list[KeyDerivation]) -> None:
    """It cannot make a run long."""
    assert run("decrypt", "in/3.png", "-o", "out.png", *WORDS).code == 0
    assert run("decrypt", "in/2.png", "-o", "no.png", *WORDS).code == 3
    assert len(derived) == 2
