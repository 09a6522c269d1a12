"""Test attacks on unusual schemes, and the images that a recovered map restores."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis import attacks
from sudokucrypt.errors import InvalidImageError

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
