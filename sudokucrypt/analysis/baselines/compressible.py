"""Scramblers of blocks from the literature, whose results can still be compressed or learnt from.

They protect blocks by steps that keep what a codec or a network needs: encryption-then-compression
(EtC) keeps blocks smooth, learnable encryption (LE) treats all blocks alike.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.baselines.baseline import (
    Scrambler,
    as_image,
    integer_field,
    register_seeded,
)
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray


class _BlockScrambler(Scrambler):
    """A scheme of square blocks; blocks that the right or the bottom edge cuts stay."""

    block_size: int
    seed: int

    def _applied(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, b = as_image(image).copy(), self.block_size
        levels = checked_image(array)[1]
        planes = array if array.ndim == 3 else array[..., None]
        down, across = array.shape[0] // b, array.shape[1] // b
        for part in self._parts(planes[: down * b, : across * b]):
            # A view: blocks are changed in the array itself, and cut ones at the edge stay.
            grid = part.reshape(len(part), down, b, across, b, part.shape[-1]).swapaxes(2, 3)
            if grid.size:
                blocks = grid.reshape(-1, b, b, part.shape[-1])
                grid[...] = self._changed(blocks, levels, undo=undo).reshape(grid.shape)
        return array

    def _parts(self, image: AnyArray) -> Iterator[AnyArray]:
        """Yield views of shape (planes, rows, columns, channels) whose blocks go together."""
        yield image[None]

    @abstractmethod
    def _changed(self, blocks: AnyArray, levels: int, *, undo: bool) -> AnyArray:
        """Return what becomes of blocks, an array of shape (n, b, b, C)."""


@dataclass(frozen=True)
class ColorEtc(_BlockScrambler):
    """Color EtC: blocks move, are turned or mirrored, inverted, and their channels exchanged.

    All choices come from a seed of 0 or more. Limits: the blocks can be put together again without
    a query; and under one key four results give all other images, as everything only moves or is
    inverted, see `sudokucrypt.analysis.attacks.differential_attack`.
    Source: K. Kurihara, M. Kikuchi, S. Imaizumi, S. Shiota, H. Kiya, 2015,
    doi:10.1587/transfun.E98.A.2238.
    """

    name: ClassVar[str] = "etc-color"
    block_size: int = integer_field(16)
    seed: int = integer_field(0, least=0)

    def _changed(self, blocks: AnyArray, levels: int, *, undo: bool) -> AnyArray:
        count, channels = len(blocks), blocks.shape[-1]
        # With 5 channels or more the orders are too many to list, and such images have no colors.
        orders = np.array(list(permutations(range(channels)))[: 1 if channels > 4 else None])
        source = seeded_draws(self.seed)
        positions = source.permutations([count])
        bounds = np.tile([8, 2, len(orders)], count)
        turns, inverted, chosen = source.below_each(bounds).reshape(-1, 3).T
        order, mask = orders[chosen], np.where(inverted, levels - 1, 0).astype(blocks.dtype)
        if undo:
            plain = np.empty_like(blocks)
            moved = blocks[positions] ^ mask[:, None, None, None]
            np.put_along_axis(plain, order[:, None, None], moved, axis=-1)
            return _reoriented(plain, turns, undo=True)
        seen = np.empty_like(blocks)
        turned = _reoriented(blocks, turns, undo=False) ^ mask[:, None, None, None]
        seen[positions] = np.take_along_axis(turned, order[:, None, None], axis=-1)
        return seen


def _reoriented(blocks: AnyArray, turns: IntArray, *, undo: bool) -> AnyArray:
    """Return blocks in one of eight ways each: mirrored in the diagonal or not, then turned."""
    result = np.empty_like(blocks)
    for turn in range(8):
        part = blocks[turns == turn]
        if undo:
            part = np.rot90(part, -(turn % 4), axes=(1, 2))
            result[turns == turn] = part.swapaxes(1, 2) if turn >= 4 else part
        else:
            part = part.swapaxes(1, 2) if turn >= 4 else part
            result[turns == turn] = np.rot90(part, turn % 4, axes=(1, 2))
    return result


@dataclass(frozen=True)
class GrayEtc(ColorEtc):
    """Gray EtC: as `ColorEtc`, with the blocks of all channels mixed, each of one channel.

    Limits: as there; smaller blocks, and three times as many, make the jigsaw harder.
    Source: T. Chuman, W. Sirichotedumrong, H. Kiya, 2019, doi:10.1109/TIFS.2018.2881677.
    """

    name: ClassVar[str] = "etc-gray"
    block_size: int = integer_field(8)

    def _parts(self, image: AnyArray) -> Iterator[AnyArray]:
        yield np.moveaxis(image, -1, 0)[..., None]


@dataclass(frozen=True)
class Learnable(_BlockScrambler):
    """Learnable encryption, LE: the halves of samples are inverted and moved inside each block.

    Samples are cut into an upper and a lower half of their bits; some halves are inverted and all
    of them shuffled, in all blocks alike, from a seed of 0 or more. Limits: bits move and are
    inverted in one way for all images, see `sudokucrypt.analysis.attacks.differential_attack`; and
    outlines show.
    Source: M. Tanaka, 2018, arXiv:1804.00490.
    """

    name: ClassVar[str] = "le"
    block_size: int = integer_field(4)
    seed: int = integer_field(0, least=0)
    _apart: ClassVar[bool] = False

    def _changed(self, blocks: AnyArray, levels: int, *, undo: bool) -> AnyArray:
        if levels == 2:
            raise InvalidImageError(
                "samples of one bit have no halves", hint="convert the image to 8 bits a sample"
            )
        half = (levels.bit_length() - 1) // 2
        flat = blocks.reshape(len(blocks), -1)
        parts = np.concatenate([flat >> half, flat & (1 << half) - 1], axis=1)
        source, rows = seeded_draws(self.seed), len(blocks) if self._apart else 1
        draws = source.below_each(np.full(2 * rows * parts.shape[1], 2**32))
        ranks, signs = draws.reshape(2, rows, -1)
        order = np.broadcast_to(np.argsort(ranks, axis=1, kind="stable"), parts.shape)
        mask = np.where(signs & 1, (1 << half) - 1, 0).astype(blocks.dtype)
        if undo:
            moved = np.empty_like(parts)
            np.put_along_axis(moved, order, parts, axis=1)
            moved ^= mask
        else:
            moved = np.take_along_axis(parts ^ mask, order, axis=1)
        upper, lower = np.split(moved, 2, axis=1)
        joined: AnyArray = upper << half | lower
        return joined.reshape(blocks.shape)


@dataclass(frozen=True)
class ExtendedLearnable(Learnable):
    """Extended learnable encryption, ELE: as `Learnable`, with other choices for each block.

    Limits: bits move and are inverted in one way for all images, as there.
    Source: K. Madono, M. Tanaka, M. Onishi, T. Ogawa, 2020, arXiv:2001.07761.
    """

    name: ClassVar[str] = "ele"
    _apart: ClassVar[bool] = True


register_seeded(
    ColorEtc,
    moves_only=False,
    limits="blocks can be put together like a jigsaw; one map and mask for all images",
)
register_seeded(
    GrayEtc,
    moves_only=False,
    limits="blocks can be put together like a jigsaw; one map and mask for all images",
)
register_seeded(
    Learnable,
    moves_only=False,
    limits="all blocks are treated alike, and bits only move or are inverted",
)
register_seeded(
    ExtendedLearnable,
    moves_only=False,
    limits="bits only move or are inverted, in one way for all images",
)
