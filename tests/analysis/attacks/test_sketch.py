"""The sketch of a JPEG: its control falls, which masks what it says, and of ours nothing shows."""

import numpy as np
import pytest

from sudokucrypt.analysis.attacks import Outcome, mask_in_place, sketch_attack
from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images.jpeg import read_coefficients
from tests.analysis.attacks import jpegs
from tests.images.jpeg.corpus import corpus, saved, smooth


@pytest.mark.parametrize("name", jpegs.NAMES)
def test_masking_in_place_falls_and_ours_shows_nothing(name: str) -> None:
    """BlockEdges and thumbnail of the control correlate by 0.8 or more, ours within chance."""
    control = sketch_attack(mask_in_place, jpegs.files()[name])
    assert control.outcome is Outcome.BROKEN
    assert min(control.edges, control.thumbnail) > 0.8
    result = sketch_attack(jpegs.ours, jpegs.files()[name])
    assert result.outcome is Outcome.NOTHING
    assert result.recovered < 4 / result.blocks**0.5
    assert result.verdict.startswith(f"nothing found: a sketch of {result.blocks} blocks")


def test_what_stays_is_what_is_drawn() -> None:
    """Masked means leave edges, means in place a thumbnail, and moved blocks neither."""
    data = jpegs.files()["astronaut"]
    edges = sketch_attack(jpegs.means_masked, data)
    assert edges.outcome is Outcome.BROKEN
    assert (edges.thumbnail < 0.1, edges.edges > 0.8) == (True, True)
    thumbnail = sketch_attack(jpegs.means_kept, data)
    assert thumbnail.outcome is Outcome.BROKEN
    assert (thumbnail.edges < 0.1, thumbnail.thumbnail > 0.8) == (True, True)
    assert sketch_attack(jpegs.moved, data).outcome is Outcome.NOTHING


def test_the_sketch_shows_the_picture() -> None:
    """The one that is returned is as large as the picture, and a thumbnail of it."""
    result = sketch_attack(mask_in_place, saved(smooth(65, 50), quality=90))
    assert result.picture.shape == result.seen.shape[:2] == (65, 50)
    assert len(np.unique(result.picture)) > 20
    assert (result.picture[:8, :8] == result.picture[0, 0]).all()


def test_files_of_any_kind_are_drawn() -> None:
    """Every sampling, kind of scan, number of components and odd size of the corpus."""
    for name, data in corpus().items():
        if "photograph" in name:
            continue
        result = sketch_attack(lambda file: file, data)
        assert result.outcome in Outcome, name
        # Elsewhere the first component is one of colors that have little in common here.
        if result.blocks > 40 and "x4 " not in name and "-rgb" not in name:
            assert result.thumbnail > 0.9, name


def test_files_that_cannot_be_attacked_are_refused() -> None:
    """What is no JPEG, is cut short, or has other blocks than before."""
    data = jpegs.files()["camera"]
    with pytest.raises(InvalidImageError, match="does not begin as a JPEG"):
        sketch_attack(jpegs.ours, b"no picture")
    with pytest.raises(InvalidImageError, match="the result"):
        sketch_attack(lambda file: file[:2000], data)
    with pytest.raises(InvalidImageError, match="with other blocks"):
        sketch_attack(lambda _: saved(smooth(65, 50)), data)
    with pytest.raises((InvalidImageError, UnsupportedError), match="pixels"):
        sketch_attack(jpegs.ours, data, max_pixels=100)


def test_signs_and_mantissas_change_and_sizes_stay() -> None:
    """Means, zeros and size classes stay, half of the signs flip, and the length stays."""
    for progressive in (False, True):
        data = saved(smooth(64, 80), quality=90, progressive=progressive)
        result = mask_in_place(data)
        assert abs(len(result) - len(data)) < 20  # bytes of ones are followed by a zero
        before, after = (
            np.concatenate(
                [
                    plane.reshape(-1, 64)
                    for plane in read_coefficients(each, max_pixels=2**24).coefficients
                ]
            )
            for each in (data, result)
        )
        assert np.array_equal(before[:, 0], after[:, 0])
        lengths = np.vectorize(int.bit_length)
        assert np.array_equal(
            lengths(before[:, 1:].astype(object)), lengths(after[:, 1:].astype(object))
        )
        others = before[:, 1:] != 0
        flipped = np.mean((before[:, 1:] * after[:, 1:].astype(int) < 0)[others])
        assert 0.45 < flipped < 0.55
