"""Keys: texts, files, ids and subkeys; and no output shows the secret."""

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
    """The text of a key is read in upper and lower case, alone or among comments."""
    key = kind(secret)
    text = key.to_text()
    assert len(text) == length
    assert text.startswith(f"SUDOKUCRYPT-{'PICTURE-' * (kind is PictureKey)}KEY-1")
    for variant in (text, text.lower(), f"# of somebody\n\n{text}\n"):
        assert kind.from_text(variant) == read_key(variant) == key
    if isinstance(key, Key):
        assert Key.from_text(key.to_file_text()) == key


@KINDS
@given(secret=SECRETS, data=st.data())
def test_a_typing_error_is_found(
    kind: type[Key | PictureKey], length: int, secret: bytes, data: st.DataObject
) -> None:
    """A text with one changed character is refused, and the message does not repeat it."""
    text = kind(secret).to_text()
    position = data.draw(st.integers(0, length - 1))
    symbol = data.draw(st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"))
    changed = text[:position] + symbol + text[position + 1 :]
    if changed != text:
        for read_text in (kind.from_text, read_key):
            with pytest.raises(InvalidKeyError) as error_info:
                read_text(changed)
            assert changed not in str(error_info.value)


@pytest.mark.parametrize("kind", [Key, PictureKey])
@pytest.mark.parametrize("secret", [b"", bytes(31), bytes(33), "0" * 32, None])
def test_a_key_is_32_bytes(kind: type[Key], secret: bytes) -> None:
    """A secret that is not 32 bytes is refused; for a text the hint says what reads it."""
    with pytest.raises(InvalidKeyError) as error_info:
        kind(secret)
    assert ("from_text" in str(error_info.value.hint)) == isinstance(secret, str)


def test_key_files(tmp_path: Path) -> None:
    """A key file is private and never replaced, and the key is read from it."""
    key, path = Key.generate(), tmp_path / "my.key"
    key.to_file(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Key.from_file(path) == key
    bytes_before = path.read_bytes()
    with pytest.raises(OutputExistsError):
        Key.generate().to_file(path)
    assert path.read_bytes() == bytes_before


def test_files_of_keys_have_a_limit(tmp_path: Path) -> None:
    """Files of keys and passphrases have at most 64 KiB; longer ones are not read."""
    path, key_text = tmp_path / "key", Key.generate().to_text()
    cases: list[tuple[Callable[[Path], object], str, str]] = [
        (Key.from_file, key_text, "\n"),
        (Passphrase.from_file, "open sesame", "x"),
    ]
    for read, text, filler in cases:
        path.write_text(text.ljust(65536, filler))
        read(path)
        path.write_text(text.ljust(65537, filler))
        with pytest.raises(InvalidKeyError, match=r"is (too large|larger than 65536 bytes)"):
            read(path)


def test_a_file_without_public_text_has_no_comments() -> None:
    """The key of one picture has no public text, so its file holds the key alone."""
    key = PictureKey(bytes(32))
    assert key.to_file_text() == f"{key.to_text()}\n"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x" * 100_000])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    """A file that holds no key, a folder and a missing file raise an error that names the file."""
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
def test_hints_for_texts_that_are_no_keys(text: str, message: str, hint: str) -> None:
    """The hint for a text that is no key is to make one; for a damaged key, to look for a copy."""
    with pytest.raises(InvalidKeyError, match=message) as error_info:
        Key.from_text(text)
    assert hint in str(error_info.value.hint)
    assert (error_info.value.hint_key == "keygen") == (hint == "generate")


def test_locked_keys_have_a_hint() -> None:
    """Reading a locked key raises an error that says it is locked and how to unlock it."""
    for read_text in (Key.from_text, read_key):
        with pytest.raises(InvalidKeyError, match="it is locked with a passphrase") as error_info:
            read_text(lock(KEY, Passphrase("x")))
        assert "unlock opens" in str(error_info.value.hint)


def test_the_origin_of_a_key(tmp_path: Path) -> None:
    """A key from a file has the name of the file as its origin; equal keys may differ in origin."""
    key = Key(bytes(32))
    key.to_file(tmp_path / "my.key")
    key_from_file = Key.from_file(tmp_path / "my.key")
    assert (key.origin, key_from_file.origin) == (None, f"'{tmp_path / 'my.key'}'")
    assert key == key_from_file
    assert hash(key) == hash(key_from_file)
    assert Key.from_text(key.to_text()).origin is None
    with pytest.raises(InvalidKeyError, match="not bytes"):
        Key.from_text(key.to_text().encode())  # type: ignore[arg-type]
    result = encrypt([[1, 2]], Key(bytes(31) + b"\1"))
    with pytest.raises(DecryptionError, match=f"and {key_from_file.origin} is key {key.id}"):
        decrypt(result.pixels, key_from_file, result.header)


@given(
    st.binary(min_size=32, max_size=32),
    st.text(st.characters(codec="ascii", exclude_characters="\0")),
    st.none() | st.binary(max_size=99),
    st.integers(1, 255 * 32),
)
def test_subkeys_are_those_of_hkdf(
    secret: bytes, use: str, context: bytes | None, length: int
) -> None:
    """A subkey of any length equals what another implementation of HKDF (RFC 5869) derives."""
    info = f"sudokucrypt/v1/master/{use}".encode() + (b"" if context is None else b"\0" + context)
    expected = HKDF(SHA256(), length, salt=None, info=info).derive(secret)
    assert Key(secret).subkey(use, context, length=length) == expected


def test_the_secret_is_not_shown() -> None:
    """`repr` and `str` of a key do not show its secret; keys with equal secrets are equal."""
    key = Key(bytes(range(32)))
    for shown_text in (repr(key), str(key), f"{key!s}", str([key])):
        assert bytes(range(32)).hex() not in shown_text
        assert key.to_text() not in shown_text
    assert key.id in repr(key)
    assert key == Key(bytes(range(32)))
    assert key != Key(bytes(32))
    assert key != key.to_text()
    assert len({key, Key(bytes(range(32)))}) == 1


def test_the_secret_leaves_only_by_methods() -> None:
    """A key does not become bytes, and what it has instead of a missing attribute is named."""
    with pytest.raises(TypeError, match=r"does not take a key; call to_bytes\(\)"):
        Key(bytes(32)).__bytes__()  # type: ignore[attr-defined] # that is what is tested
    with pytest.raises(AttributeError, match="'Key' object has no attribute 'text'; use to_text"):
        _ = Key(bytes(32)).text  # type: ignore[attr-defined] # that is what is tested


@pytest.mark.parametrize("copy_secret", [pickle.dumps, copy.copy, copy.deepcopy])
@pytest.mark.parametrize(
    "secret", [Key(bytes(32)), PictureKey(bytes(32)), Passphrase("open sesame")]
)
def test_secrets_are_not_pickled(secret: object, copy_secret: Callable[[object], object]) -> None:
    """To pickle or copy a key or a passphrase raises an error that says what to do instead."""
    with pytest.raises(TypeError, match=r"never pickled.* pass the name of its file"):
        copy_secret(secret)


def test_generated_keys_are_random() -> None:
    """20 generated keys all differ, and their bytes vary."""
    secrets = {Key.generate().to_bytes() for _ in range(20)}
    assert len(secrets) == 20
    assert all(len(set(secret)) > 8 for secret in secrets)


def test_bounds_of_subkeys() -> None:
    """A subkey has the requested length, and a use with a zero character is refused."""
    key = Key(bytes(32))
    assert [len(key.subkey("x", length=length)) for length in (1, 4, 32, 64)] == [1, 4, 32, 64]
    for use in ("\0", "a\0b", "a\0"):
        with pytest.raises(InvalidParameterError, match="zero"):
            key.subkey(use)


def test_uses_and_contexts_give_different_subkeys() -> None:
    """Each pair of use and context, and each use without a context, has another subkey."""
    key = Key(bytes(32))
    subkeys = [
        key.subkey(use, context) for use in ("a", "b", "ab") for context in (None, b"", b"\0", b"b")
    ]
    assert len(set(subkeys)) == len(subkeys)


def test_keys_of_another_kind_are_refused(tmp_path: Path) -> None:
    """A key of another kind is refused, and the message says which kind is needed."""
    picture_key = PictureKey(bytes(32)).to_text()
    with pytest.raises(InvalidKeyError, match="the key of one picture, which restores that pict"):
        Key.from_text(picture_key)
    with pytest.raises(InvalidKeyError, match="a key starts with SUDOKUCRYPT-PICTURE-KEY-1"):
        PictureKey.from_text(KEY.to_text())
    for text in (encode_bech32("other-", bytes(32)), encode_bech32("sudokucrypt-", bytes(32))):
        with pytest.raises(InvalidKeyError, match="a key starts with SUDOKUCRYPT-KEY-1"):
            read_key(text)
    path = tmp_path / "shared.key"
    path.write_text(picture_key, encoding="ascii")
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
    """Text without a key, with two keys, or with a wrong length, prefix or case is refused."""
    for read_text in (Key.from_text, PictureKey.from_text, read_key):
        with pytest.raises(InvalidKeyError, match=r"^(not a|a damaged) sudokucrypt key: "):
            read_text(text)


def test_equal_secrets_of_two_kinds_have_nothing_in_common() -> None:
    """A master key and a picture key with equal secrets differ, and so do all their subkeys."""
    key, picture_key = Key(bytes(32)), PictureKey(bytes(32))
    assert (key == picture_key) is False
    assert key != picture_key
    assert len({key, picture_key}) == 2
    for use in ("tag", "seal", "permutation", "id", "salt"):
        for context in (None, b"", b"x"):
            assert key.subkey(use, context) != picture_key.subkey(use, context)


def test_a_picture_key_shows_nothing() -> None:
    """A picture key has no id, and `repr` and `str` show nothing of it."""
    picture_key = PictureKey(bytes(range(32)))
    assert repr(picture_key) == str(picture_key) == "<PictureKey>"
    assert not hasattr(picture_key, "id")


def test_a_picture_key_is_never_locked() -> None:
    """To lock a picture key with a passphrase is refused."""
    with pytest.raises(InvalidKeyError, match="cannot be locked"):
        lock(PictureKey(bytes(32)), Passphrase("open"))  # type: ignore[arg-type]


@pytest.mark.parametrize("protect", [encrypt, scramble])
def test_a_picture_key_depends_on_key_and_salt(protect: object) -> None:
    """The picture key depends only on the master key and the salt."""
    header = protect(IMAGE, KEY).header  # type: ignore[operator]
    picture = KEY.for_picture(header)
    assert picture == KEY.picture_key(header.salt)
    assert picture.verifies(header)
    assert picture != Key(bytes(32)).picture_key(header.salt)
    assert picture != KEY.picture_key(bytes(16))


def test_only_an_authentic_header_has_a_picture_key() -> None:
    """A changed key, a changed header, and a header without salt or seal give no picture key."""
    header = encrypt(IMAGE, KEY).header
    for changed in (
        replace(header, rounds=header.rounds + 1),
        replace(header, header_mac=bytes(32)),
        replace(header, tag=bytes(32)),
        replace(header, salt=bytes(16)),
    ):
        with pytest.raises(DecryptionError):
            KEY.for_picture(changed)
        assert not KEY.for_picture(header).verifies(changed)
    with pytest.raises(DecryptionError):
        Key(bytes(32)).for_picture(header)
    with pytest.raises(FormatError, match="no key of its own"):
        KEY.for_picture(scramble(IMAGE, KEY, context="x").header)
    with pytest.raises(FormatError, match="no key of its own"):
        KEY.for_picture(replace(header, header_mac=None))
    assert not KEY.for_picture(header).verifies(replace(header, header_mac=None))
