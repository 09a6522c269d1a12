"""Known plaintext: recovery over the number of images follows the theory, for fixed maps only."""

from math import exp

import numpy as np
import pytest

from sudokucrypt import InvalidParameterError
from sudokucrypt.analysis.attacks import chosen_images, known_plaintext_attack, random_images
from sudokucrypt.analysis.attacks.plaintext import known_plaintext_share
from sudokucrypt.analysis.attacks.unit_maps import match_units, refine_classes
from sudokucrypt.analysis.baselines import UniformShuffle
from tests.analysis.pictures import picture


def test_theory_is_the_expected_number_of_classes() -> None:
    """That many of K random labels of L differ, on average."""
    drawn = np.random.default_rng(5).integers(0, 4096, (100, 1000))
    different = np.mean([len(np.unique(row)) / 1000 for row in drawn])
    assert known_plaintext_share(1000, 1, levels=4096) == pytest.approx(different, abs=0.003)


def test_recovery_follows_theory() -> None:
    """A fixed map of 256x256 gives what theory says, within what chance allows."""
    result = known_plaintext_attack(UniformShuffle().scramble, random_images((256, 256), 4))
    assert result.broken
    for actual, expected in zip(result.recovered_after, result.expected_after, strict=True):
        deviation = (expected / 65536) ** 0.5
        assert abs(actual - expected) < 5 * deviation
    for images, share in enumerate(result.certain_after, 1):
        assert abs(share - exp(-65536 / 256**images)) < 0.01
    assert "pictures can be seen after 2" in result.verdict


def test_photographs_give_less_than_random_images() -> None:
    """Three photographs break a fixed map too, with fewer classes than uniform samples have."""
    known = [picture("grass")[row : row + 128, :128] for row in (0, 128, 256)]
    result = known_plaintext_attack(UniformShuffle().scramble, known)
    assert 0.5 < result.recovered_after[-1] < result.expected_after[-1]
    assert result.recovered == result.recovered_after[-1]
    assert list(result.recovered_after) == sorted(result.recovered_after)
    camera = picture("camera")[:128, :128]
    seen = UniformShuffle().scramble(camera)
    right = [float(np.mean(result.restore(seen, images=n) == camera)) for n in (1, 2, 3)]
    assert right[0] < right[1] < right[2] == float(np.mean(result.restore(seen) == camera))


def test_chosen_images_are_the_best_known_ones() -> None:
    """As known images they give the whole map; with three channels, 2^24 values, one will do."""
    result = known_plaintext_attack(UniformShuffle(2).scramble, chosen_images((257, 256)))
    assert result.recovered == result.certain_after[-1] == 1.0
    assert result.recovered_after[1] < 1
    result = known_plaintext_attack(UniformShuffle().scramble, random_images((64, 64, 3), 1))
    assert min(result.recovered_after[0], result.expected_after[0]) > 0.999


def test_classes_hold_equal_units() -> None:
    """Units share a class if and only if they show the same in all images."""
    rng = np.random.default_rng(3)
    shown = rng.integers(0, 4, (3, 100, 2))
    order = rng.permutation(100)
    before = after = np.zeros(100, dtype=np.int64)
    for image in shown:
        before, after = refine_classes((before, image), (after, image[order]))
    rows = shown.swapaxes(0, 1).reshape(100, -1)
    equal = (rows[:, None] == rows[None]).all(axis=2)
    assert np.array_equal(before[:, None] == before[None], equal)
    assert np.array_equal(after, before[order])
    assert np.array_equal(before[match_units(before, after)], after)
    assert sorted(match_units(before, after).tolist()) == list(range(100))
    # Places whose units are all used, or were never there, get -1.
    assert match_units(np.array([4, 5, 5]), np.array([4, 4, 5, 6])).tolist() == [0, -1, 1, -1]


def test_images_are_counted_from_one() -> None:
    """A map after no image, or after more than there were, is refused."""
    result = known_plaintext_attack(UniformShuffle().scramble, random_images((4, 4), 2))
    for count in (0, 3):
        with pytest.raises(InvalidParameterError, match=r"counted 1\.\.2"):
            result.restore(np.zeros((4, 4), "u1"), images=count)


def test_random_images_are_uniform() -> None:
    """A seed gives the same images, all levels come, and their mean is in the middle."""
    one, two = random_images((200, 200), 2, seed=1)
    assert np.array_equal(one, random_images((200, 200), 2, seed=1)[0])
    assert not np.array_equal(one, two)
    assert len(np.unique(one)) == 256
    assert abs(one.mean() - 127.5) < 5 * 73.9 / 200
    assert set(np.unique(random_images((9, 9), 1, dtype=bool)[0])) == {False, True}
