"""Test attacks on unusual schemes, and the images that a recovered map restores."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis import attacks
from sudokucrypt.analysis.attacks import feistel, probing, repeats, summary
from sudokucrypt.analysis.attacks.scan_orders import (
    iterate_scans,
    list_scan_orders,
    list_two_way_orders,
)
from sudokucrypt.errors import InvalidImageError, UnsupportedError

SHAPE = (24, 18)
IMAGES = attacks.random_images(SHAPE, 3)
SHADES = np.uint8(np.add.outer(np.arange(24) ** 2 / 5, 3 * np.arange(18)) + 1)


def mirror_in_place(image: Any) -> Any:
    """Mirror an image in place."""
    image[:] = image[::-1].copy()
    return image


def invert_in_place(image: Any) -> Any:
    """Invert bits of an image in place."""
    image ^= 90
    return image


def mirror_to_native(image: Any) -> Any:
    """Mirror an image, and return samples in the byte order of the machine."""
    return image[::-1].astype(np.uint16)


ATTACKS: tuple[Callable[[], Any], ...] = (
    lambda: attacks.chosen_plaintext_attack(mirror_in_place, SHAPE),
    lambda: attacks.known_plaintext_attack(mirror_in_place, IMAGES),
    lambda: attacks.row_column_attack(mirror_in_place, image=IMAGES[0]),
    lambda: attacks.differential_attack(invert_in_place, SHAPE),
    lambda: attacks.reuse_attack(invert_in_place, IMAGES[0]),
    lambda: attacks.jigsaw_attack(mirror_in_place, SHADES, block_size=6),
    lambda: attacks.chosen_plaintext_attack(mirror_to_native, SHAPE, dtype=">u2"),
    lambda: attacks.known_plaintext_attack(
        mirror_to_native, attacks.random_images(SHAPE, 2, dtype=">u2")
    ),
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_schemes_may_work_in_place_and_in_any_byte_order(attack: Callable[[], Any]) -> None:
    """Attacks break schemes that work in place, without changing known images."""
    copies = [image.copy() for image in IMAGES]
    assert attack().broken
    assert all(np.array_equal(*pair) for pair in zip(copies, IMAGES, strict=True))


@pytest.mark.parametrize("number", [0, 2, 3])
def test_a_map_serves_images_of_its_size_only(number: int) -> None:
    """Restoring images of another size or dtype by a recovered map is refused."""
    result = ATTACKS[number]()
    for image in (np.zeros((18, 25), np.uint8), np.zeros(SHAPE), np.zeros(24 * 18, np.uint8)):
        with pytest.raises(InvalidImageError):
            result.restore(image)


def test_cuts_are_into_the_halves_that_they_name() -> None:
    """Each cut and its complement are tried, of samples by two operations and of bits by one."""
    cuts = [*feistel._iterate_cuts(np.zeros((4, 6), np.uint8))]
    rows, columns = np.indices((4, 6))
    bits = np.indices((24, 8))[1]  # the highest first
    halves = {
        "halves in reading order": rows < 2,
        "the left and the right": columns < 3,
        "every second sample": columns % 2 == 0,
        "every second row": rows % 2 == 0,
        "every second column": columns % 2 == 0,
        "nibbles": bits < 4,
        "every second pair of bits": bits // 2 % 2 == 0,
        "every second bit": bits % 2 == 0,
    }
    assert list(dict.fromkeys(cut.name for cut in cuts)) == [*halves]
    for name, half in halves.items():
        masks = [cut.half_mask.reshape(half.shape) for cut in cuts if cut.name == name]
        assert len(masks) == (2 if half.size == 192 else 4)
        assert all(np.array_equal(mask, half ^ (index % 2)) for index, mask in enumerate(masks))
    image = IMAGES[0][:4, :6]
    for cut in cuts:
        assert np.array_equal(cut.join(*cut.split(image), image), image)


@pytest.mark.parametrize("name", summary._SUMMARIES)
def test_summaries_are_set_to_each_value(name: str) -> None:
    """An image that is fitted to a value has it, and few other samples change."""
    rule, image = summary._SUMMARIES[name], IMAGES[0]
    for value in (rule.compute_value(image), rule.compute_value(IMAGES[1]), 1, 137):
        fitted = rule.set_value(image, value)
        assert rule.compute_value(fitted) == value
        assert fitted.dtype == image.dtype
        if "mean" not in name and name != "the sum":
            assert np.count_nonzero(fitted != image) <= 2
    assert np.array_equal(rule.set_value(image, rule.compute_value(image)), image) or "mean" in name


@pytest.mark.parametrize("kind", ["rows", "columns", "samples"])
def test_periodic_images_have_their_period_and_no_shorter_one(kind: str) -> None:
    """Rows, columns or samples of an image of noise repeat after the given number."""
    for lag in (1, 3, 8):
        image = repeats._make_periodic_image(kind, lag, IMAGES[0])
        shares = [repeats._measure_equal_share(image, kind, each) for each in range(1, 2 * lag + 1)]
        assert shares[lag - 1] == shares[2 * lag - 1] == 1
        assert max([*shares[: lag - 1], *shares[lag:-1]], default=0) < 0.2


def test_scan_orders_are_those_of_the_definitions() -> None:
    """Orders of two rows of three samples, and of two rows of two pixels of two channels."""
    assert {name: order.tolist() for name, order in list_scan_orders((2, 3)).items()} == {
        "rows": [0, 1, 2, 3, 4, 5],
        "columns": [0, 3, 1, 4, 2, 5],
        "rows in turns": [0, 1, 2, 5, 4, 3],
        "columns in turns": [0, 3, 4, 1, 2, 5],
        "diagonals": [0, 1, 3, 2, 4, 5],
        "zigzag": [0, 1, 3, 4, 2, 5],
    }
    orders = {name: order.tolist() for name, order in list_two_way_orders((2, 2, 2)).items()}
    assert len(orders) == 16
    assert orders["columns"] == [0, 1, 4, 5, 2, 3, 6, 7]
    assert orders["channels"] == [0, 2, 4, 6, 1, 3, 5, 7]
    assert orders["channels by columns"] == [0, 4, 2, 6, 1, 5, 3, 7]
    assert orders["channels backwards"] == [7, 5, 3, 1, 6, 4, 2, 0]


def test_scans_name_the_sample_before() -> None:
    """Each scan has the sample that lies before in its order, and -1 for the first ones."""
    scans = {scan.name: scan.previous_indices.tolist() for scan in iterate_scans((2, 3))}
    assert len(scans) == 2 * (4 + 5 * 1)
    assert scans["rows, 1 apart"] == [-1, 0, 1, 2, 3, 4]
    assert scans["rows backwards, 2 apart"] == [2, 3, 4, 5, -1, -1]
    assert scans["columns, 1 apart"] == [-1, 3, 4, 0, 1, 2]
    assert scans["rows in turns backwards, 1 apart"] == [1, 2, 5, -1, 3, 4]
    # By rows of 40 pixels of three channels, also what lies above; otherwise the pixel before.
    lags = [scan.name.partition(", ")[2] for scan in iterate_scans((3, 40, 3))]
    assert lags == [f"{lag} apart" for lag in (1, 1, 2, 2, 3, 3, 4, 4, 8, 8, 16, 16, 120, 120)] + [
        *["1 apart", "1 apart", "3 apart", "3 apart"] * 7
    ]


def test_results_that_do_not_depend_on_their_image_have_no_equal_parts() -> None:
    """If all results are equal, no change of an image is found to leave a part of them."""
    query = probing.Queries(np.zeros_like)
    assert repeats._describe_equal_parts(query, IMAGES[0], None) == ""


def test_restoring_needs_more_than_a_result_of_fresh_salt() -> None:
    """If equal images give different results, changed copies of one cannot be restored."""
    source = np.random.default_rng(1)
    target = attacks.Target(
        name="fresh",
        oracle=lambda image: image ^ source.integers(0, 256, image.shape, dtype=np.uint8),
        undo=lambda image: image,
    )
    with pytest.raises(
        UnsupportedError, match="equal images give different results, so restoring a result"
    ):
        attacks.ATTACKS["chosen-ciphertext"].run(target, IMAGES[0])
    with pytest.raises(UnsupportedError, match="cannot restore results"):
        attacks.ATTACKS["chosen-ciphertext"].run(
            attacks.Target(name="one way", oracle=mirror_to_native), IMAGES[0]
        )
