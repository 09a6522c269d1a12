"""Orders in which ciphers walk over samples, and the sample before each of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sudokucrypt.typing import IntArray


@dataclass(frozen=True, eq=False)
class ScanOrder:
    """The sample before each sample: ``before[i]`` in flat order, -1 where there is none."""

    name: str
    before: IntArray

    @classmethod
    def along(cls, name: str, order: IntArray, lag: int) -> "ScanOrder":
        """Return the scan of an order of flat indices; a lag below 0 walks it backwards."""
        before = np.full(order.size, -1)
        if lag > 0:
            before[order[lag:]] = order[:-lag]
        else:
            before[order[:lag]] = order[-lag:]
        return cls(f"{name}{' backwards' * (lag < 0)}, {abs(lag)} apart", before)


def list_orders(shape: tuple[int, ...]) -> dict[str, IntArray]:
    """Return the orders of the flat indices of an image that ciphers use, by name."""
    indices = np.arange(int(np.prod(shape))).reshape(shape)

    def snake(rows: IntArray) -> IntArray:
        turned = rows.copy()
        turned[1::2] = turned[1::2, ::-1]
        return turned

    across = indices.swapaxes(0, 1)
    row, column = np.indices(shape[:2])
    # Within a diagonal samples go one way in one scan, and in turns in the other.
    diagonal, turns = row + column, np.where((row + column) % 2, row, column)
    result = {
        "rows": indices,
        "columns": across,
        "rows in turns": snake(indices),
        "columns in turns": snake(across),
        "diagonals": indices.reshape(-1, *shape[2:])[np.lexsort((row.ravel(), diagonal.ravel()))],
        "zigzag": indices.reshape(-1, *shape[2:])[np.lexsort((turns.ravel(), diagonal.ravel()))],
    }
    if len(shape) == 3:
        result["channels"] = np.moveaxis(indices, 2, 0)
        result["channels by columns"] = np.moveaxis(across, 2, 0)
    return {name: order.reshape(-1) for name, order in result.items()}


def list_both_ways(shape: tuple[int, ...]) -> dict[str, IntArray]:
    """Return the same orders, forwards and backwards."""
    forward = list_orders(shape)
    return forward | {f"{name} backwards": order[::-1] for name, order in forward.items()}


def iterate_scans(shape: tuple[int, ...]) -> Iterator[ScanOrder]:
    """Yield the ways in which a sample of a result may hold the one before it."""
    pixel = shape[2] if len(shape) == 3 else 1
    size = int(np.prod(shape))
    for name, order in list_orders(shape).items():
        lags = {1, pixel}
        if name == "rows":
            lags |= {2, 3, 4, 8, 16, pixel * shape[1]}
        for lag in sorted(lag for lag in lags if lag < size):
            for sign in (1, -1):
                yield ScanOrder.along(name, order, sign * lag)
