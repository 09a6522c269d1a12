"""Scrambled JPEGs come back though a program coded them anew without loss."""

import subprocess
from functools import cache
from typing import Any

import numpy as np
import pytest

from sudokucrypt.images.jpeg.dummy_blocks import make_usual
from tests.images.jpeg.corpus import corpus, parts
from tests.images.jpeg.made import made, read
from tests.recipes.test_jpegs import restore_plain, scramble_jpeg

pytestmark = pytest.mark.programs("jpegtran")
_WAYS = (("-optimize",), ("-progressive",), ("-restart", "1B"))
_MEANS: Any = (((0, 1, 2), 0, 0, 0, 0), *(((n,), 1, 63, 0, 0) for n in range(3)))
_LOW: Any = (((0, 1, 2), 0, 0, 0, 1), *(((n,), 0, 0, 1, 0) for n in range(3)), *_MEANS[1:])
_APART: Any = (*(((n,), 0, 0, 0, 0) for n in range(3)), *_MEANS[1:])
_SAMPLINGS = ((2, 2), (1, 2), (1, 1))


def _recode(data: bytes, *way: str) -> bytes:
    command = ["jpegtran", "-copy", "all", *way]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def _check(data: bytes) -> None:
    result = scramble_jpeg(data)
    for way in _WAYS:
        again = _recode(result, *way)
        assert restore_plain(again) == data, way


@cache
def _list_filled() -> list[bytes]:
    """The files with blocks that only complete units."""
    files = [(data, read(data)) for data in corpus().values()]
    return [
        data
        for data, file in files
        if file.complete and any(each.shape != each.blocks for each in file.frame.components)
    ]


@pytest.mark.parametrize("part", parts(20))
def test_files_with_fillers_come_back(part: int) -> None:
    """Of every size and sampling."""
    for data in _list_filled()[part::20]:
        _check(data)


@pytest.mark.parametrize("script", [(), _MEANS, _LOW, _APART])
@pytest.mark.parametrize("sides", [(1, 1), (17, 17), (33, 40)])
def test_unusual_fillers_come_back(sides: tuple[int, int], script: Any) -> None:
    """Fillers of which the file holds anything at all, or nothing."""
    data = made(*sides, samplings=_SAMPLINGS, script=script).to_bytes()
    _check(data)


@pytest.mark.parametrize("script", [(), _MEANS])
def test_fillers_tell_nothing(script: Any) -> None:
    """Those of a scrambled file follow from its other blocks."""
    file = read(scramble_jpeg(made(17, 17, samplings=_SAMPLINGS, script=script).to_bytes()))
    for plane, component in zip(file.coefficients, file.frame.components, strict=True):
        usual = plane.copy()
        make_usual(usual, component)
        assert np.array_equal(plane, usual)
