"""List the orders in which ciphers process samples, and the previous sample of each sample."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sudokucrypt.typing import IntArray


@dataclass(frozen=True, eq=False)
class ScanOrder:
    """A scan: `previous_indices[i]` is the sample before sample i, or -1 for the first ones."""

    name: str
    previous_indices: IntArray

    @classmethod
    def from_order(cls, name: str, order: IntArray, lag: int) -> "ScanOrder":
        """Return the scan along an order of flat indices; a negative lag runs backwards."""
        previous_indices = np.full(order.size, -1)
        if lag > 0:
            previous_indices[order[lag:]] = order[:-lag]
        else:
            previous_indices[order[:lag]] = order[-lag:]
        return cls(f"{name}{' backwards' * (lag < 0)}, {abs(lag)} apart", previous_indices)


def list_scan_orders(shape: tuple[int, ...]) -> dict[str, IntArray]:
    """Return the scan orders that ciphers use, by name, as arrays of flat indices of an image."""
    indices = np.arange(int(np.prod(shape))).reshape(shape)

    def reverse_odd_rows(rows: IntArray) -> IntArray:
        result_rows = rows.copy()
        result_rows[1::2] = result_rows[1::2, ::-1]
        return result_rows

    transposed_indices = indices.swapaxes(0, 1)
    row, column = np.indices(shape[:2])
    # All diagonals have one direction in the first scan, and alternate directions in the zigzag.
    diagonal_numbers, diagonal_offsets = row + column, np.where((row + column) % 2, row, column)
    orders = {
        "rows": indices,
        "columns": transposed_indices,
        "rows in turns": reverse_odd_rows(indices),
        "columns in turns": reverse_odd_rows(transposed_indices),
        "diagonals": indices.reshape(-1, *shape[2:])[
            np.lexsort((row.ravel(), diagonal_numbers.ravel()))
        ],
        "zigzag": indices.reshape(-1, *shape[2:])[
            np.lexsort((diagonal_offsets.ravel(), diagonal_numbers.ravel()))
        ],
    }
    if len(shape) == 3:
        orders["channels"] = np.moveaxis(indices, 2, 0)
        orders["channels by columns"] = np.moveaxis(transposed_indices, 2, 0)
    return {name: order.reshape(-1) for name, order in orders.items()}


def list_two_way_orders(shape: tuple[int, ...]) -> dict[str, IntArray]:
    """Return by name the scan orders of an image, forwards and backwards."""
    forward_orders = list_scan_orders(shape)
    return forward_orders | {
        f"{name} backwards": order[::-1] for name, order in forward_orders.items()
    }


def iterate_scans(shape: tuple[int, ...]) -> Iterator[ScanOrder]:
    """Yield the scans along which a sample of a result may depend on a previous one."""
    samples_per_pixel = shape[2] if len(shape) == 3 else 1
    size = int(np.prod(shape))
    for name, order in list_scan_orders(shape).items():
        lags = {1, samples_per_pixel}
        if name == "rows":
            lags |= {2, 3, 4, 8, 16, samples_per_pixel * shape[1]}
        for lag in sorted(lag for lag in lags if lag < size):
            for sign in (1, -1):
                yield ScanOrder.from_order(name, order, sign * lag)
