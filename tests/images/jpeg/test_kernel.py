"""The kernel of the entropy coder, called directly."""

from typing import Any

import numpy as np
import pytest

from sudokucrypt.images.jpeg._kernels import entropy


def test_padding_and_missing_codes() -> None:
    """Any padding is written at the end of an interval, and a missing code gives None."""
    plane = np.zeros((1, 3, 64), dtype=np.int16)
    plane[..., 0] = 1
    no_breaks, codes = np.zeros(0, dtype=np.int64), np.zeros(4096, dtype=np.uint32)
    # A scan of DC in an interval of two blocks with differences 1 and 0, and one of a block with 1.
    blocks: list[Any] = [[plane], [(1, 1)], (1, 3), 2, (1, 0, 0, 0), [(0, 0)], 1, no_breaks]
    codes[:2] = 0b0 << 5 | 1, 0
    for padding in (b"\xff\xff", b"\xfa\xc5"):
        codes[1] = 0
        assert entropy.code(codes, padding, *blocks) is None
        codes[1] = 0b110 << 5 | 3
        coded = entropy.code(codes, padding, *blocks)
        assert coded is not None
        bits, stop_positions = coded
        assert stop_positions.tolist() == [1, 2]
    assert bits == bytes([0b11010010, 0b11010101])
    end_symbol = 9 << 8  # the index of the symbol that ends an interval
    assert np.flatnonzero(entropy.count(*blocks)).tolist() == [0, 1, end_symbol]


def test_the_kernel_refuses_missing_blocks() -> None:
    """Scans of blocks beyond the planes raise an error."""
    plane = np.zeros((2, 3, 64), dtype=np.int16)
    no_breaks = np.zeros(0, dtype=np.int64)
    arguments: list[Any] = [[plane], [(1, 1)], (2, 3), 6, (0, 0, 63, 0), [(0, 0)], 1, no_breaks]
    assert entropy.count(*arguments).sum() == 13
    for index, value in (
        (2, (3, 3)),
        (2, (2, 4)),
        (1, [(1, 2)]),
        (4, (0, 0, 64, 0)),
        (0, [plane] * 5),
    ):
        invalid_arguments: list[Any] = [*arguments[:index], value, *arguments[index + 1 :]]
        with pytest.raises(IndexError):
            entropy.count(*invalid_arguments)
