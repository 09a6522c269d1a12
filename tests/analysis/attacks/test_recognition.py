"""Test recognition and sketches of scrambled JPEG files."""

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key, scramble_bytes
from sudokucrypt.analysis.attacks import Outcome, mask_in_place, recognition_attack, sketch_attack
from sudokucrypt.analysis.attacks.recognition import (
    _TRANSPOSED_INDICES,
    BlockHashes,
    _hash_blocks,
    _measure_common_share,
)
from sudokucrypt.analysis.attacks.sketch import _compute_luminance
from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture
from sudokucrypt.images.jpeg import ZIGZAG, read_coefficients
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks import jpegs
from tests.images.jpeg.corpus import list_corpus, list_photographs, make_smooth, save_image


@pytest.mark.parametrize("name", jpegs.NAMES)
def test_ours_is_recognized_among_eight(name: str) -> None:
    """Each of eight scrambled photographs is recognized, and a third of its blocks located."""
    others = [data for other, data in jpegs.load_files().items() if other != name]
    result = recognition_attack(jpegs.scramble_file, jpegs.load_files()[name], others)
    assert (result.alike, result.candidates, result.outcome) == (1, 10, Outcome.BROKEN)
    assert result.next < 0.5
    assert result.recovered > 0.3
    assert "anyone who has the picture recognizes it" in result.verdict
    control = recognition_attack(mask_in_place, jpegs.load_files()[name])
    assert (control.outcome, control.recovered) == (Outcome.BROKEN, result.recovered)


def test_frequencies_that_move_apart_are_not_recognized() -> None:
    """If frequencies are exchanged between blocks, a photograph is not recognized."""
    result = recognition_attack(jpegs.shuffle_frequencies, jpegs.load_files()["astronaut"])
    assert result.outcome is Outcome.NOTHING
    assert result.verdict.startswith("nothing found: nobody recognizes it")
    assert result.recovered < 0.02


def test_two_results_for_one_photograph_match() -> None:
    """Blocks of one scrambled copy are located in another one, and in that of an edited copy."""
    edited = list_photographs()["coffee"].copy()
    edited[100:200, 120:240] = 0
    first = jpegs.scramble_file(jpegs.load_files()["coffee"])
    second, third = (
        scramble_bytes(data, Key(bytes(32)))
        for data in (jpegs.load_files()["coffee"], save_image(edited, quality=85))
    )
    whole = recognition_attack(lambda _: second, first)
    part = recognition_attack(lambda _: third, first)
    assert whole.outcome is part.outcome is Outcome.BROKEN
    assert (whole.alike, 0.8 < part.alike < 1) == (1, True)


def test_another_picture_is_not_recognized() -> None:
    """Nothing is found if a scheme returns another photograph."""
    cropped = {
        name: data for name, data in jpegs.load_files().items() if name in ("astronaut", "coffee")
    }
    result = recognition_attack(lambda _: cropped["coffee"], cropped["astronaut"])
    assert result.outcome is Outcome.NOTHING


def test_coarse_pictures_leak() -> None:
    """A coarse picture with few unique blocks is still recognized, which is a leak."""
    photo, *others = (jpegs.load_files(35)[name] for name in ("rocket", "moon", "camera"))
    result = recognition_attack(jpegs.scramble_file, photo, others)
    assert result.recovered < 0.2
    assert result.outcome is Outcome.LEAKS


def test_the_map_that_is_found_is_the_true_one() -> None:
    """The found picture shows exactly the blocks whose sequences occur once."""
    data = jpegs.load_files(75)["moon"]
    planes = read_coefficients(data, max_pixels=2**24).coefficients
    sizes = [
        [(index, *map(int.bit_length, row[1:])) for row in plane.reshape(-1, 64).tolist()]
        for index, plane in enumerate(planes)
    ]
    counts = Counter(each for plane in sizes for each in plane)
    unique_blocks = [np.array([counts[each] == 1 for each in plane]) for plane in sizes]
    result = recognition_attack(jpegs.scramble_file, data)
    assert result.recovered == np.concatenate(unique_blocks).mean()
    light = unique_blocks[0].reshape(planes[0].shape[:2]).repeat(8, axis=0).repeat(8, axis=1)
    actual = light[: result.picture.shape[0], : result.picture.shape[1]]
    assert 0.2 < actual.mean() < 1
    plain = decode_picture(data).pixels
    assert np.array_equal(result.picture, np.where(actual[..., None], plain, 128))


