"""Chosen plaintext: every fixed map falls to ceil(log_L(K)) images, and no other one does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import InvalidImageError, InvalidParameterError, Key, invert, permutation, scramble
from sudokucrypt.analysis.attacks import (
    chosen_images,
    chosen_plaintext_attack,
    random_images,
)
from sudokucrypt.analysis.attacks.labels import Labels
from sudokucrypt.analysis.attacks.recovered import MapCheck
from sudokucrypt.analysis.baselines import Baseline, UniformShuffle
from tests.analysis.attacks.schemes import NEW_MAPS, ONE_MAP, scrambling


@pytest.mark.parametrize("kind", Baseline.__subclasses__())
def test_every_baseline_falls_to_three_images(kind: type[Baseline]) -> None:
    """At 272x272 and 8 bits the whole map comes back, exactly."""
    scheme = kind()
    result = chosen_plaintext_attack(scheme.scramble, (272, 272))
    assert result.queries == 3
    assert result.recovered == 1.0
    assert np.array_equal(result.sources, invert(scheme.targets(272, 272)))
    assert result.verdict.startswith("broken: 3 chosen images gave the places of all 73984 pixels")


@pytest.mark.parametrize("name", ONE_MAP)
def test_a_fixed_context_falls_to_three_images(name: str) -> None:
    """Scrambling under one context is one map, and a later picture comes back without the key."""
    result = chosen_plaintext_attack(ONE_MAP[name], (272, 272))
    assert (result.queries, result.recovered, result.broken) == (3, 1.0, True)
    later = random_images((272, 272), 1, seed=7)[0]
    scrambled = ONE_MAP[name](later)
    assert np.array_equal(result.restore(scrambled), later)
    assert np.array_equal(result.restore(np.asfortranarray(scrambled)), later)


@pytest.mark.parametrize("name", NEW_MAPS)
def test_maps_of_their_own_do_not_fall(name: str) -> None:
    """With salt, without, and encrypted: less than a thousandth of the map holds for others."""
    result = chosen_plaintext_attack(NEW_MAPS[name], (272, 272))
    assert result.recovered < 0.001
    assert not result.broken
    assert result.verdict.startswith("not broken by this attack: the map from 3 chosen images")


def test_the_map_is_that_of_permutation() -> None:
    """What the attack finds is what `permutation` makes, for the key and the nonce behind it."""
    key = Key(bytes(32))
    map_ = permutation(30 * 41, key, nonce=b"n")
    result = chosen_plaintext_attack(
        lambda image: image.reshape(-1)[map_].reshape(image.shape), (30, 41)
    )
    assert np.array_equal(result.sources, map_)


@given(
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.sampled_from([None, 1, 2, 3, 4]),
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


def test_samples_are_traced_one_by_one() -> None:
    """Where colours mix, pixels cannot be traced, and samples can."""
    oracle = scrambling(context="album", unit="sample")
    assert chosen_plaintext_attack(oracle, (40, 40, 3)).recovered < 0.01
    result = chosen_plaintext_attack(oracle, (40, 40, 3), unit="sample")
    assert (result.queries, result.recovered) == (2, 1.0)
    picture = random_images((40, 40, 3), 1, seed=4)[0]
    assert np.array_equal(result.restore(oracle(picture)), picture)


def test_the_published_numbers_of_images() -> None:
    """256x256 takes 2 images, all from 257x256 to 4096x4096 take 3 (Jolfaei et al. 2016)."""
    for shape, count in (((256, 256), 2), ((257, 256), 3), ((4096, 4096), 3), ((4097, 4096), 4)):
        assert Labels(shape, "uint8").images == count
    assert Labels((4096, 4096, 3), "uint8").images == 1
    assert [image.shape for image in chosen_images((256, 256))] == [(256, 256)] * 2


def test_the_key_makes_no_difference() -> None:
    """The attack needs no weakness of a key: it finds the maps of ten keys."""
    for number in range(10):
        key = Key(bytes([number]) * 32)

        def oracle(image: np.ndarray, key: Key = key) -> np.ndarray:
            return scramble(image, key, context="c").pixels

        assert chosen_plaintext_attack(oracle, (20, 30)).recovered == 1.0


def test_a_map_in_part_is_not_called_whole() -> None:
    """A scheme that moves some pixels anew each time is recovered in part, and said to be."""
    seeds = iter(range(100))

    def half(image: np.ndarray) -> np.ndarray:
        top = UniformShuffle(1).scramble(image[:16])
        return np.concatenate([top, UniformShuffle(next(seeds)).scramble(image[16:])])

    result = chosen_plaintext_attack(half, (32, 32))
    assert 0.5 <= result.recovered < 0.51
    assert "0.50" in result.verdict


def test_unknown_places_are_never_right() -> None:
    """The worth of a map counts what it knows: none, one half, all."""
    check = MapCheck(lambda image: image, Labels((8, 8), "uint8"))
    places = np.arange(64)
    assert check.share(np.full(64, -1)) == 0
    assert check.share(np.where(places < 32, places, -1)) == 0.5
    assert check.share(places) == 1


@pytest.mark.parametrize(
    ("shape", "options", "error"),
    [
        ((5,), {}, InvalidImageError),
        ((5, 0), {}, InvalidImageError),
        ((5, 5), {"dtype": "float32"}, InvalidImageError),
        ((5, 5), {"unit": "block"}, InvalidParameterError),
    ],
)
def test_what_cannot_be_attacked_is_refused(
    shape: tuple[int, ...], options: dict[str, str], error: type[Exception]
) -> None:
    """Shapes, dtypes and units are checked first."""
    with pytest.raises(error):
        chosen_plaintext_attack(UniformShuffle().scramble, shape, **options)  # type: ignore[arg-type]


def test_a_scheme_that_changes_the_shape_is_refused() -> None:
    """The error says what came out of what."""
    with pytest.raises(InvalidImageError, match=r"made \(4, 6\) of uint8 from \(6, 4\) of uint8"):
        chosen_plaintext_attack(np.transpose, (6, 4))


def test_the_order_in_memory_makes_no_difference() -> None:
    """A scrambled image in column order, as fancy indexing makes it, comes back as well."""
    image = random_images((40, 30), 1, seed=8)[0]
    rows, columns = np.random.default_rng(1).permutation(40), np.arange(30)[::-1]

    def scheme(plain: np.ndarray) -> np.ndarray:
        return np.asfortranarray(plain[rows][:, columns])

    result = chosen_plaintext_attack(scheme, image.shape)
    assert np.array_equal(result.restore(scheme(image)), image)
