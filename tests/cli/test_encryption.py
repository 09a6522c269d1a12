"""encrypt, decrypt, rekey, key show and passphrases on the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sudokucrypt import Key
from sudokucrypt.images import read_picture
from tests.cli.conftest import PICTURES

if TYPE_CHECKING:
    from tests.cli.conftest import Run


def same(first: str | Path, second: str | Path) -> bool:
    one, two = (read_picture(Path(name)).pixels for name in (first, second))
    return np.array_equal(one, two)


@pytest.mark.parametrize("picture", ["camera.png", "astronaut.png", "chelsea.jpg"])
@pytest.mark.parametrize("options", [[], ["--rounds", "1"], ["--deterministic"], ["--sidecar"]])
def test_round_trip(run: Run, picture: str, options: list[str]) -> None:
    """encrypt, then decrypt, gives back the samples."""
    source = PICTURES / picture
    assert run("encrypt", source, "-o", "c.png", "--key", "my.key", *options).code == 0
    assert not same("c.png", source)
    assert run("decrypt", "c.png", "-o", "p.png", "--key", "my.key").code == 0
    assert same("p.png", source)


def test_default_names_and_info(run: Run) -> None:
    """Without -o the output stands beside the input; info names the scheme."""
    assert "photo.encrypted.png" in run("encrypt", "photo.png", "--key", "my.key").err
    assert "encrypt-v1" in run("info", "photo.encrypted.png").out
    assert "photo.decrypted.png" in run("decrypt", "photo.encrypted.png", "--key", "my.key").err


def test_wrong_keys_and_changes_give_code_3(run: Run) -> None:
    """A wrong key, a wrong passphrase and a key of the wrong kind: code 3, what, and no output."""
    Key.generate().to_file("other.key")
    Path("pw").write_bytes(b"open")
    Path("no").write_bytes(b"closed")
    run("encrypt", "photo.png", "-o", "k.png", "--key", "my.key")
    run("encrypt", "photo.png", "-o", "p.png", "--passphrase-file", "pw")
    needed, mine = Key.from_file("my.key").id, Key.from_file("other.key").id
    for arguments, message in (
        (("k.png", "--key", "other.key"),
         f"wrong key: the picture needs key {needed}, and this is key {mine}"),
        (("k.png", "--passphrase-file", "pw"),
         "wrong key: the picture needs a key file, not a passphrase"),
        (("p.png", "--passphrase-file", "no"), "wrong passphrase, or the header was changed"),
        (("p.png", "--key", "my.key"),
         f"wrong key: the picture needs a passphrase, and this is key {needed}"),
    ):  # fmt: skip
        done = run("decrypt", *arguments, "-o", "out.png")
        assert (done.code, Path("out.png").exists()) == (3, False)
        assert done.err.startswith(f"sudokucrypt: error: {message}\n")


def test_passphrases_from_everywhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, a descriptor, the environment and the prompt give the same passphrase."""
    Path("pw").write_bytes("größe\n".encode())
    run("encrypt", "photo.png", "-o", "c.png", "--passphrase-file", "pw")
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
        asked.append((text, options["confirmation_prompt"], options["hide_input"]))
        return "größe"

    monkeypatch.setattr("click.prompt", prompt)
    assert run("decrypt", "c.png", "-o", "5.png", "--passphrase", terminal=True).code == 0
    assert run("encrypt", "photo.png", "-o", "d.png", "--passphrase", terminal=True).code == 0
    assert asked == [("passphrase", False, True), ("passphrase", True, True)]
    assert all(same("photo.png", f"{number}.png") for number in (1, 2, 3, 5))


def test_scramble_takes_passphrases_too(run: Run) -> None:
    """scramble and unscramble have the same key options."""
    Path("pw").write_bytes(b"open")
    run("scramble", "photo.png", "-o", "s.png", "--passphrase-file", "pw", "--unit", "block")
    assert run("unscramble", "s.png", "-o", "r.png", "--passphrase-file", "pw").code == 0
    assert same("photo.png", "r.png")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--passphrase-file", "pw", "--passphrase"],
        ["--passphrase-file", "pw", "--passphrase-fd", "0"],
        ["--key", "my.key", "--passphrase-file", "pw"],
        ["--passphrase-file", "pw", "--deterministic"],
        [],
    ],
)
def test_contradictions_are_wrong_usage(run: Run, arguments: list[str]) -> None:
    """Two passphrases, a passphrase for an open key, or nothing at all: code 2."""
    Path("pw").write_bytes(b"open")
    done = run("encrypt", "photo.png", "-o", "c.png", *arguments)
    assert (done.code, Path("c.png").exists()) == (2, False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--passphrase-file", "missing"],
        ["--passphrase-file", "empty"],
        ["--passphrase-file", "."],
        ["--passphrase-fd", "987"],
    ],
)
def test_passphrases_that_cannot_be_read(run: Run, arguments: list[str]) -> None:
    """A passphrase that is missing or empty gives code 4."""
    Path("empty").touch()
    assert run("encrypt", "photo.png", "-o", "c.png", *arguments).code == 4


