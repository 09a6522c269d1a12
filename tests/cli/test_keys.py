"""keygen, key show, rekey, and the sources of keys and passphrases."""

import os
import stat
from pathlib import Path

import pytest

from sudokucrypt import Key, Passphrase
from sudokucrypt.cli.keys.caution import load_common_words
from sudokucrypt.keys import list_words, unlock
from tests.cli.conftest import Run, is_same
from tests.programs import run_python

_PASSPHRASE = ("--passphrase-file", "pw")


@pytest.fixture(autouse=True)
def _write_secrets(run: Run) -> None:
    """Write a passphrase and another key."""
    del run  # has made the folder
    Path("pw").write_bytes("größe\n".encode())
    Path("pw").chmod(0o600)
    Key(bytes(32)).to_file("other.key")


def test_keygen(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """keygen prints a key file, or writes a private file that it never replaces."""
    keygen_result = run("keygen")
    key = Key.from_text(keygen_result.out)
    assert f"# key id: {key.id}" in keygen_result.out
    result = run("keygen -o new.key", out="")
    assert Key.from_file("new.key").id in result.err
    assert stat.S_IMODE(Path("new.key").stat().st_mode) == 0o600
    key_data = Path("new.key").read_bytes()
    run("keygen -o new.key", code=6)
    assert Path("new.key").read_bytes() == key_data
    run("keygen -o no/such/folder.key", code=1)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    run("keygen", says="hint: 'sudokucrypt keygen --default'")


@pytest.mark.parametrize(("mode", "has_warning"), [(0o644, True), (0o600, False)])
def test_keygen_warns_of_readable_files(
    run: Run, monkeypatch: pytest.MonkeyPatch, mode: int, has_warning: bool
) -> None:
    """A key that is redirected to a file which others may read causes a warning."""
    Path("loose.key").touch()
    Path("loose.key").chmod(mode)
    monkeypatch.setattr("os.fstat", lambda _: os.stat("loose.key"))
    assert ("warning" in run("keygen").err) == has_warning


def test_passphrases_from_everywhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A passphrase from a file, a descriptor, the environment or a prompt decrypts the same."""
    run("encrypt photo.png -o c.png", *_PASSPHRASE)
    descriptor = os.open("pw", os.O_RDONLY)
    run("decrypt c.png -o 1.png --passphrase-fd", str(descriptor))
    os.close(descriptor)
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "größe")
    run("decrypt c.png -o 2.png")
    run("decrypt c.png -o 3.png --passphrase")
    monkeypatch.delenv("SUDOKUCRYPT_PASSPHRASE")
    run("decrypt c.png -o 4.png --passphrase", code=2, says="terminal")
    prompts = []

    def prompt(text: str, **options: object) -> str:
        prompts.append((text, options["hide_input"]))
        return "typo" if len(prompts) == 3 else "größe"

    monkeypatch.setattr("click.prompt", prompt)
    run("decrypt c.png -o 5.png --passphrase", terminal=True)
    result = run("scramble photo.png -o d.png --passphrase", terminal=True)
    assert "warning: the two passphrases differ" in result.err
    run("key picture c.png --passphrase", terminal=True)
    new_prompts = [
        "passphrase",
        "the same passphrase again",
    ]  # asked for twice
    assert prompts == [
        (text, True) for text in ["passphrase", *new_prompts, *new_prompts, "passphrase"]
    ]
    run("unscramble d.png -o 6.png", *_PASSPHRASE)
    assert all(is_same("photo.png", f"{number}.png") for number in (1, 2, 3, 5, 6))


def test_the_passphrase_of_a_key_is_set_changed_and_removed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changing a passphrase keeps the key, its time and the user's comments, with mode 0600."""
    path, key = Path("own.key"), Key(bytes(range(32)))
    path.write_text("# of my camera\n" + Path("my.key").read_text("ascii"), "utf-8")
    path.chmod(0o644)
    Path("new").write_text("saffron kite 9 moons")
    Path("new").chmod(0o600)
    Path("link.key").symlink_to(path)
    old_text = [line for line in path.read_text("utf-8").splitlines() if line.startswith("# ")]
    changes = [
        (["--new-passphrase-file", "pw"], "größe"),
        (["--passphrase-file", "pw", "--new-passphrase-file", "new"], "saffron kite 9 moons"),
    ]
    for arguments, word in changes:
        result = run("key passphrase link.key", *arguments, out="")
        assert "'link.key' has a new passphrase; copies of it are unchanged" in result.err
        text = path.read_text("utf-8")
        assert unlock(text, Passphrase(word)) == key
        assert {*old_text} - {"# sudokucrypt key"} < {*text.splitlines()}
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    run("key passphrase own.key --remove", *_PASSPHRASE, code=3)
    run("key passphrase own.key --remove --passphrase-file new", says="has no passphrase any more")
    assert Key.from_file(path) == key
    assert {*old_text} == {line for line in path.read_text("utf-8").splitlines() if line[0] == "#"}
    assert Path("link.key").is_symlink()
    prompts: list[str] = []

    def prompt(text: str, **_options: object) -> str:
        prompts.append(text)
        return "words of mine"

    monkeypatch.setattr("click.prompt", prompt)
    run("key passphrase own.key", terminal=True)
    run("key passphrase own.key --remove", terminal=True)
    assert prompts == ["new passphrase", "the same new passphrase again", "passphrase"]


def test_a_key_is_never_lost_with_its_passphrase(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """If writing, checking or reading fails, the key file is unchanged."""

    def refuse(*_paths: object) -> None:
        raise OSError(28, "full")

    key_data = Path("my.key").read_bytes()
    passphrase_options = ("--new-passphrase-file", "pw")
    for arguments, code in (
        (["my.key", "--remove"], 2),
        (["my.key", "--remove", *passphrase_options], 2),
        (["my.key", *_PASSPHRASE, *passphrase_options], 2),
        (["my.key", "--new-passphrase-file", "missing"], 4),
        (["my.key"], 2),
        (["photo.png", *passphrase_options], 4),
        (["missing.key", *passphrase_options], 4),
    ):
        run("key passphrase", *arguments, code=code)
    with monkeypatch.context() as patch:
        patch.setattr("sudokucrypt.cli.keys.commands.unlock", lambda *_: Key(bytes(32)))
        run("key passphrase my.key", *passphrase_options, code=1)
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", refuse)
        run("key passphrase my.key", *passphrase_options, code=1)
    assert Path("my.key").read_bytes() == key_data


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {"XDG_CONFIG_HOME": "cfg"}, "cfg"),
        ("darwin", {"XDG_CONFIG_HOME": "cfg"}, "cfg"),
        ("linux", {}, ".config"),
        ("darwin", {}, "Library/Application Support"),
        ("win32", {"APPDATA": "roaming"}, "roaming"),
        ("win32", {}, "AppData/Roaming"),
    ],
)
def test_the_key_of_the_configuration(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    variables: dict[str, str],
    folder: str,
) -> None:
    """The default key is used if nothing names a key; it is neither encrypted nor replaced."""
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, str(Path(value).absolute()))
    monkeypatch.setattr(Path, "home", Path.cwd)
    run("encrypt photo.png -o a.png", code=2)
    path = Path(folder, "sudokucrypt", "key").absolute()
    monkeypatch.setattr("sudokucrypt.cli.keys.secret_options.sys.platform", platform)
    run("keygen --default", out="", says=f"is in '{path}'")
    file_modes = [stat.S_IMODE(checked_path.stat().st_mode) for checked_path in (path, path.parent)]
    assert file_modes == [0o600, 0o700]
    run("encrypt photo.png -o a.png -v", says=f"note: using the key file '{path}'")
    run("decrypt a.png -o b.png", err="")
    key_data = path.read_bytes()
    run("keygen --default", code=6, says=f"there is a default key already: '{path}' exists")
    run("encrypt photo.png -o", path, "--format", "png", "--force", code=6)
    run("encrypt", path.parent, "-r", "--all-files", "-o", "out", code=4)
    assert path.read_bytes() == key_data
    assert not Path("out").exists()


