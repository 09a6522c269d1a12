"""Keys: text, files, ids, subkeys, and that the secret stays inside."""

import copy
import pickle
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    OutputExistsError,
    Passphrase,
    PictureKey,
    decrypt,
    encrypt,
    scramble,
)
from sudokucrypt.keys import lock, read_key
from sudokucrypt.keys.texts import encode_bech32

SECRETS = st.binary(min_size=32, max_size=32)
KEY = Key(bytes(range(32)))
IMAGE = np.arange(60, dtype=np.uint8).reshape(6, 10)
KINDS = pytest.mark.parametrize(("kind", "length"), [(Key, 75), (PictureKey, 83)])


@KINDS
@given(secret=SECRETS)
def test_text_round_trips(kind: type[Key | PictureKey], length: int, secret: bytes) -> None:
    """from_text(to_text) is the key, in upper and lower case, alone or among comments."""
    key = kind(secret)
    text = key.to_text()
    assert len(text) == length
    assert text.startswith(f"SUDOKUCRYPT-{'PICTURE-' * (kind is PictureKey)}KEY-1")
    for written in (text, text.lower(), f"# of somebody\n\n{text}\n"):
        assert kind.from_text(written) == read_key(written) == key
    if isinstance(key, Key):
        assert Key.from_text(key.to_file_text()) == key