def test_a_copy_among_other_candidates_counts_as_the_picture() -> None:
    """A copy of the file among the others is no further candidate, and the file is recognized."""
    data = jpegs.load_files()["rocket"]
    result = recognition_attack(jpegs.scramble_file, data, [data, jpegs.load_files()["camera"]])
    assert (result.candidates, result.outcome) == (4, Outcome.BROKEN)


def crop_photograph(name: str) -> AnyArray:
    """Return a color photograph, cropped to whole units."""
    image = np.atleast_3d(list_photographs()[name])
    rows, columns = (side // 16 * 16 for side in image.shape[:2])
    return image[:rows, :columns] if image.shape[2] == 3 else image[:rows, :columns, [0, 0, 0]]


def draw_sign() -> AnyArray:
    """Return a sign of 64 x 64 pixels: a disc and a bar on white."""
    rows, columns = np.indices((64, 64)) - 32
    sign = np.full((64, 64, 3), 255, dtype=np.uint8)
    sign[rows**2 + columns**2 < 600] = (200, 30, 40)
    sign[abs(rows - columns // 3) < 5] = (20, 40, 160)
    return sign


@pytest.mark.parametrize("name", jpegs.NAMES)
def test_a_known_object_is_found(name: str) -> None:
    """All textured blocks of a sign are found in a photograph that contains it, few in others."""
    corner = (slice(64, 128), slice(96, 160))
    object_alone = np.full_like(crop_photograph(name), 128)
    signed = crop_photograph(name).copy()
    object_alone[corner] = signed[corner] = draw_sign()
    planes = read_coefficients(save_image(object_alone, quality=85), max_pixels=2**24).coefficients
    textured = np.concatenate(
        [np.count_nonzero(plane.reshape(-1, 64)[:, 1:], axis=1) >= 4 for plane in planes]
    )
    sought = hash_file_blocks(save_image(object_alone, quality=85))[textured]
    with_it, without = (
        np.isin(sought, hash_file_blocks(jpegs.scramble_file(save_image(image, quality=85))))
        for image in (signed, crop_photograph(name))
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
    """Of eight scrambled photographs, an edited copy shares most blocks with the right one."""
    right = 0
    for index, name in enumerate(jpegs.NAMES):
        copy = np.ascontiguousarray(change(crop_photograph(name)))
        hashes = hash_file_blocks(save_image(copy, quality=85))
        shares = [_measure_common_share(result, hashes) for result in hash_results()]
        right += index == np.argmax(shares)
    assert right >= least


@cache
def hash_results() -> list[BlockHashes]:
    """Return the block hashes of eight scrambled photographs."""
    return [
        hash_file_blocks(jpegs.scramble_file(save_image(crop_photograph(name), quality=85)))
        for name in jpegs.NAMES
    ]


def hash_file_blocks(data: bytes) -> BlockHashes:
    """Return a hash of each block of a file."""
    return _hash_blocks(read_coefficients(data, max_pixels=2**24))


@pytest.mark.parametrize("name", jpegs.NAMES)
def test_masking_in_place_falls_and_ours_shows_nothing(name: str) -> None:
    """Sketches of the control correlate by more than 0.8, and those of ours within chance."""
    control = sketch_attack(mask_in_place, jpegs.load_files()[name])
    assert control.outcome is Outcome.BROKEN
    assert min(control.edges, control.thumbnail) > 0.8
    result = sketch_attack(jpegs.scramble_file, jpegs.load_files()[name])
    assert result.outcome is Outcome.NOTHING
    assert result.recovered < 4 / result.blocks**0.5
    assert result.verdict.startswith(f"nothing found: a sketch of {result.blocks} blocks")


def test_sketches_show_only_unmasked_properties() -> None:
    """Masked means show only edges, unmasked means only a thumbnail, moved blocks neither."""
    data = jpegs.load_files()["astronaut"]
    edges = sketch_attack(jpegs.mask_means, data)
    assert edges.outcome is Outcome.BROKEN
    assert (edges.thumbnail < 0.1, edges.edges > 0.8) == (True, True)
    thumbnail = sketch_attack(jpegs.keep_means, data)
    assert thumbnail.outcome is Outcome.BROKEN
    assert (thumbnail.edges < 0.1, thumbnail.thumbnail > 0.8) == (True, True)
    assert sketch_attack(jpegs.shuffle_blocks, data).outcome is Outcome.NOTHING


def test_the_sketch_shows_the_picture() -> None:
    """The returned sketch has the size of the picture, with a gray level for each block."""
    result = sketch_attack(mask_in_place, save_image(make_smooth(65, 50), quality=90))
    assert result.picture.shape == result.seen.shape[:2] == (65, 50)
    assert len(np.unique(result.picture)) > 20
    assert (result.picture[:8, :8] == result.picture[0, 0]).all()


def test_files_of_any_kind_are_drawn() -> None:
    """All files of the corpus are sketched: every sampling, scan, component count and odd size."""
    for name, data in list_corpus().items():
        if "photograph" in name:
            continue
        result = sketch_attack(lambda file: file, data)
        assert result.outcome in Outcome, name
        # In the others, the first component is a color that differs from the luminance.
        if result.blocks > 40 and "x4 " not in name and "-rgb" not in name:
            assert result.thumbnail > 0.9, name


def test_files_that_cannot_be_attacked_are_refused() -> None:
    """Files that are no JPEG, are cut or have other blocks, and too large ones, are refused."""
    data = jpegs.load_files()["camera"]
    with pytest.raises(InvalidImageError, match="does not begin as a JPEG"):
        sketch_attack(jpegs.scramble_file, b"no picture")
    with pytest.raises(InvalidImageError, match="the result"):
        sketch_attack(lambda file: file[:2000], data)
    with pytest.raises(
        InvalidImageError, match="the result differs from its plain JPEG in size or sampling"
    ):
        sketch_attack(lambda _: save_image(make_smooth(65, 50)), data)
    with pytest.raises((InvalidImageError, UnsupportedError), match="pixels"):
        sketch_attack(jpegs.scramble_file, data, max_pixels=100)


def test_signs_and_mantissas_change_and_sizes_stay() -> None:
    """The control keeps means, zeros, size classes and length, and flips half of the signs."""
    for progressive in (False, True):
        data = save_image(make_smooth(64, 80), quality=90, progressive=progressive)
        result = mask_in_place(data)
        assert abs(len(result) - len(data)) < 20  # bytes of ones are followed by a zero
        plain_coefficients, result_coefficients = (
            np.concatenate(
                [
                    plane.reshape(-1, 64)
                    for plane in read_coefficients(each, max_pixels=2**24).coefficients
                ]
            )
            for each in (data, result)
        )
        assert np.array_equal(plain_coefficients[:, 0], result_coefficients[:, 0])
        lengths = np.vectorize(int.bit_length)
        assert np.array_equal(
            lengths(plain_coefficients[:, 1:].astype(object)),
            lengths(result_coefficients[:, 1:].astype(object)),
        )
        others = plain_coefficients[:, 1:] != 0
        flipped = np.mean(
            (plain_coefficients[:, 1:] * result_coefficients[:, 1:].astype(int) < 0)[others]
        )
        assert 0.45 < flipped < 0.55


def test_transposed_blocks_have_transposed_frequencies() -> None:
    """The coefficient at a place of the transposed block is that of the mirrored frequency."""
    for place, frequency in enumerate(ZIGZAG):
        row, column = divmod(frequency, 8)
        assert ZIGZAG[_TRANSPOSED_INDICES[place]] == 8 * column + row


def test_luminance_is_that_of_jfif() -> None:
    """Three channels have weights, and one, two or four their mean."""
    colors = np.eye(3, dtype=np.uint8).reshape(1, 3, 3) * 100
    assert np.allclose(_compute_luminance(colors), [[29.9, 58.7, 11.4]])
    gray = np.array([[8, 16]], dtype=np.uint8)
    assert np.allclose(_compute_luminance(gray), [[8, 16]])
    assert np.allclose(
        _compute_luminance(np.stack([gray, gray * 2, gray, gray], axis=2)), [[10, 20]]
    )
