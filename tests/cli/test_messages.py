"""What users read when something is wrong: every line of it, and the exit code."""

import ast
import io
import re
import shlex
from itertools import chain
from pathlib import Path

import pytest

import sudokucrypt
from sudokucrypt import DecryptionError, Key, Passphrase, encrypt_file
from sudokucrypt.cli import messages
from sudokucrypt.cli.keys.caution import warn_if_guessable
from sudokucrypt.keys import lock
from tests.cli.conftest import Run
from tests.images.builders import encoded, noise, saved

# Each begins with its law; then come command lines, each with its exit code and its messages.
_SESSIONS = """
# both ids of a wrong key are named, and where it comes from
$ sudokucrypt decrypt k.png -o out.png --key other.key -> 3
error: wrong key: the picture needs key 5a08beb8, and 'other.key' is key 9fef0e08
hint: 'sudokucrypt key show FILE --id' prints the id of a key file
$ sudokucrypt rekey k.png -o out.png --key other.key --new-key my.key -> 3
error: wrong key: the picture needs key 5a08beb8, and 'other.key' is key 9fef0e08
hint: 'sudokucrypt key show FILE --id' prints the id of a key file
$ SUDOKUCRYPT_KEY=@other.key sudokucrypt decrypt k.png -o out.png -> 3
error: wrong key: the picture needs key 5a08beb8, and SUDOKUCRYPT_KEY is key 9fef0e08
hint: 'sudokucrypt key show FILE --id' prints the id of a key file
$ sudokucrypt decrypt k.png -o out.png --key - < other.key -> 3
error: wrong key: the picture needs key 5a08beb8, and stdin is key 9fef0e08
hint: 'sudokucrypt key show FILE --id' prints the id of a key file
$ sudokucrypt decrypt k.png -o out.png --key locked.key --passphrase-file other.pw -> 3
error: wrong key: the picture needs key 5a08beb8, and 'locked.key' is key 9fef0e08
hint: 'sudokucrypt key show FILE --id' prints the id of a key file

# a picture under a passphrase needs it, and one under a key the key
$ sudokucrypt decrypt p.png -o out.png --key my.key -> 3
error: wrong key: the picture needs a passphrase, and 'my.key' is key 5a08beb8
hint: give it with --passphrase
$ sudokucrypt decrypt k.png -o out.png --passphrase-file my.pw -> 3
error: wrong key: the picture needs key 5a08beb8, not a passphrase
hint: give it with --key FILE

# a wrong passphrase is said to be one, of a picture and of a locked key
$ sudokucrypt decrypt p.png -o out.png --passphrase-file other.pw -> 3
error: wrong passphrase, or the header was changed
hint: check capitals, spaces and the keyboard layout
$ sudokucrypt decrypt k.png -o out.png --key locked.key --passphrase-file my.pw -> 3
error: the passphrase does not open 'locked.key', or the file was changed
hint: check capitals, spaces and the keyboard layout
$ SUDOKUCRYPT_PASSPHRASE=wrong sudokucrypt key show locked.key -> 3
error: the passphrase does not open 'locked.key', or the file was changed
hint: check capitals, spaces and the keyboard layout

# a variable holds a key and not the name of its file
$ SUDOKUCRYPT_KEY=my.key sudokucrypt decrypt k.png -o out.png -> 4
error: SUDOKUCRYPT_KEY is not a sudokucrypt key: a key starts with SUDOKUCRYPT-KEY-1
hint: it must hold the text of a key; name a key file with --key

# of a damaged key there is perhaps a copy, and a new one is of no use
$ sudokucrypt decrypt k.png -o out.png --key damaged.key -> 4
error: 'damaged.key' is a damaged sudokucrypt key: the checksum does not match
hint: use your copy of it; a new key does not restore pictures
$ SUDOKUCRYPT_KEY=@damaged.key sudokucrypt decrypt k.png -o out.png -> 4
error: SUDOKUCRYPT_KEY is a damaged sudokucrypt key: the checksum does not match
hint: use your copy of it; a new key does not restore pictures
$ SUDOKUCRYPT_PASSPHRASE=x sudokucrypt key show damaged-locked.key --id -> 4
error: 'damaged-locked.key' is a damaged locked key file: the checksum does not match
hint: use your copy of it; a new key does not restore pictures

# what is no key at all may be made
$ sudokucrypt encrypt x.jpg --key x.jpg -> 4
error: 'x.jpg' is not a sudokucrypt key: it is not text
hint: 'sudokucrypt keygen -o FILE' makes a key file
$ sudokucrypt encrypt x.jpg --key my.pw -> 4
error: 'my.pw' is not a sudokucrypt key: a key starts with SUDOKUCRYPT-KEY-1
hint: 'sudokucrypt keygen -o FILE' makes a key file
$ sudokucrypt encrypt x.jpg --key missing.key -> 4
error: cannot read the key file 'missing.key': no such file or directory
$ sudokucrypt encrypt x.jpg --passphrase-file missing.pw -> 4
error: cannot read the passphrase file 'missing.pw': no such file or directory

# a text editor may have saved a secret in another encoding
$ sudokucrypt encrypt x.jpg --key utf16.key -> 4
error: 'utf16.key' is not a sudokucrypt key: it is UTF-16 text
hint: save the file as UTF-8
$ sudokucrypt encrypt x.jpg --passphrase-file utf16.key -> 4
error: the passphrase is not UTF-8 text
hint: save the file as UTF-8

# a key that is not locked takes no passphrase
$ sudokucrypt encrypt x.jpg --key my.key --passphrase-file my.pw -> 2
error: 'my.key' is not locked; give the key or a passphrase, not both
hint: 'sudokucrypt encrypt --help' shows the options

# an ordinary photo is named, and what may have become of a protected one
$ sudokucrypt decrypt x.jpg -o out.png --key my.key -> 4
error: 'x.jpg' is not a protected picture, or an app removed what restoring needs
hint: use the file that was written, or name its sidecar with --sidecar FILE
$ sudokucrypt unscramble x.jpg -o out.png --key my.key -> 4
error: 'x.jpg' is not a protected picture, or an app removed what restoring needs
hint: use the file that was written, or name its sidecar with --sidecar FILE
$ sudokucrypt rekey x.jpg -o out.png --key my.key --new-key other.key -> 4
error: 'x.jpg' is not a protected picture, or an app removed what restoring needs
hint: use the file that was written, or name its sidecar with --sidecar FILE
$ sudokucrypt info x.jpg -> 4
error: 'x.jpg' is not a protected picture, or an app removed what restoring needs
hint: use the file that was written, or name its sidecar with --sidecar FILE

# a file in place of a command is to be encrypted
$ sudokucrypt x.jpg -> 2
error: 'x.jpg' is a file, not a command
hint: to encrypt it: sudokucrypt encrypt x.jpg --key FILE
$ sudokucrypt 'two words.jpg' --key my.key -> 2
error: 'two words.jpg' is a file, not a command
hint: to encrypt it: sudokucrypt encrypt 'two words.jpg' --key FILE

# a name that is nearly that of a command or option is corrected
$ sudokucrypt encript x.jpg -> 2
error: no such command 'encript'
hint: did you mean 'encrypt'?
$ sudokucrypt sudoku slove x -> 2
error: no such command 'slove'
hint: did you mean 'solve'?
$ sudokucrypt key shwo my.key -> 2
error: no such command 'shwo'
hint: did you mean 'show'?
$ sudokucrypt attack jigsw x.jpg -> 2
error: no such command 'jigsw'
hint: did you mean 'jigsaw'?
$ sudokucrypt encrypt --kye my.key x.jpg -> 2
error: no such option '--kye'
hint: did you mean '--key'?

# one that is a value of an option names that option
$ sudokucrypt sudoku puzzle --json -> 2
error: no such option '--json'
hint: did you mean '--format json'?

# a value that is no number, and no value at all
$ sudokucrypt sudoku puzzle --seed abc -> 2
error: invalid value for '--seed': 'abc' is not a whole number
hint: 'sudokucrypt sudoku puzzle --help' shows the options
$ sudokucrypt sudoku unrank 1.5 -> 2
error: invalid value for 'K': '1.5' is not a whole number
hint: 'sudokucrypt sudoku unrank --help' shows the options
$ sudokucrypt sudoku solve '' -> 4
error: there is no grid in the input

# of a file whose name begins like an option it says how to write it
$ sudokucrypt encrypt --dashes.jpg --key my.key -> 2
error: no such option '--dashes.jpg'
hint: to name the file: ./--dashes.jpg

# of any other name there is help
$ sudokucrypt frobnicate -> 2
error: no such command 'frobnicate'
hint: 'sudokucrypt --help' shows the commands
$ sudokucrypt key my.key -> 2
error: no such command 'my.key'
hint: 'sudokucrypt key --help' shows the commands
$ sudokucrypt encrypt --zzz x.jpg -> 2
error: no such option '--zzz'
hint: 'sudokucrypt encrypt --help' shows the options

# -k is short for --key
$ sudokucrypt decrypt k.png -o - -k other.key -> 3
error: wrong key: the picture needs key 5a08beb8, and 'other.key' is key 9fef0e08
hint: 'sudokucrypt key show FILE --id' prints the id of a key file

# a key file is not replaced, and what could be asked to replace it is not named
$ sudokucrypt keygen -o my.key -> 6
error: 'my.key' exists
hint: a key file is never replaced; choose another name
$ sudokucrypt key picture k.png -k my.key -o other.key -> 6
error: 'other.key' exists
hint: a key file is never replaced; choose another name

# a passphrase that can be guessed is warned of where it protects
$ sudokucrypt scramble photo.png -o out.png --passphrase-file a.pw -> 0
warning: the passphrase has only 1 character and can be guessed
hint: use 12 characters or more, such as four words drawn by chance
$ sudokucrypt scramble photo.png -o out2.png --passphrase-file my.pw -> 0
$ sudokucrypt unscramble out.png -o back.png --passphrase-file a.pw -> 0
$ sudokucrypt keygen -o new.key --passphrase-file a.pw -> 0
warning: the passphrase has only 1 character and can be guessed
hint: use 12 characters or more, such as four words drawn by chance
note: key KEY is in 'new.key'; keep a copy in a safe place
$ sudokucrypt scramble photo.png -o out3.png --key new.key --passphrase-file a.pw -> 0
"""


