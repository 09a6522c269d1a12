"""The key stream: the same bytes in any division, up to the end of its block counter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import InvalidKeyError, InvalidParameterError, KeyStream, UnsupportedError
from sudokucrypt.workers import Workers

END = 2**38


@given(st.lists(st.integers(0, 200), max_size=9))
def test_reading_in_pieces(lengths: list[int]) -> None:
    """Calls of any lengths together give the same bytes as one call."""
    stream = KeyStream(bytes(32))
    joined_pieces = b"".join(map(stream.read, lengths))
    assert joined_pieces == KeyStream(bytes(32)).read(sum(lengths))


def test_skipping_is_reading_on() -> None:
    """A stream that skips blocks gives the bytes after them; other lengths are refused."""
    stream = KeyStream(bytes(32))
    assert stream.skip(128).read(70) == KeyStream(bytes(32)).read(198)[128:]
    with pytest.raises(InvalidParameterError, match="64 bytes"):
        stream.skip(100)
    with pytest.raises(UnsupportedError, match="256 GiB"):
        stream.skip(END - 64).read(65)


def test_masking_is_reading() -> None:
    """A mask is always the start of the stream, with any threads and after any reading."""
    stream = KeyStream(bytes(32))
    stream.read(100)
    zeros = np.zeros(2**21 + 77, dtype=np.uint8)
    for threads in (1, 3):
        target = np.empty_like(zeros)
        for start in (0, 192):
            with Workers(threads) as workers:
                stream.mask(zeros, target, workers, start=start)
            assert target.tobytes() == KeyStream(bytes(32)).skip(start).read(len(zeros))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_keys_of_other_lengths_are_refused(length: int) -> None:
    """A key that is not 32 bytes is refused."""
    with pytest.raises(InvalidKeyError, match="32 bytes"):
        KeyStream(bytes(length))


def test_the_stream_ends_with_its_counter() -> None:
    """To read or mask more than 2**38 bytes is refused at once."""
    stream = KeyStream(bytes(32))
    with pytest.raises(UnsupportedError, match="256 GiB"):
        stream.read(END + 1)
    stream.read(1)
    with pytest.raises(UnsupportedError, match="256 GiB"):
        stream.read(END)
    too_many = np.broadcast_to(np.uint8(0), END + 1)
    with Workers(1) as workers, pytest.raises(UnsupportedError, match="256 GiB"):
        stream.mask(too_many, too_many, workers)


def test_the_last_bytes_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """All bytes up to the end can be read, and a refused read does not use up any."""
    monkeypatch.setattr("sudokucrypt.keys.key._MAX_STREAM_LENGTH", 128)
    stream = KeyStream(bytes(32))
    first_bytes = stream.read(100)
    with pytest.raises(UnsupportedError):
        stream.read(29)
    all_bytes = first_bytes + stream.read(28)
    with pytest.raises(UnsupportedError):
        stream.read(1)
    assert stream.read(0) == b""
    source, target = np.zeros(128, dtype=np.uint8), np.empty(128, dtype=np.uint8)
    with Workers(1) as workers:
        stream.mask(source, target, workers)
        assert target.tobytes() == all_bytes
        with pytest.raises(UnsupportedError):
            stream.mask(np.zeros(129, dtype=np.uint8), np.empty(129, dtype=np.uint8), workers)
