"""Images as groups of equal units: pixels, samples, or blocks, including blocks cut by an edge."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.typing import AnyArray, Unit

# The largest side of a JPEG image.
MAX_BLOCK_SIZE = 65535
UNIT_NAMES = ("pixel", "sample", "block")


@dataclass(frozen=True)
class UnitGroups:
    """The division of an image into groups; each contains units of one size, which move within it.

    Raises `InvalidParameterError` if the unit is unknown, or the block size is missing, superfluous
    or out of range.

    Where b does not divide a side of the image, the blocks cut by the right edge and the blocks cut
    by the bottom edge form separate groups. The block cut by both edges has no equal and stays.
    """

    #: (M,), (M, N) or (M, N, C); a one-dimensional image is one row of pixels.
    shape: tuple[int, ...]
    unit: Unit  #: The kind of unit: pixel, sample or block.
    block_size: int | None = None  #: Side b of a block in pixels, 1..65535; for blocks only.

    def __post_init__(self) -> None:
        if self.unit not in UNIT_NAMES:
            raise InvalidParameterError(
                f"unit must be one of {', '.join(UNIT_NAMES)}, not {self.unit!r}"
            )
        if self.unit == "block":
            check_integer("block size", self.block_size, most=MAX_BLOCK_SIZE)
        elif self.block_size is not None:
            raise InvalidParameterError(f"a block size has no meaning with unit {self.unit}")

    @property
    def counts(self) -> dict[str, int]:
        """The number of units of each group by the name of the group, without empty groups."""
        if self.unit == "sample":
            return {"main": prod(self.shape)}
        if self.unit == "pixel":
            return {"main": prod(self.shape[:2])}
        return {region.name: region.count for region in self._iterate_regions() if region.count}

    def pairs(self, source: AnyArray, target: AnyArray) -> Iterator[tuple[str, AnyArray, AnyArray]]:
        """Yield the name of each group, an array of its units, and an array for the moved units.

        The two arrays have the shape (count,), with one opaque item for each unit; they may be the
        same array. The caller writes the moved units before it requests the next group; then they
        are copied to `target`. `source` and `target` are C-contiguous arrays of the shape of the
        image with the same dtype, and share no memory.
        """
        if self.unit != "block":
            count = self.counts["main"]
            yield "main", _view_as_items(source, count), _view_as_items(target, count)
            return
        source_image, target_image = (
            image.reshape(*self._get_height_and_width(), -1).view(np.uint8)
            for image in (source, target)
        )
        for region in self._iterate_regions():
            if region.count:
                yield from _gather_blocks(source_image, target_image, region)
        # The block cut by both edges is the only one of its size, so it stays in place.
        remaining_rows, remaining_columns = (
            side % (self.block_size or 1) for side in self._get_height_and_width()
        )
        if remaining_rows and remaining_columns:
            target_image[-remaining_rows:, -remaining_columns:] = source_image[
                -remaining_rows:, -remaining_columns:
            ]

    def _get_height_and_width(self) -> tuple[int, int]:
        return (1, self.shape[0]) if len(self.shape) == 1 else (self.shape[0], self.shape[1])

    def _iterate_regions(self) -> "Iterator[_Region]":
        """Yield the regions, whole blocks first, since later regions overwrite their buffer."""
        side = self.block_size or 1
        height, width = self._get_height_and_width()
        remaining_width, remaining_height = width % side, height % side
        yield _Region(
            "main",
            slice(0, height - remaining_height),
            slice(0, width - remaining_width),
            (side, side),
        )
        if remaining_width:
            yield _Region(
                "right",
                slice(0, height - remaining_height),
                slice(width - remaining_width, width),
                (side, remaining_width),
            )
        if remaining_height:
            yield _Region(
                "bottom",
                slice(height - remaining_height, height),
                slice(0, width - remaining_width),
                (remaining_height, side),
            )


@dataclass(frozen=True)
class _Region:
    """A rectangle of blocks of equal size."""

    name: str
    rows: slice
    columns: slice
    block: tuple[int, int]

    @property
    def bands(self) -> int:
        return len(range(self.rows.start, self.rows.stop)) // self.block[0]

    @property
    def stacks(self) -> int:
        return len(range(self.columns.start, self.columns.stop)) // self.block[1]

    @property
    def count(self) -> int:
        return self.bands * self.stacks

    def blocks(self, pixels: AnyArray) -> AnyArray:
        """View the region as an array of shape (bands, stacks, rows, columns, bytes)."""
        region = pixels[self.rows, self.columns]
        return region.reshape(self.bands, self.block[0], self.stacks, self.block[1], -1).swapaxes(
            1, 2
        )


def _gather_blocks(
    source_image: AnyArray, target_image: AnyArray, region: _Region
) -> Iterator[tuple[str, AnyArray, AnyArray]]:
    """Yield the blocks of a region as contiguous units; afterward write them to the picture."""
    source, target = region.blocks(source_image), region.blocks(target_image)
    # Whole blocks are gathered in the memory of the new image, the few cut blocks in new memory.
    memory = (
        target_image.reshape(-1)[: source.size]
        if region.name == "main"
        else np.empty(source.size, np.uint8)
    )
    gathered_blocks = memory.reshape(source.shape)
    gathered_blocks[...] = source
    units = _view_as_items(gathered_blocks, region.count)
    yield region.name, units, units
    # Bands are written from the last to the first. The target of a band then overlaps only
    # gathered bands that are already written.
    for band in range(region.bands - 1, -1, -1):
        target[band] = gathered_blocks[band].copy()


def _view_as_items(array: AnyArray, count: int) -> AnyArray:
    """View a contiguous array as `count` items: integers if possible, otherwise opaque items."""
    return array.reshape(-1).view(_get_item_type(array.nbytes // count))


@lru_cache(maxsize=64)
def _get_item_type(size: int) -> np.dtype[Any]:
    # NumPy moves integers several times as fast as opaque items.
    return np.dtype(f"u{size}" if size in (1, 2, 4, 8) else f"V{size}")