def _cases() -> list[object]:
    """The sessions as parameters, each under its law."""
    blocks = [block.strip().partition("\n") for block in _SESSIONS.split("\n\n")]
    return [pytest.param(rest, id=law.removeprefix("# ")) for law, _, rest in blocks]


@pytest.fixture
def _files(run: Run) -> None:
    """Keys and passphrases, good and bad, pictures under them, and an ordinary photo."""
    del run  # has made the folder, and my.key
    mine, other = Key(bytes(range(32))), Key(bytes(32))
    picture = encoded(noise(8, 8, 3), "PNG")
    good, another = "umbrella fits 3 walls", "saffron kite 9 moons"
    locked = lock(other, Passphrase(another))
    key_text = other.to_file_text()
    files = {
        "x.jpg": saved(noise(8, 8, 3), "JPEG"),
        "--dashes.jpg": saved(noise(8, 8, 3), "JPEG"),
        "two words.jpg": saved(noise(8, 8, 3), "JPEG"),
        "my.pw": good.encode(),
        "other.pw": another.encode(),
        "a.pw": b"a",
        "other.key": key_text.encode(),
        "utf16.key": key_text.encode("utf-16"),
        "damaged.key": _damaged(key_text).encode(),
        "locked.key": locked.encode(),
        "damaged-locked.key": _damaged(locked).encode(),
    }
    for name, content in files.items():
        Path(name).write_bytes(content)
        Path(name).chmod(0o600)
    for name, key in (("k.png", mine), ("p.png", Passphrase(good))):
        encrypt_file(io.BytesIO(picture), Path(name), key)


