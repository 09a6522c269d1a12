"""Passphrases, derivations with their limits, and locked key files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    KeyDerivation,
    Passphrase,
    UnsupportedError,
)
from sudokucrypt.keys import is_locked, lock, unlock

if TYPE_CHECKING:
    from pathlib import Path

SALT = "00" * 16


def test_derivations_use_argon2id_and_scrypt() -> None:
    """scrypt gives what hashlib gives; each parameter of Argon2id has its part in the key.

    tests/reference holds an Argon2id of its own, and tests/vectors compare the two.
    """
    import hashlib

    derivation = KeyDerivation.from_text(f"scrypt:m=16,t=1,p=2:{SALT}")
    expected = hashlib.scrypt(b"pw", salt=bytes(16), n=16, r=8, p=2, dklen=32)
    assert derivation.derive(Passphrase("pw")).to_bytes() == expected
    first = KeyDerivation.from_text(f"argon2id:m=64,t=1,p=1:{SALT}").derive(Passphrase("pw"))
    for other in ("m=64,t=2,p=1", "m=128,t=1,p=1", "m=64,t=1,p=2"):
        assert KeyDerivation.from_text(f"argon2id:{other}:{SALT}").derive(Passphrase("pw")) != first


@pytest.mark.parametrize("profile", ["default", "strong"])
def test_profiles_round_trip(profile: str) -> None:
    """A profile's text parses to itself; salts are new each time."""
    one, two = KeyDerivation.new(profile), KeyDerivation.new(profile)
    assert KeyDerivation.from_text(one.to_text()) == one
    assert one.salt != two.salt
    with pytest.raises(InvalidParameterError):
        KeyDerivation.new("weak")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "argon2id",
        f"argon2i:m=64,t=1,p=1:{SALT}",
        f"argon2id:m=064,t=1,p=1:{SALT}",
        f"argon2id:m=64,t=0,p=1:{SALT}",
        f"argon2id:m=64,t=1:{SALT}",
        f"argon2id:m=64,t=1,p=1:{SALT}00",
        f"argon2id:m=64,t=1,p=1:{SALT[:-1]}",
        f"argon2id:m=64,t=1,p=1:{'AA' * 16}",
        f"argon2id:m=64,t=1,p=1:{SALT}\n",
        f"argon2id:m=\u0666\u0664,t=1,p=1:{SALT}",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    """Only the documented form is read."""
    with pytest.raises(FormatError):
        KeyDerivation.from_text(text)


@pytest.mark.parametrize(
    "cost",
    [
        "argon2id:m=1048577,t=1,p=1",
        "argon2id:m=9999999999,t=1,p=1",
        "argon2id:m=64,t=65,p=1",
        "argon2id:m=1024,t=1,p=65",
        "argon2id:m=15,t=1,p=2",
        "scrypt:m=2097152,t=1,p=1",
        "scrypt:m=48,t=1,p=1",
        "scrypt:m=1,t=1,p=1",
        "scrypt:m=16,t=2,p=1",
        "scrypt:m=16,t=1,p=65",
    ],
)
def test_costs_are_capped(cost: str) -> None:
    """More than 1 GiB, 64 passes or 64 lanes, and impossible numbers, are refused unread."""
    with pytest.raises(UnsupportedError):
        KeyDerivation.from_text(f"{cost}:{SALT}")


def test_passphrases_are_read_and_hidden(tmp_path: Path) -> None:
    """One line end does not count, spaces do; nothing is shown."""
    path = tmp_path / "pw"
    for content in (b"se cret", b"se cret\n", b"se cret\r\n", b"\xef\xbb\xbfse cret\n"):
        path.write_bytes(content)
        assert Passphrase.from_file(path).to_bytes() == b"se cret"
    path.write_bytes(b"se cret \n\n")
    assert Passphrase.from_file(path).to_bytes() == b"se cret \n"
    assert "cret" not in repr(Passphrase("se cret"))
    for content in (b"", b"\n", b"\xff", b"x" * 70_000):
        path.write_bytes(content)
        with pytest.raises(InvalidKeyError):
            Passphrase.from_file(path)
    with pytest.raises(InvalidKeyError):
        Passphrase.from_file(tmp_path)
    with pytest.raises(InvalidKeyError):
        Passphrase("\ud800")


def test_locked_key_files() -> None:
    """The right passphrase opens the file, another does not, and any change is detected."""
    key = Key(bytes(range(32)))
    text = lock(key, Passphrase("open"))
    assert is_locked(text)
    assert not is_locked(key.to_file_text())
    assert key.to_text() not in text
    assert key.id in text
    assert unlock(text, Passphrase("open")) == key
    with pytest.raises(DecryptionError):
        unlock(text, Passphrase("closed"))
    with pytest.raises(DecryptionError):
        unlock(text.replace("t=3", "t=2"), Passphrase("open"))
    with pytest.raises(InvalidKeyError):
        unlock(text[:-3] + "QQ\n", Passphrase("open"))
    with pytest.raises(InvalidKeyError):
        unlock(key.to_file_text(), Passphrase("open"))
    with pytest.raises(InvalidKeyError):
        Key.from_text(text)
