"""Chosen plaintext: every fixed map falls to ceil(log_L(K)) images."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import InvalidImageError, InvalidParameterError, invert
from sudokucrypt.analysis.attacks import chosen_images, chosen_plaintext_attack, random_images
from sudokucrypt.analysis.attacks.maps import Labels, MapCheck
from sudokucrypt.analysis.baselines import Baseline, UniformShuffle
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import scrambling


@pytest.mark.parametrize("kind", Baseline.__subclasses__())
def test_every_baseline_falls(kind: type[Baseline]) -> None:
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


def test_samples_are_traced_one_by_one() -> None:
    """Where colours mix, pixels cannot be traced, and samples can."""
    oracle = scrambling(context="album", unit="sample")
    assert chosen_plaintext_attack(oracle, (40, 40, 3)).recovered < 0.01
    result = chosen_plaintext_attack(oracle, (40, 40, 3), unit="sample")
    assert (result.queries, result.recovered) == (2, 1.0)
    image = random_images((40, 40, 3), 1, seed=4)[0]
    assert np.array_equal(result.restore(oracle(image)), image)


def test_the_published_numbers_of_images() -> None:
    """256x256 takes 2 images, all from 257x256 to 4096x4096 take 3 (Jolfaei et al. 2016)."""
    for shape, count in (((256, 256), 2), ((257, 256), 3), ((4096, 4096), 3), ((4097, 4096), 4)):
        assert Labels(shape, "uint8").images == count
    assert Labels((4096, 4096, 3), "uint8").images == 1
    assert [image.shape for image in chosen_images((256, 256))] == [(256, 256)] * 2


def test_a_map_in_part_is_not_called_whole() -> None:
    """A scheme that moves some pixels anew each time is recovered in part, and said to be."""
    check = MapCheck(lambda image: image, Labels((8, 8), "uint8"))
    places = np.arange(64)
    assert [check.share(np.where(places < n, places, -1)) for n in (0, 32, 64)] == [0, 0.5, 1]
    seeds = iter(range(100))

    def half(image: AnyArray) -> AnyArray:
        top = UniformShuffle(1).scramble(image[:16])
        return np.concatenate([top, UniformShuffle(next(seeds)).scramble(image[16:])])

    result = chosen_plaintext_attack(half, (32, 32))
    assert 0.5 <= result.recovered < 0.51
    assert "0.50" in result.verdict


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
    """Shapes, dtypes and units are checked first, and a scheme keeps the shape."""
    with pytest.raises(error):
        chosen_plaintext_attack(UniformShuffle().scramble, shape, **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidImageError, match=r"made \(4, 6\) of uint8 from \(6, 4\) of uint8"):
        chosen_plaintext_attack(np.transpose, (6, 4))
