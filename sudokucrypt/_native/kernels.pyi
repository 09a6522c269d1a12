from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Units = NDArray[Any]
_Table = NDArray[np.unsignedinteger]
_Tables = tuple[_Table, _Table, _Table]

def shuffle(sizes: Sequence[int], draws: NDArray[np.int64]) -> NDArray[np.int64]: ...
def move_rows(source: _Units, target: _Units, start: int, stop: int, tables: _Tables) -> None: ...
def move_columns(
    source: _Units, target: _Units, start: int, stop: int, tables: _Tables
) -> None: ...
def spread_bands(
    source: _Units, target: _Units, start: int, stop: int, tables: _Tables, box_rows: int
) -> None: ...
def collect_bands(
    source: _Units, target: _Units, start: int, stop: int, tables: _Tables, box_rows: int
) -> None: ...
