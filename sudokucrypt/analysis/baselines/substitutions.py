"""Scramblers that substitute samples one by one, or move their bits."""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.baselines.baseline import Scrambler, integer_field, register_seeded
from sudokucrypt.analysis.baselines.chained import STREAMS
from sudokucrypt.analysis.baselines.orders import UniformShuffle
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.analysis.random_samples import uniform_samples
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray


@dataclass(frozen=True)
class SBox(Scrambler):
    """One uniform permutation of the levels, from a seed of 0 or more, for all samples.

    Limits: equal samples stay equal, so that outlines show, and one known image that has all levels
    gives the table away, see `sudokucrypt.analysis.attacks.codebook_attack`.
    """

    name: ClassVar[str] = "s-box"
    seed: int = integer_field(0, least=0)

    def _applied(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = np.asarray(image)
        table = seeded_draws(self.seed).permutations([checked_image(array)[1]])
        table = np.argsort(table) if undo else table
        return table.astype(array.dtype)[array.astype(np.intp)]


@dataclass(frozen=True)
class DnaCoding(Scrambler):
    """Substitution by "DNA": pairs of bits become bases, to which bases of a stream are added.

    Each pair of bits becomes one of the bases A, C, G, T by one of the eight rules that keep
    complements, a base of the key is added, and the sum becomes bits by another rule; rules and
    bases are drawn from a seed of 0 or more for each pair. Limits: for all the biology it is a
    table of four entries for each pair, which does not depend on the image, see
    `sudokucrypt.analysis.attacks.codebook_attack`.
    After Q. Zhang, L. Guo, X. Wei, 2010, doi:10.1016/j.mcm.2010.06.005, broken by H. Hermassi,
    A. Belazi, R. Rhouma, S. M. Belghith, 2014, doi:10.1007/s11042-013-1533-6.
    """

    name: ClassVar[str] = "dna"
    seed: int = integer_field(0, least=0)

    def _applied(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, (_, levels) = np.ascontiguousarray(image), checked_image(image)
        if levels == 2:
            raise InvalidImageError(
                "bases are pairs of bits, of which a sample of one level has none",
                hint="convert the image to 8 bits a sample",
            )
        # Each row of a table is a permutation, which sorting inverts.
        tables = np.argsort(_dna_tables(), axis=1).astype(np.uint8) if undo else _dna_tables()
        samples = array.reshape(-1).view(np.uint8)
        rules = uniform_samples(STREAMS + self.seed, 4 * samples.size).reshape(4, -1)
        seen = np.zeros_like(samples)
        for pair, rule in zip((0, 2, 4, 6), rules, strict=True):
            seen |= tables[rule, samples >> pair & 3] << pair
        return seen.view(array.dtype).reshape(array.shape)


@cache
def _dna_tables() -> AnyArray:
    """Return what becomes of two bits, for each of 256 choices of two rules and a base: a row."""
    # The 8 of 24 assignments that make complementary bits complementary bases.
    rules = [rule for rule in permutations(range(4)) if rule[0] + rule[3] == rule[1] + rule[2]]
    return np.array(
        [
            [last.index((first[bits] + base) % 4) for bits in range(4)]
            for first in rules
            for base in range(4)
            for last in rules
        ],
        dtype=np.uint8,
    )


@dataclass(frozen=True)
class BitShuffle(Scrambler):
    """A uniform permutation of all bits of all samples, from a seed of 0 or more.

    The histogram becomes that of noise, although nothing but places changes. Limits: one map for
    all images, of bits in place of pixels, see
    `sudokucrypt.analysis.attacks.chosen_plaintext_attack`.
    After Z. Zhu, W. Zhang, K. Wong, H. Yu, 2011, doi:10.1016/j.ins.2010.11.009.
    """

    name: ClassVar[str] = "bit-shuffle"
    seed: int = integer_field(0, least=0)

    def _applied(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, shuffle = np.ascontiguousarray(image), UniformShuffle(self.seed)
        move = shuffle.unscramble if undo else shuffle.scramble
        if checked_image(array)[1] == 2:
            return move(array)
        # As an image of one row, of which each bit is a pixel.
        moved = move(np.unpackbits(array.reshape(-1).view(np.uint8))[None])
        return np.packbits(moved).view(array.dtype).reshape(array.shape)


register_seeded(
    SBox,
    moves_only=False,
    limits="one table for all samples: outlines show, and one known image gives it away",
)
register_seeded(
    DnaCoding,
    moves_only=False,
    limits="one table for each pair of bits of any image: constant images give them away",
)
register_seeded(
    BitShuffle,
    moves_only=False,
    limits="one map of bits for all images of a size, which falls to chosen ones",
)
