"""The Reed-Solomon code does what reedsolo does, and corrects what its distance promises."""

import random

import pytest
import reedsolo

from sudokucrypt.errors import DecryptionError, InvalidParameterError
from sudokucrypt.robust.codes import CODE_BYTES, MESSAGE_BYTES, PARITY, decode_bytes, encode_bytes

_ORACLE = reedsolo.RSCodec(PARITY)


def _damaged(code: bytes, wrong: list[int], source: random.Random) -> bytes:
    changed = bytearray(code)
    for position in wrong:
        changed[position] ^= source.randrange(1, 256)
    return bytes(changed)


@pytest.mark.parametrize("seed", range(40))
def test_errors_and_gaps_are_corrected_as_by_reedsolo(seed: int) -> None:
    """The code is that of reedsolo; e errors and g gaps with 2 e + g <= 40 are corrected."""
    source = random.Random(seed)  # noqa: S311 - a test
    message = source.randbytes(MESSAGE_BYTES)
    code = encode_bytes(message)
    assert code == bytes(_ORACLE.encode(message))
    gaps = source.randrange(PARITY + 1)
    positions = source.sample(range(CODE_BYTES), gaps + (PARITY - gaps) // 2)
    received = _damaged(code, positions, source)
    assert decode_bytes(received, positions[:gaps]) == (message, len(positions))
    assert bytes(_ORACLE.decode(received, erase_pos=positions[:gaps])[0]) == message


def test_nothing_and_everything_within_reach() -> None:
    """No error, all of the parity missing, and all zeros are read."""
    message = bytes(range(MESSAGE_BYTES))
    assert decode_bytes(encode_bytes(message)) == (message, 0)
    assert decode_bytes(encode_bytes(message)[:40] + bytes(40), range(40, 80))[0] == message
    assert decode_bytes(bytes(CODE_BYTES)) == (bytes(MESSAGE_BYTES), 0)


@pytest.mark.parametrize("seed", range(20))
def test_too_many_errors_are_refused(seed: int) -> None:
    """A word with 21 errors, or of random bytes, is no code, and 41 gaps are too many."""
    source = random.Random(seed)  # noqa: S311 - a test
    code = encode_bytes(source.randbytes(MESSAGE_BYTES))
    positions = source.sample(range(CODE_BYTES), PARITY // 2 + 1)
    for word in (_damaged(code, positions, source), source.randbytes(CODE_BYTES)):
        with pytest.raises(DecryptionError):
            decode_bytes(word)
    with pytest.raises(DecryptionError):
        decode_bytes(code, range(PARITY + 1))


def test_other_lengths_are_refused() -> None:
    """The code takes 40 bytes and gives 80."""
    with pytest.raises(InvalidParameterError):
        encode_bytes(bytes(39))
    with pytest.raises(InvalidParameterError):
        decode_bytes(bytes(81))
