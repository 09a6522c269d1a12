"""Section 4: units and groups; the default rounds of section 5.

A unit is the list of the indices of its samples in C order.
"""

from collections.abc import Iterable, Sequence

from tests.kit.reference import RefusedError

DEFAULT_ROUNDS = ((1048576, 2), (4096, 3), (0, 4))
UNITS = ("pixel", "sample", "block")

Unit = list[int]


def rows_columns_channels(shape: Sequence[int]) -> tuple[int, int, int]:
    """Return the shape as (M, N, samples of a pixel)."""
    if not 1 <= len(shape) <= 3 or min(shape) < 1:
        raise RefusedError("a shape has one to three lengths of at least 1")
    if len(shape) == 1:
        return 1, shape[0], 1
    if len(shape) == 2:
        return shape[0], shape[1], 1
    return shape[0], shape[1], shape[2]


def _rectangle(shape: Sequence[int], rows: range, columns: range) -> Unit:
    _, n, channels = rows_columns_channels(shape)
    return [
        (r * n + c) * channels + channel
        for r in rows
        for c in columns
        for channel in range(channels)
    ]


def _blocks(shape: Sequence[int], b: int) -> dict[str, list[Unit]]:
    m, n, _ = rows_columns_channels(shape)
    tops = [range(i * b, (i + 1) * b) for i in range(m // b)]
    lefts = [range(j * b, (j + 1) * b) for j in range(n // b)]
    lowest = range(m // b * b, m)
    rightmost = range(n // b * b, n)
    main = [_rectangle(shape, rows, columns) for rows in tops for columns in lefts]
    right = [_rectangle(shape, rows, rightmost) for rows in tops]
    bottom = [_rectangle(shape, lowest, columns) for columns in lefts]
    return {
        "main": main,
        "right": right if rightmost else [],
        "bottom": bottom if lowest else [],
    }


def group_sizes(
    shape: Sequence[int], unit: str, *, block_size: int | None = None
) -> dict[str, int]:
    """Return the number of units of each group that exists, by its name."""
    m, n, channels = rows_columns_channels(shape)
    if unit != "block" or block_size is None:
        return {"main": m * n * (channels if unit == "sample" else 1)}
    rows, columns = m // block_size, n // block_size
    sizes = {
        "main": rows * columns,
        "right": rows if n % block_size else 0,
        "bottom": columns if m % block_size else 0,
    }
    return {name: size for name, size in sizes.items() if size > 0}


def groups(
    shape: Sequence[int], unit: str, *, block_size: int | None = None
) -> dict[str, list[Unit]]:
    """Return the units of each group by its name: `main`, and perhaps `right` and `bottom`.

    The size of a block counts pixels, and is None for the units `"pixel"` and `"sample"`.
    """
    if unit not in UNITS or (unit == "block") != (block_size is not None):
        raise RefusedError("a unit is pixel, sample, or block with a size")
    if block_size is not None:
        return {name: units for name, units in _blocks(shape, block_size).items() if units}
    m, n, channels = rows_columns_channels(shape)
    size = channels if unit == "pixel" else 1
    return {"main": [list(range(i, i + size)) for i in range(0, m * n * channels, size)]}


def default_rounds(counts: Iterable[int]) -> int:
    """Return the default rounds for groups with these positive numbers of units."""
    smallest = min(counts, default=0)
    return next(rounds for fewest, rounds in DEFAULT_ROUNDS if smallest >= fewest)
