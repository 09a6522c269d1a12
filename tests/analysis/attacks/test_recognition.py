"""Recognition of a JPEG: ours is recognized like the control, what takes blocks apart is not."""

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key, scramble_bytes
from sudokucrypt.analysis.attacks import Outcome, mask_in_place, recognition_attack, sketch_attack
from sudokucrypt.analysis.attacks.recognition import (
    BlockHashes,
    _hash_blocks,
    _measure_common_share,
)
from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture
from sudokucrypt.images.jpeg import read_coefficients
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks import jpegs
from tests.images.jpeg.corpus import list_corpus, list_photographs, make_smooth, save_image


@pytest.mark.parametrize("name", jpegs.NAMES)
def test_ours_is_recognized_among_eight(name: str) -> None:
    """All sequences of the right photograph are there, and most blocks are found again."""
    others = [data for other, data in jpegs.files().items() if other != name]
    result = recognition_attack(jpegs.ours, jpegs.files()[name], others)
    assert (result.alike, result.candidates, result.outcome) == (1, 10, Outcome.BROKEN)
    assert result.next < 0.5
    assert result.recovered > 0.3
    assert "whoever has the picture recognizes it" in result.verdict
    control = recognition_attack(mask_in_place, jpegs.files()[name])
    assert (control.outcome, control.recovered) == (Outcome.BROKEN, result.recovered)


def test_frequencies_that_move_apart_are_not_recognized() -> None:
    """Histograms of each frequency stay, and no block does."""
    result = recognition_attack(jpegs.frequencies_moved, jpegs.files()["astronaut"])
    assert result.outcome is Outcome.NOTHING
    assert result.verdict.startswith("nothing found: nobody recognizes it")
    assert result.recovered < 0.02


def test_two_results_for_one_photograph_match() -> None:
    """Without the photograph, blocks of one scrambled copy are found again in another.

    So are those of an edited copy, under another key.
    """
    edited = list_photographs()["coffee"].copy()
    edited[100:200, 120:240] = 0
    first = jpegs.ours(jpegs.files()["coffee"])
    second, third = (
        scramble_bytes(data, Key(bytes(32)))
        for data in (jpegs.files()["coffee"], save_image(edited, quality=85))
    )
    whole = recognition_attack(lambda _: second, first)
    part = recognition_attack(lambda _: third, first)
    assert whole.outcome is part.outcome is Outcome.BROKEN
    assert (whole.alike, 0.8 < part.alike < 1) == (1, True)


def test_another_picture_is_not_recognized() -> None:
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


def frame_picture(name: str) -> AnyArray:
    """A photograph in color, cut to whole units."""
    image = np.atleast_3d(list_photographs()[name])
    rows, columns = (side // 16 * 16 for side in image.shape[:2])
    return image[:rows, :columns] if image.shape[2] == 3 else image[:rows, :columns, [0, 0, 0]]


def draw_file() -> AnyArray:
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
    alone = np.full_like(frame_picture(name), 128)
    signed = frame_picture(name).copy()
    alone[corner] = signed[corner] = draw_file()
    planes = read_coefficients(save_image(alone, quality=85), max_pixels=2**24).coefficients
    textured = np.concatenate(
        [np.count_nonzero(plane.reshape(-1, 64)[:, 1:], axis=1) >= 4 for plane in planes]
    )
    sought = block_hashes(save_image(alone, quality=85))[textured]
    with_it, without = (
        np.isin(sought, block_hashes(jpegs.ours(save_image(image, quality=85))))
        for image in (signed, frame_picture(name))
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
def test_edited_copies_are_recognized(change: Callable[[AnyArray], AnyArray], least: int) -> None:
    """Of eight scrambled photographs, that with most blocks of a copy is the right one."""
    right = 0
    for index, name in enumerate(jpegs.NAMES):
        copy = np.ascontiguousarray(change(frame_picture(name)))
        hashes = block_hashes(save_image(copy, quality=85))
        shares = [_measure_common_share(result, hashes) for result in results_of_eight()]
        right += index == np.argmax(shares)
    assert right >= least


@cache
def results_of_eight() -> list[BlockHashes]:
    """What scrambling makes of eight photographs, as numbers for blocks."""
    return [
        block_hashes(jpegs.ours(save_image(frame_picture(name), quality=85)))
        for name in jpegs.NAMES
    ]


def block_hashes(data: bytes) -> BlockHashes:
    """A number for each block of a file."""
    return _hash_blocks(read_coefficients(data, max_pixels=2**24))


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
    assert sketch_attack(jpegs.move_blocks, data).outcome is Outcome.NOTHING


def test_the_sketch_shows_the_picture() -> None:
    """The one that is returned is as large as the picture, and a thumbnail of it."""
    result = sketch_attack(mask_in_place, save_image(make_smooth(65, 50), quality=90))
    assert result.picture.shape == result.seen.shape[:2] == (65, 50)
    assert len(np.unique(result.picture)) > 20
    assert (result.picture[:8, :8] == result.picture[0, 0]).all()


def test_files_of_any_kind_are_drawn() -> None:
    """Every sampling, kind of scan, number of components and odd size of the corpus."""
    for name, data in list_corpus().items():
        if "photograph" in name:
            continue
        result = sketch_attack(lambda file: file, data)
        assert result.outcome in Outcome, name
        # Elsewhere the first component is one of colors that have little in common here.
        if result.blocks > 40 and "x4 " not in name and "-rgb" not in name:
            assert result.thumbnail > 0.9, name


def test_files_that_cannot_be_attacked_are_refused() -> None:
    """What is not a JPEG, is cut short, or has other blocks than before."""
    data = jpegs.files()["camera"]
    with pytest.raises(InvalidImageError, match="does not begin as a JPEG"):
        sketch_attack(jpegs.ours, b"no picture")
    with pytest.raises(InvalidImageError, match="the result"):
        sketch_attack(lambda file: file[:2000], data)
    with pytest.raises(InvalidImageError, match="with other blocks"):
        sketch_attack(lambda _: save_image(make_smooth(65, 50)), data)
    with pytest.raises((InvalidImageError, UnsupportedError), match="pixels"):
        sketch_attack(jpegs.ours, data, max_pixels=100)


def test_signs_and_mantissas_change_and_sizes_stay() -> None:
    """Means, zeros and size classes stay, half of the signs flip, and the length stays."""
    for progressive in (False, True):
        data = save_image(make_smooth(64, 80), quality=90, progressive=progressive)
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
