"""Chosen plaintext: every fixed map falls to ceil(log_L(K)) images."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import invert
from sudokucrypt.analysis.attacks import (
    AttackUnit,
    Oracle,
    Outcome,
    chosen_images,
    chosen_plaintext_attack,
    random_images,
)
from sudokucrypt.analysis.attacks.unit_maps import ImageUnits, MapCheck
from sudokucrypt.analysis.baselines import BitShuffle, PixelMap, UniformShuffle
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import scrambling, seed_of


@pytest.mark.parametrize("kind", PixelMap.__subclasses__())
def test_every_pixel_map_falls(kind: type[PixelMap]) -> None:
    """The whole map comes back, exactly."""
    scheme = kind()
    result = chosen_plaintext_attack(scheme.scramble, (64, 64))
    assert (result.queries, result.recovered) == (2, 1.0)
    assert np.array_equal(result.sources, invert(scheme.targets(64, 64)))
    assert result.verdict.startswith("broken: 2 chosen images gave the places of all 4096 pixels")


@settings(max_examples=20)
@given(
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.sampled_from([None, 1, 2, 3, 5]),
    st.sampled_from(["bool", "uint8", "uint16"]),
)
def test_any_shape_and_depth(shape: tuple[int, ...], channels: int | None, dtype: str) -> None:
    """The number of images is ceil(log_L(K) / C), and the map exact, however small the image."""
    whole = shape if channels is None else (*shape, channels)
    scheme = UniformShuffle(3)
    result = chosen_plaintext_attack(scheme.scramble, whole, dtype=dtype)
    per_image = {"bool": 2, "uint8": 2**8, "uint16": 2**16}[dtype] ** (channels or 1)
    pixels = shape[0] * shape[1]
    assert per_image**result.queries >= pixels
    assert result.queries == 1 or per_image ** (result.queries - 1) < pixels
    assert np.array_equal(result.sources, invert(scheme.targets(*shape)))
    assert result.recovered == 1.0


@pytest.mark.parametrize(
    ("oracle", "unit", "queries", "dtype"),
    [
        (scrambling(context="album", unit="sample"), "sample", 2, "uint8"),
        (BitShuffle(2).scramble, "bit", 16, "uint8"),
        (BitShuffle(2).scramble, "bit", 17, "uint16"),
        (UniformShuffle(2).scramble, "pixel", 1, "uint16"),
    ],
)
def test_the_unit_that_moves_is_found(
    oracle: Oracle, unit: AttackUnit, queries: int, dtype: str
) -> None:
    """Where colours or bits mix, pixels cannot be traced, and samples or bits can."""
    shape = (40, 40, 3)
    result = chosen_plaintext_attack(oracle, shape, dtype=dtype)
    assert (result.unit, result.queries, result.recovered) == (unit, queries, 1.0)
    image = random_images(shape, 1, seed=4, dtype=dtype)[0]
    assert np.array_equal(result.restore(oracle(image)), image)
    if unit != "pixel":
        assert chosen_plaintext_attack(oracle, shape, dtype=dtype, unit="pixel").recovered < 0.01


@pytest.mark.parametrize("shape", [(64, 64), (48, 80), (20, 32, 3)])
@pytest.mark.parametrize("content", [np.sum, lambda image: np.bincount(image.reshape(-1))])
def test_a_map_keyed_by_the_content_is_not_called_whole(
    shape: tuple[int, ...], content: Callable[[AnyArray], Any]
) -> None:
    """It holds for images of one histogram, which is said, and for no others."""

    def keyed(image: AnyArray) -> AnyArray:
        return UniformShuffle(seed_of(content(image))).scramble(image)

    result = chosen_plaintext_attack(keyed, shape)
    assert (result.recovered, result.alike, result.outcome) == (0, 1, Outcome.LEAKS)
    assert result.verdict.startswith("leaks: one map for images of one histogram")
    other = random_images(shape, 1, seed=3)[0]
    assert np.mean(result.restore(keyed(other)) == other) < 0.02


def test_chosen_images_are_of_the_shape() -> None:
    """256x256 pixels take two of them."""
    assert [image.shape for image in chosen_images((256, 256))] == [(256, 256)] * 2


@pytest.mark.parametrize("unit", ["pixel", "sample", "bit"])
@pytest.mark.parametrize("shape", [(64, 64), (32, 48, 3)])
def test_chosen_images_have_one_histogram_and_hold_every_number(
    shape: tuple[int, ...], unit: AttackUnit
) -> None:
    """Where the levels divide the units; and numbers come back from the images, any of them."""
    labels = ImageUnits(shape, "uint8", unit)
    images = labels.encode(np.arange(labels.count))
    assert len({np.sort(labels.split(image), axis=0).tobytes() for image in images}) == 1
    numbers = np.random.default_rng(1).integers(0, labels.count, labels.count)
    assert np.array_equal(labels.decode(labels.encode(numbers)), numbers)
    assert all(np.array_equal(labels.join(labels.split(image)), image) for image in images)


def test_a_map_in_part_is_not_called_whole() -> None:
    """A scheme that moves some pixels anew each time is recovered in part, and said to be."""
    check = MapCheck(ImageUnits((8, 8), "uint8"))
    positions = np.arange(64)
    shares = [
        check.share(np.where(positions < n, positions, -1), check.images) for n in (0, 32, 64)
    ]
    assert shares == pytest.approx([0, 0.5, 1], abs=1e-4)
    seeds = iter(range(100))

    def half(image: AnyArray) -> AnyArray:
        top = UniformShuffle(1).scramble(image[:16])
        return np.concatenate([top, UniformShuffle(next(seeds)).scramble(image[16:])])

    result = chosen_plaintext_attack(half, (32, 32))
    assert 0.499 <= result.recovered < 0.51
    assert result.broken
    assert "0.50" in result.verdict or "0.49" in result.verdict
