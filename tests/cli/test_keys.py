"""keygen, key show, rekey, and where keys and passphrases come from."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sudokucrypt import Key
from tests.cli.conftest import KEY, Run, same

_PASSPHRASE = ("--passphrase-file", "pw")


@pytest.fixture(autouse=True)
def _files(run: Run) -> None:
    """A passphrase and another key."""
    del run  # has made the folder
    Path("pw").write_bytes("größe\n".encode())
    Path("pw").chmod(0o600)
    Key(bytes(32)).to_file("other.key")


def test_keygen(run: Run) -> None:
    """keygen prints a key file, or writes a private one and never replaces it."""
    printed = run("keygen")
    key = Key.from_text(printed.out)
    assert f"# key id: {key.id}" in printed.out
    done = run("keygen", "-o", "new.key")
    assert (done.code, done.out) == (0, "")
    assert Key.from_file("new.key").id in done.err
    assert stat.S_IMODE(Path("new.key").stat().st_mode) == 0o600
    before = Path("new.key").read_bytes()
    assert run("keygen", "-o", "new.key").code == 6
    assert Path("new.key").read_bytes() == before
    assert run("keygen", "-o", "no/such/folder.key").code == 1


@pytest.mark.parametrize(("mode", "warned"), [(0o644, True), (0o600, False)])
def test_keygen_warns_of_readable_files(
    run: Run, monkeypatch: pytest.MonkeyPatch, mode: int, warned: bool
) -> None:
    """Redirecting a key into a file that others may read gives a warning."""
    Path("loose.key").touch()
    Path("loose.key").chmod(mode)
    monkeypatch.setattr("os.fstat", lambda _: os.stat("loose.key"))
    assert ("warning" in run("keygen").err) == warned


def test_where_the_key_comes_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is read from a file, from stdin, or from the environment."""
    text = Path("my.key").read_bytes()
    run("scramble", "photo.png", "-o", "s.png", *KEY)
    assert run("unscramble", "s.png", "-o", "1.png", "--key", "-", stdin=text).code == 0
    monkeypatch.setenv("SUDOKUCRYPT_KEY", Key(bytes(range(32))).to_text())
    assert run("unscramble", "s.png", "-o", "2.png").code == 0
    monkeypatch.setenv("SUDOKUCRYPT_KEY", Key(bytes(32)).to_text())
    assert run("unscramble", "s.png", "-o", "3.png", *KEY).code == 0
    assert run("unscramble", "s.png", "-o", "4.png").code == 3


