"""Recognition of a JPEG: ours is recognised like the control, what takes blocks apart is not."""

from collections import Counter

import numpy as np
import pytest

from sudokucrypt import Key, scramble_bytes
from sudokucrypt.analysis.attacks import Outcome, masked_in_place, recognition_attack
from sudokucrypt.images import decode_picture
from sudokucrypt.images.jpeg import read_coefficients
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
    control = recognition_attack(masked_in_place, jpegs.files()[name])
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
        [(number, *map(int.bit_length, row[1:])) for row in plane.reshape(-1, 64).tolist()]
        for number, plane in enumerate(planes)
    ]
    counts = Counter(each for plane in sizes for each in plane)
    alone = [np.array([counts[each] == 1 for each in plane]) for plane in sizes]
    result = recognition_attack(jpegs.ours, data)
    assert result.recovered == np.concatenate(alone).mean()
    light = alone[0].reshape(planes[0].shape[:2]).repeat(8, axis=0).repeat(8, axis=1)
    found = light[: result.picture.shape[0], : result.picture.shape[1]]
    assert 0.2 < found.mean() < 1
    plain = decode_picture(data).frames[0].pixels
    assert np.array_equal(result.picture, np.where(found[..., None], plain, 128))


def test_a_copy_among_the_others_is_the_picture() -> None:
    """The same file twice is one candidate, so the attack does not doubt which it is."""
    data = jpegs.files()["rocket"]
    result = recognition_attack(jpegs.ours, data, [data, jpegs.files()["camera"]])
    assert (result.candidates, result.outcome) == (4, Outcome.BROKEN)
