"""Recognition of a JPEG: ours is recognised like the control, what takes blocks apart is not."""

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key, scramble_bytes
from sudokucrypt.analysis.attacks import Outcome, mask_in_place, recognition_attack
from sudokucrypt.analysis.attacks.recognition import BlockHashes, _hashes, _in_common
from sudokucrypt.images import decode_picture
from sudokucrypt.images.jpeg import read_coefficients
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks import jpegs
from tests.images.jpeg.corpus import photographs, saved


@pytest.mark.parametrize("name", jpegs.NAMES)
def test_ours_is_recognised_among_eight(name: str) -> None:
    """All sequences of the right photograph are there, and most blocks are found again."""
    others = [data for other, data in jpegs.files().items() if other != name]
    result = recognition_attack(jpegs.ours, jpegs.files()[name], others)
    assert (result.alike, result.candidates, result.outcome) == (1, 10, Outcome.BROKEN)
    assert result.next < 0.5
    assert result.recovered > 0.3
    assert "whoever has the picture recognises it" in result.verdict
    control = recognition_attack(mask_in_place, jpegs.files()[name])
    assert (control.outcome, control.recovered) == (Outcome.BROKEN, result.recovered)


def test_frequencies_that_move_apart_are_not_recognised() -> None:
    """Histograms of each frequency stay, and no block does."""
    result = recognition_attack(jpegs.frequencies_moved, jpegs.files()["astronaut"])
    assert result.outcome is Outcome.NOTHING
    assert result.verdict.startswith("nothing found: nobody recognises it")
    assert result.recovered < 0.02


def test_two_results_for_one_photograph_match() -> None:
    """Without the photograph, blocks of one scrambled copy are found again in another.

    So are those of an edited copy, under another key.
    """
    edited = photographs()["coffee"].copy()
    edited[100:200, 120:240] = 0
    first = jpegs.ours(jpegs.files()["coffee"])
    second, third = (
        scramble_bytes(data, Key(bytes(32)))
        for data in (jpegs.files()["coffee"], saved(edited, quality=85))
    )
    whole = recognition_attack(lambda _: second, first)
    part = recognition_attack(lambda _: third, first)
    assert whole.outcome is part.outcome is Outcome.BROKEN
    assert (whole.alike, 0.8 < part.alike < 1) == (1, True)


def test_another_picture_is_not_recognised() -> None:
    """A scheme that returns another photograph gives nothing away of this one."""
    cropped = {
        name: data for name, data in jpegs.files().items() if name in ("astronaut", "coffee")
    }
    result = recognition_attack(lambda _: cropped["coffee"], cropped["astronaut"])
    assert result.outcome is Outcome.NOTHING


def test_coarse_pictures_leak() -> None:
    """Where few blocks are alone with their sequence, the picture is still told from others."""
    photo, *others = (jpegs.files(35)[name] for name in ("rocket", "moon", "camera"))
    result = recognition_attack(jpegs.ours, photo, others)
    assert result.recovered < 0.2
    assert result.outcome is Outcome.LEAKS


def test_the_map_that_is_found_is_the_true_one() -> None:
    """What is shown of the picture are the blocks whose sequences occur once, in their places."""
    data = jpegs.files(75)["moon"]
    planes = read_coefficients(data, max_pixels=2**24).coefficients
    sizes = [
        [(index, *map(int.bit_length, row[1:])) for row in plane.reshape(-1, 64).tolist()]
        for index, plane in enumerate(planes)
    ]
    counts = Counter(each for plane in sizes for each in plane)
    alone = [np.array([counts[each] == 1 for each in plane]) for plane in sizes]
    result = recognition_attack(jpegs.ours, data)
    assert result.recovered == np.concatenate(alone).mean()
    light = alone[0].reshape(planes[0].shape[:2]).repeat(8, axis=0).repeat(8, axis=1)
    actual = light[: result.picture.shape[0], : result.picture.shape[1]]
    assert 0.2 < actual.mean() < 1
    plain = decode_picture(data).pixels
    assert np.array_equal(result.picture, np.where(actual[..., None], plain, 128))


def test_a_copy_among_the_others_is_the_picture() -> None:
    """The same file twice is one candidate, so the attack does not doubt which it is."""
    data = jpegs.files()["rocket"]
    result = recognition_attack(jpegs.ours, data, [data, jpegs.files()["camera"]])
    assert (result.candidates, result.outcome) == (4, Outcome.BROKEN)


def framed(name: str) -> AnyArray:
    """A photograph in color, cut to whole units."""
    image = np.atleast_3d(photographs()[name])
    rows, columns = (side // 16 * 16 for side in image.shape[:2])
    return image[:rows, :columns] if image.shape[2] == 3 else image[:rows, :columns, [0, 0, 0]]


def drawn() -> AnyArray:
    """A sign of 64 x 64 pixels: a disc and a bar on white."""
    rows, columns = np.indices((64, 64)) - 32
    sign = np.full((64, 64, 3), 255, dtype=np.uint8)
    sign[rows**2 + columns**2 < 600] = (200, 30, 40)
    sign[abs(rows - columns // 3) < 5] = (20, 40, 160)
    return sign


@pytest.mark.parametrize("name", jpegs.NAMES)
def test_a_known_object_is_found(name: str) -> None:
    """Every textured block of a sign that stands in a photograph, and hardly one where none is."""
    corner = (slice(64, 128), slice(96, 160))
    alone = np.full_like(framed(name), 128)
    signed = framed(name).copy()
    alone[corner] = signed[corner] = drawn()
    planes = read_coefficients(saved(alone, quality=85), max_pixels=2**24).coefficients
    textured = np.concatenate(
        [np.count_nonzero(plane.reshape(-1, 64)[:, 1:], axis=1) >= 4 for plane in planes]
    )
    sought = block_hashes(saved(alone, quality=85))[textured]
    with_it, without = (
        np.isin(sought, block_hashes(jpegs.ours(saved(image, quality=85))))
        for image in (signed, framed(name))
    )
    assert len(sought) > 40
    assert with_it.all()
    assert without.mean() < 0.1


@pytest.mark.parametrize(
    ("change", "least"),
    [
        (lambda image: image[:, ::-1], 8),
        (lambda image: np.clip(image.astype(int) + 20, 0, 255).astype(np.uint8), 8),
        (lambda image: image[32:, 48:], 8),
        (lambda image: image[35:, 45:], 6),
        (lambda image: np.asarray(Image.fromarray(image).reduce(2)), 6),
    ],
    ids=["mirrored", "brightened", "cropped", "cropped beside blocks", "half the size"],
)
def test_edited_copies_are_recognised(change: Callable[[AnyArray], AnyArray], least: int) -> None:
    """Of eight scrambled photographs, that with most blocks of a copy is the right one."""
    right = 0
    for index, name in enumerate(jpegs.NAMES):
        copy = np.ascontiguousarray(change(framed(name)))
        hashes = block_hashes(saved(copy, quality=85))
        shares = [_in_common(result, hashes) for result in results_of_eight()]
        right += index == np.argmax(shares)
    assert right >= least


@cache
def results_of_eight() -> list[BlockHashes]:
    """What scrambling makes of eight photographs, as numbers for blocks."""
    return [block_hashes(jpegs.ours(saved(framed(name), quality=85))) for name in jpegs.NAMES]


def block_hashes(data: bytes) -> BlockHashes:
    """A number for each block of a file."""
    return _hashes(read_coefficients(data, max_pixels=2**24))
