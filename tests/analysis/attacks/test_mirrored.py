"""The attack on mirrored blocks: its control falls, robust pictures hardly, the rest not at all."""

import numpy as np
import pytest

from sudokucrypt import Key, encrypt
from sudokucrypt.analysis.attacks import Outcome, mirrored_attack
from sudokucrypt.analysis.attacks.mirrored import (
    _BASIS,
    _GUESSED,
    SIDE,
    _distances,
    _fit_signs,
)
from sudokucrypt.analysis.baselines import BlockShuffle
from sudokucrypt.robust import moved_blocks
from tests.analysis.pictures import picture

KEY = Key(bytes(range(32)))
PHOTO = np.ascontiguousarray(picture("camera")[170:266, 170:266])


def test_plain_blocks_fall_and_mirrored_ones_hardly() -> None:
    """Of moved blocks a fifth or more of the neighbours come first, of mirrored ones few."""
    control = mirrored_attack(BlockShuffle(8).scramble, PHOTO)
    assert control.outcome is Outcome.BROKEN
    assert control.edges > 0.2
    assert control.known == 1
    result = mirrored_attack(lambda image: moved_blocks(image, KEY, salt=bytes(16)), PHOTO)
    assert result.outcome is not Outcome.BROKEN
    assert result.edges < 0.05
    assert result.known > 0.9  # who knows the picture finds its blocks again


def test_encryption_leaves_no_blocks() -> None:
    """Of an encrypted picture no block is known again, and nothing is found."""
    result = mirrored_attack(lambda image: encrypt(image, KEY).pixels, PHOTO)
    assert (result.outcome, result.known, result.recovered) == (Outcome.NOTHING, 0, 0)


@pytest.mark.parametrize(
    "pixels", [np.dstack([PHOTO] * 3), PHOTO.astype(np.uint16) * 257, PHOTO[:8, :64], PHOTO[3:101]]
)
def test_images_of_any_kind_are_cut_to_whole_blocks(pixels: np.ndarray) -> None:
    """Colors, depths and sides that are no multiples of 8 make no difference to the score."""
    result = mirrored_attack(lambda image: image, pixels)
    assert result.blocks == (pixels.shape[0] // 8) * (pixels.shape[1] // 8)
    assert result.recovered > 0.2


def test_guessed_signs_fit_best() -> None:
    """Signs of the lowest frequencies make no difference, and none fit worse than those given."""
    spectra = np.random.default_rng(5).normal(size=(3, SIDE, SIDE))
    mirrored = spectra.copy()
    mirrored[1, :_GUESSED, 1] *= -1
    costs = _fit_signs(spectra)
    assert np.allclose(costs, _fit_signs(mirrored))
    blocks = _BASIS.T @ spectra @ _BASIS
    assert (costs < _distances(blocks[:, :, -1], blocks[:, :, 0]) + 1e-9).all()