def test_passphrases_from_everywhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, a descriptor, the environment and the prompt give the same passphrase."""
    run("encrypt", "photo.png", "-o", "c.png", *_PASSPHRASE)
    descriptor = os.open("pw", os.O_RDONLY)
    assert run("decrypt", "c.png", "-o", "1.png", "--passphrase-fd", str(descriptor)).code == 0
    os.close(descriptor)
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "größe")
    assert run("decrypt", "c.png", "-o", "2.png").code == 0
    assert run("decrypt", "c.png", "-o", "3.png", "--passphrase").code == 0
    monkeypatch.delenv("SUDOKUCRYPT_PASSPHRASE")
    done = run("decrypt", "c.png", "-o", "4.png", "--passphrase")
    assert done.code == 2
    assert "terminal" in done.err
    asked = []

    def prompt(text: str, **options: object) -> str:
        asked.append((text, options["hide_input"]))
        return "typo" if len(asked) == 3 else "größe"

    monkeypatch.setattr("click.prompt", prompt)
    assert run("decrypt", "c.png", "-o", "5.png", "--passphrase", terminal=True).code == 0
    done = run("scramble", "photo.png", "-o", "d.png", "--passphrase", terminal=True)
    assert (done.code, "warning: the two passphrases differ" in done.err) == (0, True)
    assert run("key", "picture", "c.png", "--passphrase", terminal=True).code == 0
    twice = ["passphrase", "the same passphrase again"]  # only what protects something new
    assert asked == [(text, True) for text in ["passphrase", *twice, *twice, "passphrase"]]
    assert run("unscramble", "d.png", "-o", "6.png", *_PASSPHRASE).code == 0
    assert all(same("photo.png", f"{number}.png") for number in (1, 2, 3, 5, 6))


def test_locked_keys(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """keygen --passphrase locks the key; commands open it with the passphrase."""
    assert run("keygen", "-o", "locked.key", *_PASSPHRASE).code == 0
    assert "LOCKED" in Path("locked.key").read_text(encoding="ascii")
    locked = ("--key", "locked.key")
    assert run("encrypt", "photo.png", "-o", "c.png", *locked, *_PASSPHRASE).code == 0
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "größe")
    assert run("decrypt", "c.png", "-o", "p.png", *locked).code == 0
    shown = run("key", "show", "locked.key").out
    done = run("key", "show", "-", "--id", stdin=shown.encode())
    assert done.out == f"{Key.from_text(shown).id}\n"
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "wrong")
    assert run("decrypt", "c.png", "-o", "q.png", *locked).code == 3
    monkeypatch.delenv("SUDOKUCRYPT_PASSPHRASE")
    assert run("decrypt", "c.png", "-o", "q.png", *locked).code == 2


def test_key_show(run: Run) -> None:
    """key show prints the id or the text of a good key, and refuses anything else."""
    key = Key(bytes(range(32)))
    assert run("key", "show", "my.key", "--id").out == f"{key.id}\n"
    assert run("key", "show", "my.key").out == f"{key.to_text()}\n"
    assert run("key", "show", "photo.png").code == 4


@pytest.mark.parametrize(
    "protect",
    [
        ["encrypt", "photo.png", "--deterministic", "--rounds", "5"],
        ["scramble", "photo.png", "--unit", "block", "--block-size", "5", "--sidecar"],
    ],
)
def test_rekey(run: Run, protect: list[str]) -> None:
    """rekey keeps scheme and options, and only the new key opens the result."""
    run(*protect, "-o", "old.png", *KEY)
    assert run("rekey", "old.png", "-o", "new.png", *KEY, "--new-key", "other.key").code == 0
    back = "decrypt" if protect[0] == "encrypt" else "unscramble"
    assert run(back, "new.png", "-o", "x.png", *KEY).code == 3
    assert run(back, "new.png", "-o", "y.png", "--key", "other.key").code == 0
    assert same("photo.png", "y.png")
    kept = ("scheme", "unit", "rounds")
    old, new = (
        [line for line in run("info", name).out.splitlines() if line.startswith(kept)]
        for name in ("old.png", "new.png")
    )
    assert old == new
    assert Path("new.png.sudokucrypt.json").exists() == ("--sidecar" in protect)


def test_rekey_refuses_what_it_cannot_check(run: Run) -> None:
    """A picture under a context has no tag, so a wrong key would go unnoticed."""
    run("scramble", "photo.png", "-o", "c.png", *KEY, "--context", "x")
    done = run("rekey", "c.png", "-o", "d.png", *KEY, "--new-key", "my.key")
    assert (done.code, Path("d.png").exists()) == (2, False)


@pytest.mark.slow
def test_secrets_are_never_shown(run: Run) -> None:
    """Neither messages nor the traceback of --debug repeat a key or passphrase."""
    text = Key(bytes(range(32))).to_text()
    Path("long").write_bytes(b"correct horse battery staple")
    run("encrypt", "photo.png", "-o", "c.png", "--passphrase-file", "long")
    Path("typo.key").write_text(text[:-1] + ("Q" if text[-1] != "Q" else "P"), encoding="ascii")
    environment = {**os.environ, "SUDOKUCRYPT_PASSPHRASE": "another secret phrase"}
    for key in ([], ["--key", "typo.key"], ["--key", text]):
        for debug in ([], ["--debug"]):
            command = [sys.executable, "-m", "sudokucrypt", *debug, "decrypt", "c.png", *key]
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode != 0
            assert ("Traceback" in done.stderr) == (
                bool(debug) and "the command line" not in done.stderr
            )
            for secret_text in ("another secret", "battery", text[20:-5]):
                assert secret_text not in done.stdout + done.stderr