def _damaged(text: str) -> str:
    """A key file in which the last character is another one."""
    kept = text.rstrip("\n")
    return f"{kept[:-1]}{'Q' if kept[-1] != 'Q' else 'P'}\n"


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("session", _cases())
def test_messages(run: Run, monkeypatch: pytest.MonkeyPatch, session: str) -> None:
    """A mistake gives exactly these lines and this exit code, and leaves no output."""
    for step in session.removeprefix("$ ").split("\n$ "):
        line, *expected = step.split("\n")
        command, _, code = line.rpartition(" -> ")
        command, _, stdin = command.partition(" < ")
        words = shlex.split(command)
        at = words.index("sudokucrypt")
        with monkeypatch.context() as patch:
            patch.delenv("SUDOKUCRYPT_PASSPHRASE", raising=False)
            for name, value in (word.split("=", 1) for word in words[:at]):
                held = Path(value[1:]).read_text(encoding="ascii") if value[0] == "@" else value
                patch.setenv(name, held)
            done = run(*words[at + 1 :], stdin=Path(stdin).read_bytes() if stdin else b"")
        shown = re.sub(r"key \w{8} is in", "key KEY is in", done.err)
        assert [line.removeprefix("sudokucrypt: ") for line in shown.splitlines()] == expected
        assert (done.code, done.out) == (int(code), "")
        assert done.code == 0 or not Path("out.png").exists()


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize(
    ("mode", "can"),
    [
        (0o600, None), (0o400, None), (0o640, "read"), (0o604, "read"), (0o620, "change"),
        (0o602, "change"), (0o666, "read and change"), (0o700, None), (0o711, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("name", "options"),
    [("my.key", "--key"), ("my own.pw", "--passphrase-file"), ("locked.key", "--key")],
)
def test_secrets_that_are_open_to_others(
    run: Run, monkeypatch: pytest.MonkeyPatch, mode: int, can: str | None, name: str, options: str
) -> None:
    """A key or passphrase file that others may read or change is used, and warned of."""
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "saffron kite 9 moons")
    Path("my own.pw").write_bytes(b"umbrella fits 3 walls")
    Path(name).chmod(mode)
    done = run("scramble", "photo.png", "-o", "out.png", options, name)
    quoted = shlex.quote(name)
    warning = (
        f"sudokucrypt: warning: other users can {can} '{name}'\n"
        f"sudokucrypt: hint: to keep it to yourself: chmod 600 {quoted}\n"
    )
    assert (done.code, done.err) == (0, warning if can else "")


def test_pipes_are_open_to_nobody(run: Run) -> None:
    """What comes through a pipe or an open descriptor is not said to be open to others."""
    Path("my.key").chmod(0o644)
    with Path("my.key").open("rb") as file:
        for number, place in enumerate((f"/dev/fd/{file.fileno()}", "-")):
            stdin = Path("my.key").read_bytes()
            done = run("scramble", "photo.png", "-o", f"{number}.png", "--key", place, stdin=stdin)
            assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("", None), ("größe", "has only 5 characters"), ("x" * 11, "has only 11 characters"),
        ("kqzvmwpxrtbn", None), ("umbrella fits 3 walls", None), ("\N{SNOWMAN}abcdefghijk", None),
        ("483920571839", None), ("Password1234", "is a common one"),
        ("!!sunshine!!2024", "is a common one"), ("passwordpassword", "is a common one"),
        ("123456789012", "is a common one"), ("QWERTYUIOPAS", "is a common one"),
        ("aaaaaaaaaaaaaaaa", "is a common one"), ("correct horse battery staple",
        "is a common one"), ("passwordpasswort", None),
    ],
)  # fmt: skip
def test_guessable_passphrases(
    capsys: pytest.CaptureFixture[str], text: str, warned: str | None
) -> None:
    """Short ones, common words with digits and signs, repetitions and runs of keys are guessed."""
    if text:
        warn_if_guessable(Passphrase(text))
    printed = capsys.readouterr().err
    assert (f"the passphrase {warned}" in printed) if warned else printed == ""
    assert text == "" or text not in printed


_PACKAGE = Path(sudokucrypt.__file__).parent
_OPTION = re.compile(
    r"--[a-z]|(^|[\s'])-[a-z]([\s']|$)|keygen|'(rekey|info)'|sudokucrypt (key|info) "
)


def test_lower_rooms_do_not_know_the_command_line() -> None:
    """No text below the command line names an option or command, and every key has its hint."""
    texts, docstrings, keys = set(), set(), {DecryptionError().hint_key}
    rooms = [path for path in _PACKAGE.rglob("*.py") if _PACKAGE / "cli" not in path.parents]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in rooms]
    for node in chain.from_iterable(map(ast.walk, trees)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(node.value.value)
        if isinstance(node, ast.keyword) and node.arg == "hint_key":
            parts = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
            keys |= {part for part in parts if isinstance(part, str)}
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
    assert len(texts) > 1000
    others = texts - docstrings - keys
    assert [text for text in others if _OPTION.search(text)] == []
    assert keys - {None} == set(messages._HINTS)
