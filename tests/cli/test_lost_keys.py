"""What commands say where the key to restore something is missing or mistyped."""

from pathlib import Path

import pytest

from sudokucrypt import Key
from tests.cli.conftest import KEY, Run

ID = Key(bytes(range(32))).id


@pytest.fixture
def protected(run: Run) -> None:
    """A picture for each kind of key."""
    Path("pw").write_text("lend trace april dove gulf iron\n")
    Path("pw").chmod(0o600)
    assert run("encrypt", "photo.png", "-o", "by-key.png", *KEY).code == 0
    assert run("encrypt", "photo.png", "-o", "by-words.png", "--passphrase-file", "pw").code == 0
    recipient = run("keygen", "--identity", "-o", "me.txt").out.strip()
    assert run("encrypt", "photo.png", "-o", "both.png", "--to", recipient, *KEY).code == 0


@pytest.mark.usefixtures("protected")
@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("by-key.png", f"'by-key.png' needs key {ID}"),
        ("by-words.png", "'by-words.png' needs its passphrase"),
        ("both.png", f"'both.png' needs key {ID}, or the identity of one of its recipients"),
        ("photo.png", "no key: what is to be restored needs the key that protected it"),
        (".", "no key: what is to be restored needs the key that protected it"),
    ],
)
def test_restoring_names_the_key(run: Run, name: str, needed: str) -> None:
    """It names the key that a picture needs, and where to look; it never advises to make one."""
    for command in ("decrypt", "rekey", "unscramble"):
        done = run(command, name, "-o", "out/", *(["--new-key", "my.key"] * (command == "rekey")))
        assert done.code == 2
        assert f"error: {needed}\n" in done.err
        assert "look for its file, its card or its passphrase" in done.err
        assert "keygen" not in done.err


@pytest.mark.usefixtures("protected")
def test_a_wrong_key_file_is_no_reason_to_make_one(run: Run) -> None:
    """A file without a key is followed by advice to make one only where one would help."""
    Path("empty.key").write_text("nothing\n")
    assert "keygen" in run("encrypt", "photo.png", "--key", "empty.key").err
    done = run("decrypt", "by-key.png", "-o", "out.png", "--key", "empty.key")
    assert done.code == 4
    assert "keygen" not in done.err
    assert "a new key does not restore it" in done.err


@pytest.mark.usefixtures("protected")
def test_mistyped_keys(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file or variable with letters that look alike works; a wrong letter is located."""
    lines = Path("my.key").read_text().splitlines()
    text = lines[-1]
    typed = text[:17] + text[17:].replace("0", "O").replace("L", "i")
    Path("typed.key").write_text("\n".join([*lines[:-1], typed]))
    Path("typed.key").chmod(0o600)
    done = run("decrypt", "by-key.png", "-o", "out.png", "--key", "typed.key")
    assert (done.code, done.err) == (0, "")
    wrong = text[:40] + ("Q" if text[40] != "Q" else "P") + text[41:]
    Path("typed.key").write_text("\n".join([*lines[:-1], wrong]))
    place = f"character 41 of line {len(lines)} is wrong"
    done = run("decrypt", "by-key.png", "-o", "again.png", "--key", "typed.key")
    assert (done.code, f"'typed.key' is a damaged sudokucrypt key: {place}" in done.err) == (
        4,
        True,
    )
    monkeypatch.setenv("SUDOKUCRYPT_KEY", wrong)
    done = run("decrypt", "by-key.png", "-o", "again.png")
    assert "SUDOKUCRYPT_KEY is a damaged sudokucrypt key: character 41 of line 1" in done.err
    monkeypatch.setenv("SUDOKUCRYPT_KEY", typed)
    assert run("decrypt", "by-key.png", "-o", "again.png").code == 0


def test_recipients_that_are_none(run: Run) -> None:
    """Keys of SSH, files and bad lines of a list are named as what they are."""
    ssh = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGw0Iq7Zx0cQ9mA0Yy8mC1t6l2Cw9o2v3p4q5r6s7t8u a@b"
    Path("id.pub").write_text(f"{ssh}\n")
    Path("id").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END\n")
    Path("id").chmod(0o600)
    done = run("encrypt", "photo.png", "--to", ssh)
    assert (done.code, "SSH keys are not taken as recipients" in done.err) == (4, True)
    assert "--to takes a recipient; for the file 'id.pub' use --to-file" in (
        run("encrypt", "photo.png", "--to", "id.pub").err
    )
    done = run("encrypt", "photo.png", "--to-file", "id.pub")
    assert "'id.pub', line 1: SSH keys are not taken as recipients" in done.err
    for name in ("id", "id.pub"):
        for option in ("--identity", "--key"):
            done = run("decrypt", "photo.png", option, name)
            assert f"'{name}' is not a sudokucrypt key: SSH and PEM keys are not taken" in done.err
            assert "identity of age" in done.err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_lists_of_other_systems(run: Run, encoding: str) -> None:
    """Recipients with comments are read as shells of any system write them."""
    recipient = run("keygen", "--identity", "-o", "me.txt").out.strip()
    Path("team.txt").write_bytes(f"# team\r\n{recipient} # Ann\r\n".encode(encoding))
    done = run("encrypt", "photo.png", "-o", "out.png", "--to-file", "team.txt")
    assert done.code == 0
    assert run("decrypt", "out.png", "-o", "back.png", "-i", "me.txt").code == 0
    assert Path("back.png").read_bytes() == Path("photo.png").read_bytes()


def test_keys_of_other_systems(run: Run) -> None:
    """A key is read with a mark of UTF-8; of UTF-16, which no key has, the way out is named."""
    text = Path("my.key").read_text()
    Path("my.key").write_bytes(text.encode("utf-8-sig"))
    assert run("key", "show", "my.key", "--id").out.strip() == ID
    Path("my.key").write_bytes(text.encode("utf-16"))
    done = run("key", "show", "my.key", "--id")
    assert done.code != 0
    assert "it is UTF-16 text" in done.err
    assert "hint: save the file as UTF-8" in done.err
