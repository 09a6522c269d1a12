"""Blocks that only complete units: what is usual, and how others are told from it."""

from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images.jpeg import JpegFile
from sudokucrypt.images.jpeg.dummy_blocks import (
    compare_dummies,
    dummy_positions,
    insert_dummies,
    make_usual,
)
from sudokucrypt.images.jpeg.structure import JpegStructure
from sudokucrypt.typing import AnyArray
from tests.images.jpeg.corpus import corpus, save_image, smooth
from tests.images.jpeg.made import make_file, read, same_coefficients

_SAMPLINGS = ((2, 2), (1, 2), (1, 1))
_FILLED = make_file(17, 17, samplings=_SAMPLINGS)
_LOW: Any = (
    ((0, 1, 2), 0, 0, 0, 1),
    *(((n,), 0, 0, 1, 0) for n in range(3)),
    *(((n,), 1, 63, 0, 0) for n in range(3)),
)
_HIGH: Any = (
    *(((n,), 0, 0, 0, 1) for n in range(3)),
    ((0, 1, 2), 0, 0, 1, 0),
    *(((n,), 1, 63, 0, 0) for n in range(3)),
)


def _structure(file: JpegFile) -> JpegStructure:
    result = JpegStructure.of_file(file.to_bytes(), file)
    assert result is not None
    return result


def _others(file: JpegFile) -> list[AnyArray]:
    """The coefficients of a file with other fillers."""
    pairs = zip(file.coefficients, file.frame.components, strict=True)
    return [
        np.where(dummy_positions(component)[..., None], np.int16(77), plane)
        for plane, component in pairs
    ]


def test_what_libjpeg_writes_is_usual() -> None:
    """Files of libjpeg, and of programs that use it, have no unusual fillers."""
    filled = 0
    for data in list(corpus().values())[::7]:
        file = read(data)
        filled += any(each.shape != each.blocks for each in file.frame.components)
        assert not any(positions for positions, _ in _structure(file).dummies)
    assert filled > 15


def test_fillers_have_the_mean_of_the_block_before_them() -> None:
    """The block before is the one to the left in the unit, else the last of the row above."""
    component = _FILLED.frame.components[0]
    plane = np.arange(16 * 64, dtype=np.int16).reshape(4, 4, 64)
    usual = plane.copy()
    make_usual(usual, component)
    means = (plane[..., 0] // 64).tolist()
    assert means == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]
    means = (usual[..., 0] // 64).tolist()
    assert means == [[0, 1, 2, 2], [4, 5, 6, 6], [8, 9, 10, 10], [9, 9, 10, 10]]
    dummies = dummy_positions(component)
    assert (usual[~dummies] == plane[~dummies]).all()
    assert not usual[dummies][:, 1:].any()


@pytest.mark.parametrize("scans", [(), _LOW, _HIGH])
def test_fillers_of_the_coefficients_do_not_matter(scans: Any) -> None:
    """Whatever they are, the file comes back with its own, bits of means alone included."""
    file = make_file(17, 17, samplings=_SAMPLINGS, script=scans)
    if scans:  # of fillers one bit is sent, or all but one
        first, *others = map(np.array, file.coefficients)
        first[dummy_positions(file.frame.components[0]), 0] = -6 if scans == _LOW else 1
        file = file.with_coefficients([first, *others]).optimize()
        assert same_coefficients(file, read(file.to_bytes()))
    structure = _structure(file)
    assert structure.dummies[0][0]
    assert structure.rebuilt(_others(file)) == file.to_bytes()


def test_fillers_that_no_scan_sends_are_zero() -> None:
    """Scans of one component have none, whatever a program made of the coefficients."""
    scans: Any = [((n,), *band) for n in range(3) for band in ((0, 0, 0, 0), (1, 63, 0, 0))]
    file = make_file(17, 17, samplings=_SAMPLINGS, script=scans)
    structure = _structure(file)
    assert structure.dummies == (((), ()),) * 3
    assert structure.rebuilt(_others(file)) == file.to_bytes()


def test_differences_are_of_fillers_and_in_range() -> None:
    """Any other block, a place behind the last and values that cannot be coded are refused."""
    component, plane = _FILLED.frame.components[0], _FILLED.coefficients[0]
    positions, values = compare_dummies(plane, component)
    again = insert_dummies(plane, component, (positions, values), sent=True)
    assert np.array_equal(again, plane)
    for position in (0, 64 * 2 + 63, plane.size, 2**70):
        with pytest.raises(InvalidParameterError, match="only blocks that complete"):
            insert_dummies(plane, component, ((position,), (1,)), sent=True)
    for value in (2**15, -(2**16), 2**61, -(2**61)):
        with pytest.raises(InvalidParameterError, match="out of range"):
            insert_dummies(plane, component, ((64 * 3 + 1,), (value,)), sent=True)
    gray = read(save_image(smooth(9, 9, 1)))
    with pytest.raises(InvalidParameterError, match="only blocks that complete"):
        insert_dummies(gray.coefficients[0], gray.frame.components[0], ((1,), (1,)), sent=True)
