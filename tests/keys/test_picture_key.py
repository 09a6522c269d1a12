"""The key of one picture: its text, its kind, and that it comes from one salt alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidKeyError,
    Key,
    Passphrase,
    PictureKey,
    encrypt,
    scramble,
)
from sudokucrypt.keys import bech32, lock, read_key

SECRETS = st.binary(min_size=32, max_size=32)
KEY = Key(bytes(range(32)))
IMAGE = np.arange(60, dtype=np.uint8).reshape(6, 10)


def test_each_kind_says_what_it_is(tmp_path: Path) -> None:
    """A key of the other kind is refused with a message that says which is needed."""
    picture = PictureKey(bytes(32)).to_text()
    with pytest.raises(InvalidKeyError, match="the key of one picture, which restores that pict"):
        Key.from_text(picture)
    with pytest.raises(InvalidKeyError, match="a key starts with SUDOKUCRYPT-PICTURE-KEY-1"):
        PictureKey.from_text(KEY.to_text())
    for text in (bech32.encode("other-", bytes(32)), bech32.encode("sudokucrypt-", bytes(32))):
        with pytest.raises(InvalidKeyError, match="a key starts with SUDOKUCRYPT-KEY-1"):
            read_key(text)
    path = tmp_path / "shared.key"
    path.write_text(picture, encoding="ascii")
    assert PictureKey.from_file(path) == PictureKey(bytes(32))
    with pytest.raises(InvalidKeyError, match=r"shared.key' is not a .*the key of one picture"):
        Key.from_file(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{KEY.to_text()}\n{KEY.to_text()}",
        bech32.encode("sudokucrypt-picture-key-", bytes(31)),
        bech32.encode("sudokucrypt-picture-key-", bytes(33)),
        PictureKey(bytes(32)).to_text().replace("PICTURE", "picture"),
    ],
)
def test_other_text_is_refused(text: str) -> None:
    """Nothing, two keys, another length and mixed case are no key of any kind."""
    for read in (Key.from_text, PictureKey.from_text, read_key):
        with pytest.raises(InvalidKeyError, match=r"^(not a|a damaged) sudokucrypt key: "):
            read(text)


def test_a_locked_key_is_not_read_without_its_passphrase() -> None:
    """The message names the passphrase that is missing."""
    with pytest.raises(InvalidKeyError, match="locked with a passphrase"):
        read_key(lock(KEY, Passphrase("open")))


def test_equal_secrets_of_two_kinds_have_nothing_in_common() -> None:
    """They are not equal, and share neither subkeys nor texts."""
    key, picture = Key(bytes(32)), PictureKey(bytes(32))
    assert key != picture
    assert len({key, picture}) == 2
    for use in ("tag", "seal", "permutation", "id", "salt"):
        for context in (None, b"", b"x"):
            assert key.subkey(use, context) != picture.subkey(use, context)


def test_the_secret_stays_inside() -> None:
    """It has no id, and shows nothing."""
    picture = PictureKey(bytes(range(32)))
    assert repr(picture) == str(picture) == "<PictureKey>"
    assert not hasattr(picture, "id")


def test_it_is_never_locked() -> None:
    """Only master keys are locked with a passphrase."""
    with pytest.raises(InvalidKeyError, match="is not locked"):
        lock(PictureKey(bytes(32)), Passphrase("open"))  # type: ignore[arg-type]


@pytest.mark.parametrize("protect", [encrypt, scramble])
def test_it_comes_from_the_salt_alone(protect: object) -> None:
    """`for_picture` derives it from master key and salt, and from nothing else of the picture."""
    header = protect(IMAGE, KEY).header  # type: ignore[operator]
    picture = KEY.for_picture(header)
    assert picture == KEY.picture_key(header.salt)
    assert picture.verifies(header)
    assert picture != Key(bytes(32)).picture_key(header.salt)
    assert picture != KEY.picture_key(bytes(16))


def test_only_a_header_that_is_authentic_has_one() -> None:
    """Another key, a changed header, and one without salt or seal give no key."""
    header = encrypt(IMAGE, KEY).header
    for wrong in (
        replace(header, rounds=header.rounds + 1),
        replace(header, header_mac=bytes(32)),
        replace(header, tag=bytes(32)),
        replace(header, salt=bytes(16)),
    ):
        with pytest.raises(DecryptionError):
            KEY.for_picture(wrong)
        assert not KEY.for_picture(header).verifies(wrong)
    with pytest.raises(DecryptionError):
        Key(bytes(32)).for_picture(header)
    with pytest.raises(FormatError, match="no key of its own"):
        KEY.for_picture(scramble(IMAGE, KEY, context="x").header)
    with pytest.raises(FormatError, match="no key of its own"):
        KEY.for_picture(replace(header, header_mac=None))
    assert not KEY.for_picture(header).verifies(replace(header, header_mac=None))