def test_a_default_key_goes_where_commands_look(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A variable can name the default key; any file, link or folder at its path is kept."""
    monkeypatch.setenv("SUDOKUCRYPT_KEY_FILE", "keys/mine")
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "größe")
    result = run("keygen --default")
    assert "warning: SUDOKUCRYPT_PASSPHRASE is set, and is used instead of it" in result.err
    assert Key.from_file("keys/mine").id in result.err
    monkeypatch.delenv("SUDOKUCRYPT_PASSPHRASE")
    run("encrypt photo.png -o a.png")
    run("decrypt a.png -o b.png --key keys/mine")
    Path("link").symlink_to("nowhere")
    for name in ("keys", "photo.png", "link"):
        monkeypatch.setenv("SUDOKUCRYPT_KEY_FILE", name)
        run("keygen --default", code=6)
    assert not Path("nowhere").exists()
    monkeypatch.setenv("SUDOKUCRYPT_KEY_FILE", "photo.png/key")
    run("keygen --default", code=1, says="cannot make the folder")
    for extra_options in (["-o", "x"], ["--words", "5"]):
        run("keygen --default", *extra_options, code=2)
    monkeypatch.delenv("SUDOKUCRYPT_KEY_FILE")
    monkeypatch.setenv("XDG_CONFIG_HOME", "here")  # a relative path is ignored
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    assert run("keygen --default --identity").out.startswith("age1")
    assert Path("home/.config/sudokucrypt/key").exists()
    assert not Path("here").exists()

    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", no_home)
    run("keygen --default", code=1, says="there is no home folder")
    run("encrypt photo.png", code=2)


def test_passphrases_of_words(run: Run) -> None:
    """`keygen --words` draws random words of the list, and prints their number of bits."""
    passphrases = {run("keygen --words 6").out for _ in range(5)}
    assert len(passphrases) == 5
    word_list = set(list_words())
    assert len(word_list) == 1296
    assert all({*text.split()} <= word_list and len(text.split()) == 6 for text in passphrases)
    run(
        "keygen --words 4 -o words",
        err="sudokucrypt: note: 4 words in 'words', each one of 1,296: 41 bits\n",
    )
    assert stat.S_IMODE(Path("words").stat().st_mode) == 0o600
    result = run("encrypt photo.png -o c.png --passphrase-file words")
    assert "warning" not in result.err
    run("keygen --words 6 --passphrase", code=2)
    run("keygen --words 3", code=2)
    assert len(load_common_words()) == 10_000


@pytest.mark.slow
def test_secrets_are_never_shown(run: Run) -> None:
    """Neither messages nor tracebacks of --debug contain a key or passphrase."""
    text = Key(bytes(range(32))).to_text()
    Path("long").write_bytes(b"correct horse battery staple")
    run("encrypt photo.png -o c.png --passphrase-file long")
    Path("typo.key").write_text(text[:-1] + ("Q" if text[-1] != "Q" else "P"), encoding="ascii")
    words = "another secret phrase"
    for key in ([], ["--key", "typo.key"], ["--key", text]):
        for debug in ([], ["--debug"]):
            command = ("-m", "sudokucrypt", *debug, "decrypt", "c.png", *key)
            result = run_python(*command, code=None, SUDOKUCRYPT_PASSPHRASE=words)
            assert result.returncode != 0
            assert ("Traceback" in result.stderr) == (
                bool(debug) and "the command line" not in result.stderr
            )
            for secret_text in ("another secret", "battery", text[20:-5]):
                assert secret_text not in result.stdout + result.stderr
