from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.jpeg.blocks import Band, BlockArray, Sides
from sudokucrypt.typing import IntArray

Lookup = NDArray[np.uint16]

def unstuff(pieces: Sequence[bytes]) -> tuple[bytearray, IntArray] | None: ...
def decode(
    bits: bytearray,
    ends: IntArray,
    planes: Sequence[BlockArray],
    samplings: Sequence[Sides],
    units: Sides,
    interval: int,
    band: Band,
    lookups: Sequence[tuple[Lookup, Lookup]],
    longest: int,
) -> tuple[bool, IntArray, IntArray]: ...
def count(
    planes: Sequence[BlockArray],
    samplings: Sequence[Sides],
    units: Sides,
    interval: int,
    band: Band,
    numbers: Sequence[tuple[int, int]],
    longest: int,
    breaks: IntArray,
) -> IntArray: ...
def code(
    codes: NDArray[np.uint32],
    padding: bytes,
    planes: Sequence[BlockArray],
    samplings: Sequence[Sides],
    units: Sides,
    interval: int,
    band: Band,
    numbers: Sequence[tuple[int, int]],
    longest: int,
    breaks: IntArray,
) -> tuple[bytes, IntArray] | None: ...
