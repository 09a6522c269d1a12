"""Key rings: every key that may fit is tried, and no other key."""

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
from sudokucrypt.keys import KeyRing, PictureKey, lock, read_key, split_key_texts
from sudokucrypt.recipes import encrypt_bytes, open_file, scramble_robust_file, unscramble_file
from tests.images.builders import encode_array, noise

KEY, OTHER_KEY, THIRD_KEY = (Key(bytes([number]) * 32) for number in range(3))
RING = KeyRing([OTHER_KEY, KEY, OTHER_KEY, THIRD_KEY])
PLAIN = noise(12, 9, 3)


def test_a_ring_opens_what_its_keys_open() -> None:
    """A ring opens pictures with master keys, found by id, and with picture keys."""
    for protect, restore in ((encrypt, decrypt), (scramble, unscramble)):
        result = protect(PLAIN, KEY)
        assert np.array_equal(restore(result.pixels, RING, result.header), PLAIN)
        picture_keys = KeyRing([OTHER_KEY.picture_key(bytes(16)), KEY.for_picture(result.header)])
        assert np.array_equal(restore(result.pixels, picture_keys, result.header), PLAIN)
        with pytest.raises(
            DecryptionError, match=f"needs key {KEY.id}, which is not one of 2 keys"
        ):
            restore(result.pixels, KeyRing([OTHER_KEY, THIRD_KEY]), result.header)
        picture_key = OTHER_KEY.picture_key(bytes(16))
        for key in (picture_key, KeyRing([picture_key])):
            with pytest.raises(DecryptionError, match=r"^wrong key, or the picture") as error_info:
                restore(result.pixels, key, result.header)
            assert error_info.value.hint_key == "key_id"


def test_a_ring_is_made_of_a_list() -> None:
    """A single key is no list of keys."""
    with pytest.raises(InvalidKeyError, match="needs a list of keys"):
        KeyRing(KEY)  # type: ignore[arg-type] # that is what is tested


def test_equal_ids_are_all_tried() -> None:
    """If two keys have the same id, the picture opens whichever of them comes first."""
    result = encrypt(PLAIN, KEY)
    key_with_same_id = Key(bytes([9]) * 32)
    key_with_same_id._id = KEY.id
    for keys in ([key_with_same_id, KEY], [KEY, key_with_same_id]):
        assert np.array_equal(decrypt(result.pixels, KeyRing(keys), result.header), PLAIN)


def test_files_of_every_kind(tmp_path: Path) -> None:
    """A ring opens an encrypted file and a robust picture."""
    (tmp_path / "a.png").write_bytes(encoded := encode_array(noise(64, 64, 1), "PNG"))
    (tmp_path / "e.png").write_bytes(encrypt_bytes(encoded, KEY))
    assert bytes(open_file(tmp_path / "e.png", RING).content)
    scramble_robust_file(tmp_path / "a.png", tmp_path / "r.png", KEY)
    assert unscramble_file(tmp_path / "r.png", tmp_path / "b.png", RING).shape == (64, 64)


def test_a_ring_protects_nothing() -> None:
    """To encrypt with a ring is refused, and so is restoring without a header under a context."""
    with pytest.raises(InvalidKeyError, match="cannot protect any"):
        encrypt(PLAIN, RING)  # type: ignore[arg-type]
    result = scramble(PLAIN, KEY, context="x")
    with pytest.raises(InvalidParameterError, match="one key, not several"):
        unscramble(result.pixels, RING, context="x")
    assert np.array_equal(unscramble(result.pixels, RING, result.header, context="x"), PLAIN)


def test_a_ring_holds_keys_and_shows_none() -> None:
    """Equal keys count once; passphrases, texts and empty lists are refused; `repr` hides keys."""
    assert RING.keys == (OTHER_KEY, KEY, THIRD_KEY)
    assert (len(RING), repr(RING)) == (3, "<KeyRing of 3 keys>")
    for keys in ([], ["a"], [KEY, "a"], [Passphrase("a")]):
        with pytest.raises(InvalidKeyError):
            KeyRing(keys)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(RING)


def test_keys_in_one_text() -> None:
    """All keys of a text are found, of any kind, among comments, in one line or several."""
    picture = KEY.picture_key(bytes(16))
    locked = lock(OTHER_KEY, Passphrase("x"))
    split = "\n".join(KEY.to_text()[start : start + 20] for start in range(0, 75, 20))
    texts = split_key_texts(
        f"# mine\n{split}\n\n{locked}{picture.to_text()}\n{THIRD_KEY.to_file_text()}"
    )
    assert [read_key(texts[index]) for index in (0, 2, 3)] == [KEY, picture, THIRD_KEY]
    assert isinstance(picture, PictureKey)
    assert "\n" in texts[1]
    assert split_key_texts("") == split_key_texts("# none") == []
