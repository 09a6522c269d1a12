"""What attacks take of schemes that others write, and where a recovered map is of use."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis import attacks
from sudokucrypt.errors import InvalidImageError

SHAPE = (24, 18)
IMAGES = attacks.random_images(SHAPE, 3)
SHADES = np.uint8(np.add.outer(np.arange(24) ** 2 / 5, 3 * np.arange(18)) + 1)


def upside_down(image: Any) -> Any:
    """A scheme that works in place."""
    image[:] = image[::-1].copy()
    return image


def exclusive_or(image: Any) -> Any:
    """Another one."""
    image ^= 90
    return image


def native(image: Any) -> Any:
    """A scheme that returns samples in the byte order of the machine."""
    return image[::-1].astype(np.uint16)


ATTACKS: tuple[Callable[[], Any], ...] = (
    lambda: attacks.chosen_plaintext_attack(upside_down, SHAPE),
    lambda: attacks.known_plaintext_attack(upside_down, IMAGES),
    lambda: attacks.row_column_attack(upside_down, image=IMAGES[0]),
    lambda: attacks.differential_attack(exclusive_or, SHAPE),
    lambda: attacks.reuse_attack(exclusive_or, IMAGES[0]),
    lambda: attacks.jigsaw_attack(upside_down, SHADES, block_size=6),
    lambda: attacks.chosen_plaintext_attack(native, SHAPE, dtype=">u2"),
    lambda: attacks.known_plaintext_attack(native, attacks.random_images(SHAPE, 2, dtype=">u2")),
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_schemes_may_work_in_place_and_in_any_byte_order(attack: Callable[[], Any]) -> None:
    """Attacks break such schemes as they break others, and leave known images as they are."""
    before = [image.copy() for image in IMAGES]
    assert attack().broken
    assert all(np.array_equal(*pair) for pair in zip(before, IMAGES, strict=True))


@pytest.mark.parametrize("number", [0, 2, 3])
def test_a_map_serves_images_of_its_size_only(number: int) -> None:
    """Images of other sizes or dtypes are refused."""
    result = ATTACKS[number]()
    for image in (np.zeros((18, 25), np.uint8), np.zeros(SHAPE), np.zeros(24 * 18, np.uint8)):
        with pytest.raises(InvalidImageError):
            result.restore(image)
