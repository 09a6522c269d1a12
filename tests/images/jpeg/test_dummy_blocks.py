"""Dummy blocks, which only complete units: usual ones, and differences from them."""

from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images.jpeg import JpegFile
from sudokucrypt.images.jpeg.dummy_blocks import (
    compare_dummies,
    insert_dummies,
    make_dummy_mask,
    replace_dummies,
)
from sudokucrypt.images.jpeg.structure import JpegStructure
from sudokucrypt.typing import AnyArray
from tests.images.jpeg.corpus import list_corpus, make_smooth, save_image
from tests.images.jpeg.made import are_equal_coefficients, make_file, read

_SAMPLINGS = ((2, 2), (1, 2), (1, 1))
_FILE_WITH_DUMMIES = make_file(17, 17, samplings=_SAMPLINGS)
_LOW_BIT_SCANS: Any = (
    ((0, 1, 2), 0, 0, 0, 1),
    *(((n,), 0, 0, 1, 0) for n in range(3)),
    *(((n,), 1, 63, 0, 0) for n in range(3)),
)
_HIGH_BIT_SCANS: Any = (
    *(((n,), 0, 0, 0, 1) for n in range(3)),
    ((0, 1, 2), 0, 0, 1, 0),
    *(((n,), 1, 63, 0, 0) for n in range(3)),
)


def _make_structure(file: JpegFile) -> JpegStructure:
    result = JpegStructure.from_file(file.to_bytes(), file)
    assert result is not None
    return result


def _change_dummies(file: JpegFile) -> list[AnyArray]:
    """Return the coefficients of a file with other dummy blocks."""
    pairs = zip(file.coefficients, file.frame.components, strict=True)
    return [
        np.where(make_dummy_mask(component)[..., None], np.int16(77), plane)
        for plane, component in pairs
    ]


def test_libjpeg_writes_usual_dummies() -> None:
    """Files of libjpeg, and of programs that use it, have only usual dummy blocks."""
    dummy_count = 0
    for data in list(list_corpus().values())[::7]:
        file = read(data)
        dummy_count += any(index.shape != index.blocks for index in file.frame.components)
        assert not any(positions for positions, _ in _make_structure(file).dummy_differences)
    assert dummy_count > 15


def test_dummies_have_the_previous_mean() -> None:
    """A usual dummy has the mean of the block to its left in the unit, or of the last above."""
    component = _FILE_WITH_DUMMIES.frame.components[0]
    plane = np.arange(16 * 64, dtype=np.int16).reshape(4, 4, 64)
    usual_plane = plane.copy()
    replace_dummies(usual_plane, component)
    means = (plane[..., 0] // 64).tolist()
    assert means == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]
    means = (usual_plane[..., 0] // 64).tolist()
    assert means == [[0, 1, 2, 2], [4, 5, 6, 6], [8, 9, 10, 10], [9, 9, 10, 10]]
    dummies = make_dummy_mask(component)
    assert (usual_plane[~dummies] == plane[~dummies]).all()
    assert not usual_plane[dummies][:, 1:].any()


@pytest.mark.parametrize("scans", [(), _LOW_BIT_SCANS, _HIGH_BIT_SCANS])
def test_given_dummies_are_ignored(scans: Any) -> None:
    """A file is rebuilt with its own dummies, whatever dummies the given coefficients have."""
    file = make_file(17, 17, samplings=_SAMPLINGS, script=scans)
    if scans:  # these scans send one bit of dummy blocks, or all except one
        first_plane, *other_planes = map(np.array, file.coefficients)
        first_plane[make_dummy_mask(file.frame.components[0]), 0] = (
            -6 if scans == _LOW_BIT_SCANS else 1
        )
        file = file.with_coefficients([first_plane, *other_planes]).optimize()
        assert are_equal_coefficients(file, read(file.to_bytes()))
    structure = _make_structure(file)
    assert structure.dummy_differences[0][0]
    assert structure.rebuild(_change_dummies(file)) == file.to_bytes()


def test_unsent_dummies_are_zero() -> None:
    """If no scan sends dummy blocks, a file is rebuilt with zero dummies."""
    scans: Any = [((n,), *band) for n in range(3) for band in ((0, 0, 0, 0), (1, 63, 0, 0))]
    file = make_file(17, 17, samplings=_SAMPLINGS, script=scans)
    structure = _make_structure(file)
    assert structure.dummy_differences == (((), ()),) * 3
    assert structure.rebuild(_change_dummies(file)) == file.to_bytes()


def test_invalid_differences_are_refused() -> None:
    """Differences of other blocks, beyond the last block, or out of range raise an error."""
    component, plane = _FILE_WITH_DUMMIES.frame.components[0], _FILE_WITH_DUMMIES.coefficients[0]
    positions, values = compare_dummies(plane, component)
    new_plane = insert_dummies(plane, component, (positions, values), dummies_are_sent=True)
    assert np.array_equal(new_plane, plane)
    for position in (0, 64 * 2 + 63, plane.size, 2**70):
        with pytest.raises(InvalidParameterError, match="only dummy blocks may have differences"):
            insert_dummies(plane, component, ((position,), (1,)), dummies_are_sent=True)
    for value in (2**15, -(2**16), 2**61, -(2**61)):
        with pytest.raises(InvalidParameterError, match="out of range"):
            insert_dummies(plane, component, ((64 * 3 + 1,), (value,)), dummies_are_sent=True)
    gray = read(save_image(make_smooth(9, 9, 1)))
    with pytest.raises(InvalidParameterError, match="only dummy blocks may have differences"):
        insert_dummies(
            gray.coefficients[0], gray.frame.components[0], ((1,), (1,)), dummies_are_sent=True
        )
