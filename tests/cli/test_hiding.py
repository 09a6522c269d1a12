"""Keys and passphrases in the wrong place are in no message; everything else is still named."""

import sys
from pathlib import Path

import pytest

from sudokucrypt import Key
from sudokucrypt.cli.messages import hide_secrets
from sudokucrypt.keys import Identity
from tests.cli.conftest import Run

KEY = Key(bytes(range(7, 39))).to_text()
IDENTITY = Identity.generate()
WORDS = "sesame lemonade"
ONE = "sesame"

# In each line, K is a key, T its text without the beginning, W a passphrase of two words and S one
# of a single word.
WAYS = """
encrypt photo.png --passphrase S
encrypt photo.png --passphrase W
encrypt photo.png --passphrase sesame lemonade
encrypt photo.png --passphrase=W
encrypt photo.png --passphrase-file W
encrypt photo.png --passphrase-file S
encrypt photo.png --passphrase-file K
encrypt photo.png --passphrase-fd S
encrypt photo.png --password W
encrypt photo.png --password=W
encrypt photo.png -pS
encrypt photo.png -p S
encrypt photo.png --key W
encrypt photo.png --key S
encrypt photo.png --key K
encrypt photo.png --key T
encrypt photo.png --key=K
encrypt photo.png -kK
encrypt photo.png -k=K
encrypt photo.png -i K
encrypt photo.png -i W
encrypt photo.png -iI
encrypt photo.png --to K
encrypt photo.png --to I
encrypt photo.png --to W
encrypt photo.png --to T
encrypt photo.png --to-file K
encrypt photo.png --to-file I
encrypt photo.png --to-file S
encrypt photo.png K
encrypt K photo.png --key my.key
encrypt photo.png -o K --key my.key
encrypt photo.png -o a/K/b.png --key my.key
encrypt photo.png --name K --key my.key
encrypt photo.png --max-derivation W
encrypt photo.png --jobs T
encrypt photo.png --force S --key my.key
encrypt photo.png --sesame-lemonade
encrypt photo.png --lemonade
encrypt photo.png --manifest a/K/b --key my.key
decrypt photo.png --lemonade=sesame
decrypt photo.png --key a=K
rekey photo.png --key my.key --new-key K
rekey photo.png --key my.key --new-key W
scramble photo.png --rounds K
scramble photo.png --unit K
scramble photo.png --scheme K --key my.key
redact photo.png -o out.png --region 1,1,5,5 --key K
unredact photo.png --key K
share photo.png -o a.html --passphrase S
share photo.png -o a.html S
share photo.png -o a/K.html --to K
keygen S
keygen K
keygen --words S
keygen --passphrase S
keygen --passphrase=S
keygen -o x.key K
key K
key S
key show K
key show W
key show T
key passphrase K
key passphrase W
key passphrase my.key --new-passphrase-file S
key card K -o a.png
key card W -o a.png
key read-card K -o x.key
key read-card W -o x.key
key picture photo.png K
key picture photo.png --key W
info K
info S
info W
info photo.png K
page K
page --check K
page -o a/K/b.html
analyze K
analyze photo.png --key K
attack K
attack S
compare S
sudoku K
sudoku solve K
sudoku generate S
sudoku generate --seed K
completion S
demo S
K
S
W
--key K encrypt photo.png
-k K
--passphrase W encrypt photo.png
"""


def give_arguments(line: str) -> list[str]:
    """The arguments of a line."""
    identity = IDENTITY.to_text()
    kinds = {"K": KEY, "T": KEY[20:], "W": WORDS, "S": ONE, "I": identity}
    words = [word.replace("K", KEY) if "K" in word else word for word in line.split()]
    return [
        kinds.get(word, word)
        if not word.endswith(("=W", "pS", "=S", "iI"))
        else word[:-1] + kinds[word[-1]]
        for word in words
    ]


@pytest.mark.parametrize("line", WAYS.split("\n")[1:-1])
@pytest.mark.parametrize("debug", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_no_message_repeats_a_secret(
    run: Run, line: str, debug: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is refused, and neither its message nor a traceback holds key or passphrase."""
    monkeypatch.setattr("builtins.input", lambda _: "")
    done = run(*give_arguments(line), *(["--debug"] if debug else []), terminal=False)
    assert done.code in (1, 2, 4)
    assert "error: " in done.err
    printed = done.err + done.out
    for secret in (KEY, IDENTITY.to_text()):
        assert secret[30:-6].lower() not in printed.lower()
    assert not [word for word in WORDS.split() if word in printed]


@pytest.mark.parametrize("name", ["SUDOKUCRYPT_KEY", "SUDOKUCRYPT_KEY_FILE"])
@pytest.mark.parametrize("value", [KEY, KEY[:-1], KEY[20:], WORDS, ONE, f"{KEY}\n{KEY}x"])
def test_no_message_repeats_a_variable(
    run: Run, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key or passphrase in the wrong variable is not shown either."""
    monkeypatch.setenv(name, value)
    done = run("encrypt", "photo.png", "-o", "out.png")
    if value == KEY and name == "SUDOKUCRYPT_KEY":
        assert done.code == 0
    else:
        assert done.code in (2, 4)
    assert KEY[30:60] not in done.err + done.out
    assert not [word for word in WORDS.split() if word in done.err]


def test_what_is_no_secret_is_named(run: Run) -> None:
    """Names of files, options that are nearly right and numbers are still in messages."""
    assert "'holiday.jpg'" in run("info", "holiday.jpg").err
    assert "(argument 4)" not in run("encrypt", "--scheme", "holiday", "photo.png").err
    assert "'holiday'" in run("scramble", "photo.png", "--unit", "holiday").err
    assert "(argument 2)" in run("info", "holiday").err
    assert "'--kye'" in run("info", "--kye").err
    assert "'encript'" in run("encript").err
    assert "'-k'" in run("demo", "-k").err
    assert "0 is not" in run("sudoku", "generate", "--count", "0").err
    Path("holiday").mkdir()
    assert "'holiday'" in run("info", "holiday").err
    assert "'x.png'" in run("demo", "x.png").err


def test_public_and_ordinary_text_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recipients, ids and digests are no secrets."""
    monkeypatch.setattr(sys, "argv", ["sudokucrypt"])
    digest = "0123456789abcdef" * 4
    recipient = IDENTITY.recipient.to_text()
    for text in (f"key 03905534 of '{digest}'", f"to {recipient}", "sudokucrypt-key files"):
        assert hide_secrets(text) == text
