"""The key of one picture opens that picture in every way, opens no other, and protects nothing."""

import io
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    Passphrase,
    PictureKey,
    decrypt,
    decrypt_file,
    encrypt,
    encrypt_file,
    read_header,
    rekey_file,
    scramble,
    scramble_file,
    unscramble,
)
from sudokucrypt.recipes import ProtectedImage, open_file, picture_key
from tests.cli.gallery import GALLERY
from tests.recipes.memory import inspected, result_of
from tests.recipes.test_arrays import image

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
PLAIN = image((12, 17, 3))
ARRAYS: Any = [(scramble, unscramble), (encrypt, decrypt)]
encrypt_pixels = partial(encrypt_file, as_file=False)
NAME = "RGB-metadata.png"


def protected(protect: Any, name: str = NAME, key: Any = KEY, **options: Any) -> bytes:
    """The file that comes of a picture of the gallery."""
    return result_of(protect, GALLERY[name], key, rounds=1, **options)


def key_of(data: bytes, key: Any = KEY) -> PictureKey:
    """The key of the picture in a file."""
    return picture_key(key, read_header(io.BytesIO(data)))


def restored(restore: Any, data: bytes, key: Any) -> bytes:
    """The file that comes back."""
    return result_of(restore, data, key)


@pytest.mark.parametrize(("protect", "restore"), ARRAYS)
@pytest.mark.parametrize("options", [{}, {"deterministic": True}])
def test_it_opens_its_image(protect: Any, restore: Any, options: Any) -> None:
    """An array comes back with the key of its picture."""
    result = protect(PLAIN, KEY, **options)
    shared = PictureKey.from_text(KEY.for_picture(result.header).to_text())
    assert np.array_equal(restore(result.pixels, shared, result.header), PLAIN)


def test_it_opens_the_picture_of_a_passphrase() -> None:
    """A picture under a passphrase has a key of its own, and its derivation is not asked for."""
    data = protected(encrypt_pixels, key=Passphrase("open"))
    shared = key_of(data, Passphrase("open"))
    assert restored(decrypt_file, data, shared) == restored(decrypt_file, data, Passphrase("open"))
    with pytest.raises(DecryptionError):
        key_of(data, Passphrase("closed"))


@pytest.mark.parametrize(("protect", "restore"), ARRAYS)
def test_it_opens_no_other_image(protect: Any, restore: Any) -> None:
    """Not another one of the same key, not the same one with another salt, not under its name."""
    first, again, other = (
        protect(plain, KEY) for plain in (PLAIN, PLAIN, image((12, 17, 3), seed=1))
    )
    shared = KEY.for_picture(first.header)
    result: ProtectedImage
    for result in (again, other, protect(PLAIN, OTHER)):
        stolen = (replace(result.header, salt=first.header.salt), first.header)
        for header in (result.header, *stolen):
            with pytest.raises(DecryptionError):
                restore(result.pixels, shared, header)


def test_the_names_of_keys_do_not_matter_to_it() -> None:
    """It is taken as it is: neither key id nor derivation is looked at, but for the seal."""
    result = encrypt(PLAIN, Passphrase("open"))
    shared = picture_key(Passphrase("open"), result.header)
    assert np.array_equal(decrypt(result.pixels, shared, result.header), PLAIN)
    for change in ({"key_id": "00000000"}, {"kdf": "x:y=1:" + "00" * 16}, {"kdf": None}):
        with pytest.raises(DecryptionError) as caught:
            decrypt(result.pixels, shared, replace(result.header, **change))
        assert str(caught.value) == str(DecryptionError())


@pytest.mark.parametrize(
    "protect",
    [
        lambda key: encrypt(PLAIN, key),
        lambda key: encrypt(PLAIN, key, deterministic=True),
        lambda key: scramble(PLAIN, key),
        lambda key: scramble(PLAIN, key, unit="block"),
        lambda key: scramble(PLAIN, key, context="x"),
        lambda key: protected(encrypt_pixels, key=key),
        lambda key: protected(scramble_file, key=key),
        lambda key: rekey_file(io.BytesIO(protected(encrypt_pixels)), io.BytesIO(), KEY, key),
        lambda key: picture_key(key, encrypt(PLAIN, KEY).header),
    ],
)
def test_it_protects_nothing(protect: Any) -> None:
    """Whatever protects something, or derives a key, refuses it before anything is read."""
    with pytest.raises(InvalidKeyError, match="cannot protect any"):
        protect(PictureKey(bytes(32)))


def test_a_context_needs_the_master_key() -> None:
    """What was scrambled under a context has no key of its own, and none opens it."""
    result = scramble(PLAIN, KEY, context="x")
    shared = KEY.picture_key(bytes(16))
    with pytest.raises(InvalidKeyError, match="one picture"):
        unscramble(result.pixels, shared, result.header, context="x")
    with pytest.raises(InvalidParameterError, match="one picture"):
        unscramble(result.pixels, shared, context="x")
    with pytest.raises(FormatError, match="no key of its own"):
        picture_key(KEY, result.header)


@pytest.mark.parametrize("key", [None, "text", bytes(32), 5])
def test_what_is_no_key(key: Any) -> None:
    """Anything else is refused by name, in every call."""
    header = encrypt(PLAIN, KEY).header
    for call in (
        lambda: encrypt(PLAIN, key),
        lambda: scramble(PLAIN, key),
        lambda: decrypt(PLAIN, key, header),
        lambda: unscramble(PLAIN, key, header),
        lambda: picture_key(key, header),
        lambda: open_file(io.BytesIO(b""), key),
        lambda: rekey_file(io.BytesIO(b""), io.BytesIO(), key, KEY),
        lambda: rekey_file(io.BytesIO(b""), io.BytesIO(), KEY, key),
        lambda: decrypt_file(io.BytesIO(b""), io.BytesIO(), key),
    ):
        with pytest.raises(InvalidKeyError, match=type(key).__name__):
            call()
    with pytest.raises(InvalidKeyError, match="str"):
        inspected(io.BytesIO(b""), "text")
