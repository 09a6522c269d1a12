"""Shuffles from a seed: of all pixels, of rows and columns, of blocks."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sudokucrypt.analysis.baselines.baseline import Baseline, register_baseline
from sudokucrypt.analysis.schemes import KEY_BYTES
from sudokucrypt.checks import checked_integer
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import IntArray


@dataclass(frozen=True)
class UniformShuffle(Baseline):
    """A uniform permutation of all pixels: the ideal of position-only schemes.

    Every permutation is equally likely, so that no position-only scheme beats it but by chance.
    Limits: those of them all, one map for all images; and a seed, 0 or more, is no key.
    Source: R. Durstenfeld, Algorithm 235: random permutation, 1964, doi:10.1145/364520.364540.
    """

    name: ClassVar[str] = "uniform"
    seed: int = 0

    def __post_init__(self) -> None:
        checked_integer("seed", self.seed, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        return seeded_draws(self.seed).permutations([rows * columns])


@dataclass(frozen=True)
class RowColumnShuffle(Baseline):
    """A uniform permutation of the rows and one of the columns, from a seed of 0 or more.

    Limits: lines stay together, so that one known image gives the map away, see
    `sudokucrypt.analysis.attacks.row_column_attack`.
    Source: S. Li et al., 2008, doi:10.1016/j.image.2008.01.003, which breaks it.
    """

    name: ClassVar[str] = "row-column"
    seed: int = 0

    def __post_init__(self) -> None:
        checked_integer("seed", self.seed, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        places = seeded_draws(self.seed).permutations([rows, columns])
        return np.add.outer(places[:rows] * columns, places[rows:]).reshape(-1)


@dataclass(frozen=True)
class BlockShuffle(Baseline):
    """A uniform permutation of square blocks that stay as they are inside, from a seed.

    Blocks that the right or the bottom edge cuts stay. Limits: each block can be looked at, and
    photographs of large ones are put together again, see
    `sudokucrypt.analysis.attacks.jigsaw_attack`.
    Source: T. Chuman, W. Sirichotedumrong, H. Kiya, 2019, doi:10.1109/TIFS.2018.2881677.
    """

    name: ClassVar[str] = "block"
    block_size: int = 16
    seed: int = 0

    def __post_init__(self) -> None:
        checked_integer("block size", self.block_size)
        checked_integer("seed", self.seed, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        b = self.block_size
        down, across = rows // b, columns // b
        places = np.arange(rows * columns).reshape(rows, columns)
        blocks = places[: down * b, : across * b].reshape(down, b, across, b).swapaxes(1, 2)
        if blocks.size:
            order = seeded_draws(self.seed).permutations([down * across])
            moved = blocks.reshape(-1, b, b)[order].reshape(blocks.shape)
            blocks[...] = moved
        return places.reshape(-1)


def _seed(key: bytes) -> int:
    return int.from_bytes(key, "big")


register_baseline(
    lambda key: UniformShuffle(_seed(key)),
    key_bits=8 * KEY_BYTES,
    limits="the best that moving pixels can be",
)
register_baseline(
    lambda key: RowColumnShuffle(_seed(key)),
    key_bits=8 * KEY_BYTES,
    limits="rows and columns stay together: one known image is enough",
)
register_baseline(
    lambda key: BlockShuffle(seed=_seed(key)),
    key_bits=8 * KEY_BYTES,
    limits="blocks can be put together like a jigsaw, without any query",
)
