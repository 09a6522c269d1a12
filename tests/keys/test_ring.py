"""Key rings: every key that may fit is tried, and no other."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    Passphrase,
    decrypt,
    encrypt,
    scramble,
    unscramble,
)
from sudokucrypt.keys import KeyRing, PictureKey, key_texts, lock, read_key
from sudokucrypt.recipes import encrypt_bytes, open_file, scramble_robust_file, unscramble_file
from tests.images.builders import encode_array, noise

KEY, OTHER, THIRD = (Key(bytes([number]) * 32) for number in range(3))
RING = KeyRing([OTHER, KEY, OTHER, THIRD])
PLAIN = noise(12, 9, 3)


def test_a_ring_opens_what_its_keys_open() -> None:
    """With master keys by their ids, and with keys of single pictures, which have none."""
    for protect, restore in ((encrypt, decrypt), (scramble, unscramble)):
        done = protect(PLAIN, KEY)
        assert np.array_equal(restore(done.pixels, RING, done.header), PLAIN)
        alone = KeyRing([OTHER.picture_key(bytes(16)), KEY.for_picture(done.header)])
        assert np.array_equal(restore(done.pixels, alone, done.header), PLAIN)
        with pytest.raises(DecryptionError, match=f"needs key {KEY.id}, which is none of 2 keys"):
            restore(done.pixels, KeyRing([OTHER, THIRD]), done.header)
        with pytest.raises(DecryptionError):
            restore(done.pixels, KeyRing([OTHER.picture_key(bytes(16))]), done.header)


def test_equal_ids_are_all_tried() -> None:
    """Two keys may have one id of 32 bits: the seal says which is right."""
    done = encrypt(PLAIN, KEY)
    twin = Key(bytes([9]) * 32)
    twin._id = KEY.id
    for keys in ([twin, KEY], [KEY, twin]):
        assert np.array_equal(decrypt(done.pixels, KeyRing(keys), done.header), PLAIN)


def test_files_of_every_kind(tmp_path: Path) -> None:
    """A file, and a robust picture, whose header is in its cells."""
    (tmp_path / "a.png").write_bytes(encode := encode_array(noise(64, 64, 1), "PNG"))
    (tmp_path / "e.png").write_bytes(encrypt_bytes(encode, KEY))
    assert bytes(open_file(tmp_path / "e.png", RING).content)
    scramble_robust_file(tmp_path / "a.png", tmp_path / "r.png", KEY)
    assert unscramble_file(tmp_path / "r.png", tmp_path / "b.png", RING).shape == (64, 64)


def test_a_ring_protects_nothing() -> None:
    """Which key shall protect must be said; so must the one for a context without header."""
    with pytest.raises(InvalidKeyError, match="cannot protect any"):
        encrypt(PLAIN, RING)  # type: ignore[arg-type]
    done = scramble(PLAIN, KEY, context="x")
    with pytest.raises(InvalidParameterError, match="one key, not several"):
        unscramble(done.pixels, RING, context="x")
    assert np.array_equal(unscramble(done.pixels, RING, done.header, context="x"), PLAIN)


def test_a_ring_holds_keys_and_shows_none() -> None:
    """Equal ones count once, and passphrases, texts and nothing at all are refused."""
    assert RING.keys == (OTHER, KEY, THIRD)
    assert (len(RING), repr(RING)) == (3, "<KeyRing of 3 keys>")
    for keys in ([], ["a"], [Passphrase("a")]):
        with pytest.raises(InvalidKeyError):
            KeyRing(keys)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(RING)


def test_keys_in_one_text() -> None:
    """Keys of all kinds follow each other, among comments, in one line each or in several."""
    picture = KEY.picture_key(bytes(16))
    locked = lock(OTHER, Passphrase("x"))
    split = "\n".join(KEY.to_text()[start : start + 20] for start in range(0, 75, 20))
    texts = key_texts(f"# mine\n{split}\n\n{locked}{picture.to_text()}\n{THIRD.to_file_text()}")
    assert [read_key(texts[index]) for index in (0, 2, 3)] == [KEY, picture, THIRD]
    assert isinstance(picture, PictureKey)
    assert "\n" in texts[1]
    assert key_texts("") == key_texts("# none") == []