@KINDS
@given(secret=SECRETS, data=st.data())
def test_a_typing_error_is_found(
    kind: type[Key | PictureKey], length: int, secret: bytes, data: st.DataObject
) -> None:
    """Any one changed character makes the text invalid, and the message does not repeat it."""
    text = kind(secret).to_text()
    position = data.draw(st.integers(0, length - 1))
    symbol = data.draw(st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"))
    changed = text[:position] + symbol + text[position + 1 :]
    if changed != text:
        for read in (kind.from_text, read_key):
            with pytest.raises(InvalidKeyError) as caught:
                read(changed)
            assert changed not in str(caught.value)


@pytest.mark.parametrize("kind", [Key, PictureKey])
@pytest.mark.parametrize("secret", [b"", bytes(31), bytes(33), "0" * 32, None])
def test_a_key_is_32_bytes(kind: type[Key], secret: bytes) -> None:
    """Anything but 32 bytes is refused."""
    with pytest.raises(InvalidKeyError):
        kind(secret)


def test_key_files(tmp_path: Path) -> None:
    """A key file is private, is never replaced, and gives the key back."""
    key, path = Key.generate(), tmp_path / "my.key"
    key.to_file(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Key.from_file(path) == key
    before = path.read_bytes()
    with pytest.raises(OutputExistsError):
        Key.generate().to_file(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x" * 100_000])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    """A file that holds no key is an InvalidKeyError that names the file."""
    path = tmp_path / "bad.key"
    path.write_bytes(content)
    for location in (path, tmp_path, tmp_path / "missing"):
        with pytest.raises(InvalidKeyError, match=f"'{location}'"):
            Key.from_file(location)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("my.key", "not a sudokucrypt key: a key starts with SUDOKUCRYPT-KEY-1", "generate"),
        ("", "not a sudokucrypt key: there must be exactly one key", "generate"),
        (Key(bytes(32)).to_text()[:-1], "a damaged sudokucrypt key: the checksum", "your copy"),
        (Key(bytes(32)).to_text()[:20], "a damaged sudokucrypt key: the text is cut", "your copy"),
        (PictureKey(bytes(32)).to_text(), "it is the key of one picture", "it came from"),
    ],
)
def test_what_to_do_about_another_text(text: str, message: str, hint: str) -> None:
    """A new key helps where there was none; of a damaged one there may be a copy."""
    with pytest.raises(InvalidKeyError, match=message) as raised:
        Key.from_text(text)
    assert hint in str(raised.value.hint)
    assert (raised.value.hint_key == "keygen") == (hint == "generate")


def test_what_to_do_about_a_locked_key() -> None:
    """The message names the passphrase that is missing, and the hint what opens it."""
    for read in (Key.from_text, read_key):
        with pytest.raises(InvalidKeyError, match="it is locked with a passphrase") as raised:
            read(lock(KEY, Passphrase("x")))
        assert "unlock opens" in str(raised.value.hint)


def test_where_a_key_comes_from(tmp_path: Path) -> None:
    """A key knows its file, for messages; keys of any origin are equal."""
    key = Key(bytes(32))
    key.to_file(tmp_path / "my.key")
    named = Key.from_file(tmp_path / "my.key")
    assert (key.origin, named.origin) == (None, f"'{tmp_path / 'my.key'}'")
    assert key == named
    assert hash(key) == hash(named)
    assert Key.from_text(key.to_text()).origin is None
    done = encrypt([[1, 2]], Key(bytes(31) + b"\1"))
    with pytest.raises(DecryptionError, match=f"and {named.origin} is key {key.id}"):
        decrypt(done.pixels, named, done.header)


@given(
    st.binary(min_size=32, max_size=32),
    st.text(st.characters(codec="ascii", exclude_characters="\0")),
    st.none() | st.binary(max_size=99),
    st.integers(1, 255 * 32),
)
def test_subkeys_are_those_of_hkdf(
    secret: bytes, use: str, context: bytes | None, length: int
) -> None:
    """A subkey is what another implementation of RFC 5869 derives, of any length."""
    info = f"sudokucrypt/v1/master/{use}".encode() + (b"" if context is None else b"\0" + context)
    wanted = HKDF(SHA256(), length, salt=None, info=info).derive(secret)
    assert Key(secret).subkey(use, context, length=length) == wanted


def test_the_secret_stays_inside() -> None:
    """Neither repr nor str shows the secret; equality is by secret."""
    key = Key(bytes(range(32)))
    for shown in (repr(key), str(key), f"{key!s}", str([key])):
        assert bytes(range(32)).hex() not in shown
        assert key.to_text() not in shown
    assert key.id in repr(key)
    assert key == Key(bytes(range(32)))
    assert key != Key(bytes(32))
    assert key != key.to_text()
    assert len({key, Key(bytes(range(32)))}) == 1


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy])
@pytest.mark.parametrize(
    "secret", [Key(bytes(32)), PictureKey(bytes(32)), Passphrase("open sesame")]
)
def test_secrets_are_not_pickled(secret: object, take: Callable[[object], object]) -> None:
    """A pickle would carry the secret to wherever the pickle goes, so there is none."""
    with pytest.raises(TypeError, match=r"never pickled.* pass the name of its file"):
        take(secret)


def test_generated_keys_are_random() -> None:
    """Every key that is drawn is another one, of 32 bytes from the operating system."""
    drawn = {Key.generate().to_bytes() for _ in range(20)}
    assert len(drawn) == 20
    assert all(len(set(secret)) > 8 for secret in drawn)


def test_bounds_of_subkeys() -> None:
    """A subkey has the length that was asked for, and a use holds no zero character."""
    key = Key(bytes(32))
    assert [len(key.subkey("x", length=length)) for length in (1, 4, 32, 64)] == [1, 4, 32, 64]
    for use in ("\0", "a\0b", "a\0"):
        with pytest.raises(InvalidParameterError, match="zero"):
            key.subkey(use)


def test_uses_and_contexts_give_different_subkeys() -> None:
    """No two of use, context and absence of a context share a subkey."""
    key = Key(bytes(32))
    subkeys = [
        key.subkey(use, context) for use in ("a", "b", "ab") for context in (None, b"", b"\0", b"b")
    ]
    assert len(set(subkeys)) == len(subkeys)


def test_each_kind_says_what_it_is(tmp_path: Path) -> None:
    """A key of the other kind is refused with a message that says which is needed."""
    picture = PictureKey(bytes(32)).to_text()
    with pytest.raises(InvalidKeyError, match="the key of one picture, which restores that pict"):
        Key.from_text(picture)
    with pytest.raises(InvalidKeyError, match="a key starts with SUDOKUCRYPT-PICTURE-KEY-1"):
        PictureKey.from_text(KEY.to_text())
    for text in (encode_bech32("other-", bytes(32)), encode_bech32("sudokucrypt-", bytes(32))):
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
        "# only a comment\n",
        "é" * 75,
        "SUDOKUCRYPT-KEY-1",
        f"{KEY.to_text()}\n{KEY.to_text()}",
        encode_bech32("other-key-", bytes(32)),
        encode_bech32("sudokucrypt-key-", bytes(31)),
        encode_bech32("sudokucrypt-picture-key-", bytes(31)),
        encode_bech32("sudokucrypt-picture-key-", bytes(33)),
        PictureKey(bytes(32)).to_text().replace("PICTURE", "picture"),
    ],
)
def test_other_text_is_no_key_of_any_kind(text: str) -> None:
    """Nothing, two keys, another length, beginning and mixed case are no key of any kind."""
    for read in (Key.from_text, PictureKey.from_text, read_key):
        with pytest.raises(InvalidKeyError, match=r"^(not a|a damaged) sudokucrypt key: "):
            read(text)


def test_equal_secrets_of_two_kinds_have_nothing_in_common() -> None:
    """They are not equal, and share neither subkeys nor texts."""
    key, picture = Key(bytes(32)), PictureKey(bytes(32))
    assert key != picture
    assert len({key, picture}) == 2
    for use in ("tag", "seal", "permutation", "id", "salt"):
        for context in (None, b"", b"x"):
            assert key.subkey(use, context) != picture.subkey(use, context)


def test_a_picture_key_shows_nothing() -> None:
    """It has no id, and shows nothing."""
    picture = PictureKey(bytes(range(32)))
    assert repr(picture) == str(picture) == "<PictureKey>"
    assert not hasattr(picture, "id")


def test_a_picture_key_is_never_locked() -> None:
    """Only master keys are locked with a passphrase."""
    with pytest.raises(InvalidKeyError, match="is not locked"):
        lock(PictureKey(bytes(32)), Passphrase("open"))  # type: ignore[arg-type]


@pytest.mark.parametrize("protect", [encrypt, scramble])
def test_a_picture_key_comes_from_the_salt_alone(protect: object) -> None:
    """`for_picture` derives it from master key and salt, and from nothing else of the picture."""
    header = protect(IMAGE, KEY).header  # type: ignore[operator]
    picture = KEY.for_picture(header)
    assert picture == KEY.picture_key(header.salt)
    assert picture.verifies(header)
    assert picture != Key(bytes(32)).picture_key(header.salt)
    assert picture != KEY.picture_key(bytes(16))


def test_only_an_authentic_header_has_a_picture_key() -> None:
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
