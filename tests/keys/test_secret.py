"""The key stream: the same however it is divided, and over where its block counter ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import InvalidKeyError, InvalidParameterError, KeyStream, UnsupportedError
from sudokucrypt.workers import Workers

END = 2**38


@given(st.lists(st.integers(0, 200), max_size=9))
def test_reading_in_pieces(lengths: list[int]) -> None:
    """Any division of the bytes over calls gives the same bytes."""
    stream = KeyStream(bytes(32))
    pieces = b"".join(map(stream.read, lengths))
    assert pieces == KeyStream(bytes(32)).read(sum(lengths))


def test_skipping_is_reading_on() -> None:
    """Without its first blocks a stream is what is behind them; between blocks alone it is cut."""
    stream = KeyStream(bytes(32))
    assert stream.skip(128).read(70) == KeyStream(bytes(32)).read(198)[128:]
    with pytest.raises(InvalidParameterError, match="64 bytes"):
        stream.skip(100)
    with pytest.raises(UnsupportedError, match="256 GiB"):
        stream.skip(END - 64).read(65)


def test_masking_is_reading() -> None:
    """A mask is the start of the stream, over several parts of the work, however much was read."""
    stream = KeyStream(bytes(32))
    stream.read(100)
    zeros = np.zeros(2**21 + 77, dtype=np.uint8)
    for threads in (1, 3):
        target = np.empty_like(zeros)
        with Workers(threads) as workers:
            stream.mask(zeros, target, workers)
        assert target.tobytes() == KeyStream(bytes(32)).read(len(zeros))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_keys_of_other_lengths_are_refused(length: int) -> None:
    """A stream has a key of 32 bytes."""
    with pytest.raises(InvalidKeyError, match="32 bytes"):
        KeyStream(bytes(length))


def test_the_stream_ends_with_its_counter() -> None:
    """Beyond 2**38 bytes the block counter would repeat, so that they are refused at once."""
    stream = KeyStream(bytes(32))
    with pytest.raises(UnsupportedError, match="256 GiB"):
        stream.read(END + 1)
    stream.read(1)
    with pytest.raises(UnsupportedError, match="256 GiB"):
        stream.read(END)
    too_many = np.broadcast_to(np.uint8(0), END + 1)
    with Workers(1) as workers, pytest.raises(UnsupportedError, match="256 GiB"):
        stream.mask(too_many, too_many, workers)


def test_the_last_byte_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """All bytes up to the end are given, and what was refused uses nothing up."""
    monkeypatch.setattr("sudokucrypt.keys.key._MAX_LENGTH", 128)
    stream = KeyStream(bytes(32))
    first = stream.read(100)
    with pytest.raises(UnsupportedError):
        stream.read(29)
    whole = first + stream.read(28)
    with pytest.raises(UnsupportedError):
        stream.read(1)
    assert stream.read(0) == b""
    source, target = np.zeros(128, dtype=np.uint8), np.empty(128, dtype=np.uint8)
    with Workers(1) as workers:
        stream.mask(source, target, workers)
        assert target.tobytes() == whole
        with pytest.raises(UnsupportedError):
            stream.mask(np.zeros(129, dtype=np.uint8), np.empty(129, dtype=np.uint8), workers)
