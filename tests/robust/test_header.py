"""The header of a robust picture: one form, and one key."""

from dataclasses import replace

import pytest

from sudokucrypt import DecryptionError, FormatError, Key, PictureKey, UnsupportedVersionError
from sudokucrypt.robust import RobustHeader

KEY, OTHER = Key(bytes(range(32))), Key(bytes(range(1, 33)))
HEADER = RobustHeader(
    rows=7, columns=2**32 - 1, color=True, profile=255, salt=bytes(range(16)), key_id=KEY.id
).seal(KEY.picture_key(bytes(range(16))))


def test_parsing_undoes_writing() -> None:
    """from_bytes(to_bytes()) is the header, of 40 bytes."""
    assert len(HEADER.to_bytes()) == 40
    assert RobustHeader.from_bytes(HEADER.to_bytes()) == HEADER
    gray = replace(HEADER, color=False)
    assert RobustHeader.from_bytes(gray.to_bytes()).shape == (7, 2**32 - 1)


@pytest.mark.parametrize("position", [0, 1, 11])
def test_other_forms_are_refused(position: int) -> None:
    """Another version, flag or reserved byte is refused, and sides of no pixels."""
    for value in (0 if position == 0 else 3, 2):
        data = bytearray(HEADER.to_bytes())
        data[position] = value
        later = (position, value) == (0, 2)
        with pytest.raises(UnsupportedVersionError if later else FormatError):
            RobustHeader.from_bytes(bytes(data))
    for size in (0, 39, 41):
        with pytest.raises(FormatError):
            RobustHeader.from_bytes(bytes([1]) * size)
    for side in (2, 6):
        flat = HEADER.to_bytes()[:side] + bytes(4) + HEADER.to_bytes()[side + 4 :]
        with pytest.raises(FormatError):
            RobustHeader.from_bytes(flat)


def test_every_bit_is_authentic() -> None:
    """A header with any flipped bit is malformed, or opens with no key."""
    data = HEADER.to_bytes()
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises((FormatError, DecryptionError)):
            RobustHeader.from_bytes(bytes(changed)).open_key(KEY)


def test_keys_open_their_pictures_only() -> None:
    """The master key and the picture key open; others are named as wrong."""
    picture_key = KEY.picture_key(HEADER.salt)
    assert HEADER.open_key(KEY) == HEADER.open_key(picture_key) == picture_key
    with pytest.raises(DecryptionError, match=f"needs key {KEY.id}.* is key {OTHER.id}"):
        HEADER.open_key(OTHER)
    for wrong in (PictureKey(bytes(32)), KEY.picture_key(bytes(16))):
        with pytest.raises(DecryptionError, match="wrong key"):
            HEADER.open_key(wrong)
    with pytest.raises(DecryptionError, match="wrong key"):
        replace(HEADER, key_id=OTHER.id).open_key(OTHER)  # ids are hints alone
