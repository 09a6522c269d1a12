"""Messages never repeat keys and passphrases in the wrong place, but name all other arguments."""

import re
import sys
from pathlib import Path

import pytest

import sudokucrypt
from sudokucrypt import DecryptionError, Key
from sudokucrypt.cli import messages
from sudokucrypt.cli.messages import hide_secrets
from sudokucrypt.keys import Identity
from tests.cli.conftest import KEY, Run

TEXT = Key(bytes(range(7, 39))).to_text()
IDENTITY = Identity.generate()
WORDS = "sesame lemonade"
ONE_WORD = "sesame"

# In each line, K is a key, T its text without the beginning, W a passphrase of two words, and S a
# passphrase of one word.
COMMAND_LINES = """
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
    """Return the arguments of a line, with the letters replaced by secrets."""
    identity_text = IDENTITY.to_text()
    secrets_by_letter = {"K": TEXT, "T": TEXT[20:], "W": WORDS, "S": ONE_WORD, "I": identity_text}
    words = [word.replace("K", TEXT) if "K" in word else word for word in line.split()]
    return [
        secrets_by_letter.get(word, word)
        if not word.endswith(("=W", "pS", "=S", "iI"))
        else word[:-1] + secrets_by_letter[word[-1]]
        for word in words
    ]


@pytest.mark.parametrize("line", COMMAND_LINES.split("\n")[1:-1])
@pytest.mark.parametrize("debug", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_no_message_repeats_a_secret(
    run: Run, line: str, debug: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command is refused; neither its message nor a traceback contains the secret."""
    monkeypatch.setattr("builtins.input", lambda _: "")
    result = run("", *give_arguments(line), *["--debug"] * debug, code=None)
    assert "error: " in result.err
    assert result.code in (1, 2, 4)
    printed_text = result.err + result.out
    for secret in (TEXT, IDENTITY.to_text()):
        assert secret[30:-6].lower() not in printed_text.lower()
    assert not [word for word in WORDS.split() if word in printed_text]


