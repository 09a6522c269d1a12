"""A picture gets another key and a salt of its own; all else that was chosen for it stays."""

import io
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from sudokucrypt import (
    DecryptionError,
    Header,
    Key,
    Passphrase,
    UnsupportedVersionError,
    decrypt_file,
    encrypt_file,
    read_header,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.ciphers import ENCRYPT, Part
from sudokucrypt.images import (
    EmbeddedFile,
    Picture,
    PictureRecord,
    decode_picture,
    describe,
    embed,
    encode_picture,
)
from sudokucrypt.recipes.protection import Protection
from sudokucrypt.recipes.records import same_pictures
from tests.cli.gallery import GALLERY
from tests.recipes.memory import inspected, result_of

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
encrypt_pixels = partial(encrypt_file, as_file=False)
WAYS: Any = {encrypt_pixels: decrypt_file, scramble_file: unscramble_file}
NAME = "RGB-metadata.png"


def protected(protect: Any, key: Any = KEY, name: str = NAME, **options: Any) -> bytes:
    """The protected file."""
    return result_of(protect, GALLERY[name], key, **options)


def rekeyed(data: bytes, key: Any = KEY, new: Any = OTHER, **options: Any) -> bytes:
    """The file under the new key."""
    return result_of(rekey_file, data, key, new, **options)


def header_of(data: bytes) -> Header:
    """Its header."""
    return read_header(io.BytesIO(data))


@pytest.mark.parametrize("protect", WAYS)
@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 5},
        {"deterministic": True},
        {"metadata": "strip"},
        {"format": "TIFF"},
    ],
)
def test_all_else_stays(protect: Any, options: Any) -> None:
    """Scheme, rounds, format and what is sealed are those of the old file."""
    data = protected(protect, **options)
    again = rekeyed(data)
    before, after = header_of(data), header_of(again)
    for field in ("scheme", "unit", "rounds", "shape", "dtype"):
        assert getattr(before, field) == getattr(after, field)
    assert (after.key_id, after.kdf) == (OTHER.id, None)
    assert decode_picture(again).format == decode_picture(data).format
    derived = header_of(protected(protect, OTHER, **options)).salt
    assert len({before.salt, after.salt, derived}) == 3  # not even a deterministic one is kept
    results = [io.BytesIO(), io.BytesIO()]
    WAYS[protect](io.BytesIO(data), results[0], KEY)
    WAYS[protect](io.BytesIO(again), results[1], OTHER)
    assert results[0].getvalue() == results[1].getvalue()
    with pytest.raises(DecryptionError):
        WAYS[protect](io.BytesIO(again), io.BytesIO(), KEY)


@pytest.mark.parametrize("size", [1, 3, 20])
def test_units_stay(size: int) -> None:
    """Blocks stay blocks of their size, and samples samples."""
    header = header_of(rekeyed(protected(scramble_file, unit="block", block_size=size)))
    assert (header.unit, header.block_size) == ("block", size)
    assert header_of(rekeyed(protected(scramble_file, unit="sample"))).unit == "sample"


def test_between_keys_and_passphrases() -> None:
    """A picture changes from a key to a passphrase and back, and its record comes and goes."""
    data = protected(encrypt_pixels)
    locked = rekeyed(data, KEY, Passphrase("open"))
    assert header_of(locked).kdf is not None
    again = rekeyed(locked, Passphrase("open"), Passphrase("sesame"))
    assert header_of(again).kdf != header_of(locked).kdf
    plain = rekeyed(again, Passphrase("sesame"), OTHER)
    assert header_of(plain).kdf is None
    assert same_pictures(
        inspected(io.BytesIO(plain), OTHER)[1].picture, decode_picture(GALLERY[NAME])
    )


def test_a_scheme_of_a_newer_release_is_named() -> None:
    """A scheme that nobody here knows is said to be unknown, not to be one without a tag."""
    stored = decode_picture(protected(encrypt_pixels), "x")
    header = (stored.header or b"").replace(b"encrypt-v1", b"encrypt-v9")
    newer = encode_picture(replace(stored, header=header), "PNG")
    with pytest.raises(UnsupportedVersionError, match="'encrypt-v9' is not known"):
        rekey_file(io.BytesIO(newer), io.BytesIO(), KEY, OTHER)
    with pytest.raises(UnsupportedVersionError, match="'encrypt-v9' is not known"):
        inspected(io.BytesIO(newer), KEY)


def test_what_is_behind_a_file_is_zero() -> None:
    """Whoever has the key cannot hide bytes behind a file: no reader takes such a picture."""
    file = EmbeddedFile(name="notes.txt", size=5)
    picture = Picture.plain(embed(b"notes", file))
    extras = describe(PictureRecord(picture=picture, file=file))
    settings = Protection(scheme=ENCRYPT, salt=bytes(16))
    pixels, header = settings.protect(
        [Part(pixels=picture.pixels | 1)], KEY, encrypted_metadata=extras
    )
    data = encode_picture(Picture.plain(pixels[0], header=header.to_bytes()), "PNG")
    for call in (
        lambda: decrypt_file(io.BytesIO(data), io.BytesIO(), KEY),
        lambda: rekey_file(io.BytesIO(data), io.BytesIO(), KEY, OTHER),
        lambda: inspected(io.BytesIO(data), KEY),
    ):
        with pytest.raises(DecryptionError):
            call()
