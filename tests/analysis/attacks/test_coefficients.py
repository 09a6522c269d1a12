"""The control of attacks on JPEG files: it masks what it says, and keeps all else."""

import numpy as np

from sudokucrypt.analysis.attacks import masked_in_place
from sudokucrypt.images.jpeg import read_coefficients
from tests.images.jpeg.corpus import saved, smooth


def test_signs_and_mantissas_change_and_sizes_stay() -> None:
    """Means, zeros and size classes stay, half of the signs flip, and the length stays."""
    for progressive in (False, True):
        data = saved(smooth(64, 80), quality=90, progressive=progressive)
        made = masked_in_place(data)
        assert abs(len(made) - len(data)) < 20  # bytes of ones are followed by a zero
        before, after = (
            np.concatenate(
                [
                    plane.reshape(-1, 64)
                    for plane in read_coefficients(each, max_pixels=2**24).coefficients
                ]
            )
            for each in (data, made)
        )
        assert np.array_equal(before[:, 0], after[:, 0])
        lengths = np.vectorize(int.bit_length)
        assert np.array_equal(
            lengths(before[:, 1:].astype(object)), lengths(after[:, 1:].astype(object))
        )
        others = before[:, 1:] != 0
        flipped = np.mean((before[:, 1:] * after[:, 1:].astype(int) < 0)[others])
        assert 0.45 < flipped < 0.55