def test_locked_keys(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """keygen --passphrase locks the key; commands open it with the passphrase."""
    Path("pw").write_bytes(b"open")
    assert run("keygen", "-o", "locked.key", "--passphrase-file", "pw").code == 0
    assert "LOCKED" in Path("locked.key").read_text(encoding="ascii")
    done = run(
        "encrypt", "photo.png", "-o", "c.png", "--key", "locked.key", "--passphrase-file", "pw"
    )
    assert done.code == 0
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "open")
    assert run("decrypt", "c.png", "-o", "p.png", "--key", "locked.key").code == 0
    shown = run("key", "show", "locked.key").out
    assert (
        run("key", "show", "-", "--id", stdin=shown.encode()).out.strip() == Key.from_text(shown).id
    )
    monkeypatch.setenv("SUDOKUCRYPT_PASSPHRASE", "wrong")
    assert run("decrypt", "c.png", "-o", "q.png", "--key", "locked.key").code == 3
    monkeypatch.delenv("SUDOKUCRYPT_PASSPHRASE")
    assert run("decrypt", "c.png", "-o", "q.png", "--key", "locked.key").code == 2


def test_key_show(run: Run) -> None:
    """key show prints the id or the text of a good key, and refuses anything else."""
    key = Key(bytes(range(32)))
    assert run("key", "show", "my.key", "--id").out == f"{key.id}\n"
    assert run("key", "show", "my.key").out == f"{key.to_text()}\n"
    assert run("key", "show", "photo.png").code == 4
    assert run("key", "show", key.to_text()).code == 2


@pytest.mark.parametrize(
    "protect",
    [
        ["encrypt", "photo.png"],
        ["encrypt", "photo.png", "--deterministic", "--rounds", "5"],
        ["scramble", "photo.png", "--unit", "block", "--block-size", "5", "--sidecar"],
    ],
)
def test_rekey(run: Run, protect: list[str]) -> None:
    """rekey keeps scheme and options, and only the new key opens the result."""
    Key.generate().to_file("new.key")
    run(*protect, "-o", "old.png", "--key", "my.key")
    done = run("rekey", "old.png", "-o", "new.png", "--key", "my.key", "--new-key", "new.key")
    assert done.code == 0
    back = "decrypt" if protect[0] == "encrypt" else "unscramble"
    assert run(back, "new.png", "-o", "x.png", "--key", "my.key").code == 3
    assert run(back, "new.png", "-o", "y.png", "--key", "new.key").code == 0
    assert same("photo.png", "y.png")
    kept = ("scheme", "unit", "rounds")
    old, new = (run("info", name).out.splitlines() for name in ("old.png", "new.png"))
    assert [line for line in old if line.startswith(kept)] == [
        line for line in new if line.startswith(kept)
    ]
    assert Path("new.png.sudokucrypt.json").exists() == ("--sidecar" in protect)


def test_rekey_refuses_what_it_cannot_check(run: Run) -> None:
    """A picture under a context has no tag, so a wrong key would go unnoticed."""
    run("scramble", "photo.png", "-o", "c.png", "--key", "my.key", "--context", "x")
    done = run("rekey", "c.png", "-o", "d.png", "--key", "my.key", "--new-key", "my.key")
    assert (done.code, Path("d.png").exists()) == (2, False)


def test_secrets_are_never_shown(run: Run, tmp_path: Path) -> None:
    """Neither messages nor the traceback of --debug repeat a key or passphrase."""
    text = Key(bytes(range(32))).to_text()
    Path("pw").write_bytes(b"correct horse battery staple")
    run("encrypt", "photo.png", "-o", "c.png", "--passphrase-file", "pw")
    Path("typo.key").write_text(text[:-1] + ("Q" if text[-1] != "Q" else "P"), encoding="ascii")
    environment = {**os.environ, "SUDOKUCRYPT_PASSPHRASE": "another secret phrase"}
    for arguments in (
        ["decrypt", "c.png", "-o", "x.png"],
        ["decrypt", "c.png", "-o", "x.png", "--key", "typo.key"],
        ["decrypt", "c.png", "-o", "x.png", "--key", text],
    ):
        for debug in ([], ["--debug"]):
            command = [sys.executable, "-m", "sudokucrypt", *debug, *arguments]
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode != 0
            for secret_text in ("another secret", "battery", text[20:-5]):
                assert secret_text not in done.stdout + done.stderr