@pytest.mark.parametrize("name", ["SUDOKUCRYPT_KEY", "SUDOKUCRYPT_KEY_FILE"])
@pytest.mark.parametrize("value", [TEXT, TEXT[:-1], TEXT[20:], WORDS, ONE_WORD, f"{TEXT}\n{TEXT}x"])
def test_no_message_repeats_a_variable(
    run: Run, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key or passphrase in the wrong environment variable is not in the message."""
    monkeypatch.setenv(name, value)
    result = run("encrypt photo.png -o out.png", code=None)
    if value == TEXT and name == "SUDOKUCRYPT_KEY":
        assert result.code == 0
    else:
        assert result.code in (2, 4)
    assert TEXT[30:60] not in result.err + result.out
    assert not [word for word in WORDS.split() if word in result.err]


def test_messages_keep_what_is_no_secret(run: Run) -> None:
    """Messages still contain names of files, misspelled options and numbers."""
    run("info holiday.jpg", says="'holiday.jpg'", code=4)
    assert "(argument 4)" not in run("encrypt --scheme holiday photo.png", code=2).err
    run("scramble photo.png --unit holiday", says="'holiday'", code=2)
    run("info holiday", says="(argument 2)", code=4)
    run("info --kye", says="'--kye'", code=2)
    run("encript", says="'encript'", code=2)
    run("demo -k", says="'-k'", code=2)
    run("sudoku generate --count 0", says="0 is not", code=2)
    Path("holiday").mkdir()
    run("info holiday", says="'holiday'", code=4)
    run("demo x.png", says="'x.png'", code=2)


def test_public_and_ordinary_text_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages still contain recipients, key ids and digests."""
    monkeypatch.setattr(sys, "argv", ["sudokucrypt"])
    file_hash = "0123456789abcdef" * 4
    recipient = IDENTITY.recipient.to_text()
    for text in (f"key 03905534 of '{file_hash}'", f"to {recipient}", "sudokucrypt-key files"):
        assert hide_secrets(text) == text


# Hints about keys, and messages of the packages below the command line.


_PACKAGE = Path(sudokucrypt.__file__).parent
_COMMAND_LINE_WORDS = r"--[a-z]|'(rekey|info)'|sudokucrypt (key|keygen|info) "


def test_descriptors_are_not_open_to_others(run: Run) -> None:
    """A passphrase from a file descriptor causes no warning that others can read it."""
    Path("my.key").chmod(0o644)
    with Path("my.key").open("rb") as file:
        result = run("scramble photo.png -o x.png --key", f"/dev/fd/{file.fileno()}")
    assert result.err == ""


def test_lower_packages_do_not_name_options() -> None:
    """Other packages name options only where they declare them; each hint key has a hint."""
    packages = [path for path in _PACKAGE.rglob("*.py") if _PACKAGE / "cli" not in path.parents]
    # Modules that declare options, or use options of Cython and git.
    allowed_files = {"options.py", "building.py", "packing.py"}
    packages = [path for path in packages if path.name not in allowed_files]
    lines = "\n".join(path.read_text(encoding="utf-8") for path in packages).splitlines()
    assert [line for line in lines if re.search(_COMMAND_LINE_WORDS, line)] == []
    keys = {DecryptionError().hint_key}
    for line in lines:
        keys.update(re.findall(r'"(\w+)"', line.partition("hint_key=")[2]))
    assert keys == set(messages._HINTS)


# Messages if the key for restoring is missing or mistyped.


ID = Key(bytes(range(32))).id


@pytest.fixture
def protected_pictures(run: Run) -> None:
    """Make a protected picture for each kind of key."""
    Path("pw").write_text("lend trace april dove gulf iron\n")
    Path("pw").chmod(0o600)
    run("encrypt photo.png -o by-key.png", *KEY)
    run("encrypt photo.png -o by-words.png --passphrase-file pw")
    recipient = run("keygen --identity -o me.txt").out.strip()
    run("encrypt photo.png -o both.png --to", recipient, *KEY)


@pytest.mark.usefixtures("protected_pictures")
@pytest.mark.parametrize(
    ("name", "needed_secret"),
    [
        ("by-key.png", f"'by-key.png' needs key {ID}"),
        ("by-words.png", "'by-words.png' needs its passphrase"),
        ("both.png", f"'both.png' needs key {ID}, or the identity of one of its recipients"),
        ("photo.png", "no key: an input can only be restored with the key that protected it"),
        (".", "no key: an input can only be restored with the key that protected it"),
    ],
)
def test_restoring_names_the_key(run: Run, name: str, needed_secret: str) -> None:
    """Without a key, restoring names the needed key, and does not advise to make a new one."""
    for command in ("decrypt", "rekey", "unscramble"):
        result = run(
            command, name, "-o", "out/", *(["--new-key", "my.key"] * (command == "rekey")), code=2
        )
        assert f"error: {needed_secret}\n" in result.err
        assert "look for its file, its card or its passphrase" in result.err
        assert "keygen" not in result.err


@pytest.mark.usefixtures("protected_pictures")
def test_a_wrong_key_file_is_no_reason_to_make_one(run: Run) -> None:
    """A file without a key leads to the advice to make a key only for protecting."""
    Path("empty.key").write_text("nothing\n")
    run("encrypt photo.png --key empty.key", says="keygen", code=4)
    result = run("decrypt by-key.png -o out.png --key empty.key", code=4)
    assert "a new key does not restore it" in result.err
    assert "keygen" not in result.err


@pytest.mark.usefixtures("protected_pictures")
def test_mistyped_keys(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key with confused similar letters works; for a wrong letter, its position is named."""
    lines = Path("my.key").read_text().splitlines()
    text = lines[-1]
    mistyped_key = text[:17] + text[17:].replace("0", "O").replace("L", "i")
    Path("typed.key").write_text("\n".join([*lines[:-1], mistyped_key]))
    Path("typed.key").chmod(0o600)
    run("decrypt by-key.png -o out.png --key typed.key", err="")
    mistyped_text = text[:40] + ("Q" if text[40] != "Q" else "P") + text[41:]
    Path("typed.key").write_text("\n".join([*lines[:-1], mistyped_text]))
    message = f"character 41 of line {len(lines)} is wrong"
    result = run("decrypt by-key.png -o again.png --key typed.key", code=4)
    assert f"'typed.key' is a damaged sudokucrypt key: {message}" in result.err
    monkeypatch.setenv("SUDOKUCRYPT_KEY", mistyped_text)
    result = run("decrypt by-key.png -o again.png", code=4)
    assert "SUDOKUCRYPT_KEY is a damaged sudokucrypt key: character 41 of line 1" in result.err
    monkeypatch.setenv("SUDOKUCRYPT_KEY", mistyped_key)
    run("decrypt by-key.png -o again.png")


def test_invalid_recipients(run: Run) -> None:
    """Keys of SSH, files and bad lines in place of recipients lead to specific messages."""
    ssh = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGw0Iq7Zx0cQ9mA0Yy8mC1t6l2Cw9o2v3p4q5r6s7t8u a@b"
    Path("id.pub").write_text(f"{ssh}\n")
    Path("id").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END\n")
    Path("id").chmod(0o600)
    run("encrypt photo.png --to", ssh, code=4, says="SSH keys are not taken as recipients")
    result = run("encrypt photo.png --to id.pub", code=2)
    assert "--to takes a recipient; for the file 'id.pub' use --to-file" in result.err
    result = run("encrypt photo.png --to-file id.pub", code=4)
    assert "'id.pub', line 1: SSH keys are not taken as recipients" in result.err
    for name in ("id", "id.pub"):
        for option in ("--identity", "--key"):
            result = run("decrypt photo.png", option, name, code=4)
            assert (
                f"'{name}' is not a sudokucrypt key: SSH and PEM keys are not taken" in result.err
            )
            assert "identity of age" in result.err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_lists_of_other_systems(run: Run, encoding: str) -> None:
    """A list of recipients with comments is read in the encodings of all systems."""
    recipient = run("keygen --identity -o me.txt").out.strip()
    Path("team.txt").write_bytes(f"# team\r\n{recipient} # Ann\r\n".encode(encoding))
    run("encrypt photo.png -o out.png --to-file team.txt")
    run("decrypt out.png -o back.png -i me.txt")
    assert Path("back.png").read_bytes() == Path("photo.png").read_bytes()


def test_keys_of_other_systems(run: Run) -> None:
    """A key file with a UTF-8 byte order mark is read; for UTF-16, the hint names a solution."""
    text = Path("my.key").read_text()
    Path("my.key").write_bytes(text.encode("utf-8-sig"))
    assert run("key show my.key --id").out.strip() == ID
    Path("my.key").write_bytes(text.encode("utf-16"))
    result = run(
        "key show my.key --id", says=("it is UTF-16 text", "hint: save the file as UTF-8"), code=4
    )
    assert result.code != 0
