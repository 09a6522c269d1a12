"""Section 4: units and groups; the default rounds of section 5.

A unit is the list of the indices of its samples in C order.
"""

from collections.abc import Iterable, Sequence

from tests.kit.reference import RefusedError

DEFAULT_ROUNDS = ((1048576, 2), (4096, 3), (0, 4))
UNITS = ("pixel", "sample", "block")

Unit = list[int]


def split_shape(shape: Sequence[int]) -> tuple[int, int, int]:
    """Return the shape as (M, N, samples of a pixel)."""
    if not 1 <= len(shape) <= 3 or min(shape) < 1:
        raise RefusedError("a shape has one to three lengths of at least 1")
    if len(shape) == 1:
        return 1, shape[0], 1
    if len(shape) == 2:
        return shape[0], shape[1], 1
    return shape[0], shape[1], shape[2]


def _list_rectangle(shape: Sequence[int], rows: range, columns: range) -> Unit:
    _, n, channels = split_shape(shape)
    return [
        (r * n + c) * channels + channel
        for r in rows
        for c in columns
        for channel in range(channels)
    ]


def _list_blocks(shape: Sequence[int], block_size: int) -> dict[str, list[Unit]]:
    height, width, _ = split_shape(shape)
    tops = [range(i * block_size, (i + 1) * block_size) for i in range(height // block_size)]
    lefts = [range(j * block_size, (j + 1) * block_size) for j in range(width // block_size)]
    lowest = range(height // block_size * block_size, height)
    rightmost = range(width // block_size * block_size, width)
    main_blocks = [_list_rectangle(shape, rows, columns) for rows in tops for columns in lefts]
    right_blocks = [_list_rectangle(shape, rows, rightmost) for rows in tops]
    bottom = [_list_rectangle(shape, lowest, columns) for columns in lefts]
    return {
        "main": main_blocks,
        "right": right_blocks if rightmost else [],
        "bottom": bottom if lowest else [],
    }


def group_sizes(
    shape: Sequence[int], unit: str, *, block_size: int | None = None
) -> dict[str, int]:
    """Return the number of units of each group that exists, by its name."""
    height, width, channels = split_shape(shape)
    if unit != "block" or block_size is None:
        return {"main": height * width * (channels if unit == "sample" else 1)}
    rows, columns = height // block_size, width // block_size
    sizes = {
        "main": rows * columns,
        "right": rows if width % block_size else 0,
        "bottom": columns if height % block_size else 0,
    }
    return {name: size for name, size in sizes.items() if size > 0}


def list_groups(
    shape: Sequence[int], unit: str, *, block_size: int | None = None
) -> dict[str, list[Unit]]:
    """Return the units of each group by its name: `main`, and perhaps `right` and `bottom`.

    The size of a block counts pixels, and is None for the units `"pixel"` and `"sample"`.
    """
    if unit not in UNITS or (unit == "block") != (block_size is not None):
        raise RefusedError("a unit is pixel, sample, or block with a size")
    if block_size is not None:
        return {name: units for name, units in _list_blocks(shape, block_size).items() if units}
    height, width, channels = split_shape(shape)
    size = channels if unit == "pixel" else 1
    return {"main": [list(range(i, i + size)) for i in range(0, height * width * channels, size)]}


def choose_rounds(counts: Iterable[int]) -> int:
    """Return the default rounds for groups with these positive numbers of units."""
    smallest = min(counts, default=0)
    return next(rounds for fewest, rounds in DEFAULT_ROUNDS if smallest >= fewest)
