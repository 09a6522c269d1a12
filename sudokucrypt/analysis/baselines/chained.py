"""Scramblers with a chain or a key from the picture, which look better and are no better."""

from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.baselines.baseline import (
    Scrambler,
    as_image,
    integer_field,
    register_seeded,
)
from sudokucrypt.analysis.baselines.orders import UniformShuffle
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.analysis.random_samples import uniform_samples
from sudokucrypt.typing import AnyArray

# Added to seeds for key streams: they are none of the images that attacks draw from seeds.
STREAMS = 1 << 256


@dataclass(frozen=True)
class ChainXor(Scrambler):
    """Permutation and diffusion: pixels move, then each sample takes up the one before it.

    After a uniform permutation of the pixels, c(i) = p(i) ^ k(i) ^ c(i - 1) in reading order, with
    a stream k that the seed of 0 or more decides. Most chaotic ciphers are of this form; the stream
    here is better than theirs. Limits: both steps are affine, so a few chosen images give map and
    stream away, see `sudokucrypt.analysis.attacks.affine_attack`.
    After J. Fridrich, 1998, doi:10.1142/S021812749800098X, broken in this form by E. Solak,
    C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010, doi:10.1142/S0218127410026563.
    """

    name: ClassVar[str] = "chain-xor"
    seed: int = integer_field(0, least=0)

    def _applied(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, shuffle = np.asarray(image), UniformShuffle(self.seed)
        checked_image(array)
        mask = uniform_samples(STREAMS + self.seed, array.size, array.dtype)
        if undo:
            moved = self._unchained(array.reshape(-1), mask).astype(array.dtype)
            return shuffle.unscramble(moved.reshape(array.shape))
        moved = shuffle.scramble(array).reshape(-1)
        return self._chained(moved, mask).astype(array.dtype).reshape(array.shape)

    def _chained(self, moved: AnyArray, mask: AnyArray) -> AnyArray:
        return np.bitwise_xor.accumulate(moved ^ mask)

    def _unchained(self, seen: AnyArray, mask: AnyArray) -> AnyArray:
        plain = seen ^ mask
        plain[1:] ^= seen[:-1]
        return plain


@dataclass(frozen=True)
class ChainAdd(ChainXor):
    """The same with sums: c(i) = p(i) + k(i) + c(i - 1), modulo the number of levels.

    Limits: as of `ChainXor`, with sums for exclusive-or.
    """

    name: ClassVar[str] = "chain-add"

    def _chained(self, moved: AnyArray, mask: AnyArray) -> AnyArray:
        if moved.dtype == np.bool_:  # sums of bits are their exclusive-or
            return super()._chained(moved, mask)
        return np.add.accumulate(moved + mask, dtype=moved.dtype.type)

    def _unchained(self, seen: AnyArray, mask: AnyArray) -> AnyArray:
        if seen.dtype == np.bool_:
            return super()._unchained(seen, mask)
        return np.diff(seen, prepend=seen.dtype.type(0)) - mask


@dataclass(frozen=True)
class ContentKeyedShuffle(Scrambler):
    """A uniform permutation of all pixels that depends on the histogram of the samples too.

    Moving pixels does not change the histogram, so it can be undone. "The key depends on the plain
    image" is to stop chosen images, which have another map than the target. Limits: it does not, as
    the result tells the histogram, and images of the same histogram have the same map, see
    `sudokucrypt.analysis.attacks.adaptive_attack`; a sum in place of the histogram is no better.
    """

    name: ClassVar[str] = "content-keyed"
    seed: int = integer_field(0, least=0)

    def _applied(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        # Sorted samples stay the same when they move, so either direction knows the seed.
        samples = np.sort(as_image(image), axis=None).tobytes()
        digest = sha256(b"%d " % self.seed + samples).digest()
        shuffle = UniformShuffle(int.from_bytes(digest, "big"))
        return shuffle.unscramble(image) if undo else shuffle.scramble(image)


register_seeded(
    ChainXor,
    moves_only=False,
    limits="map, stream and chain are affine: a few chosen images give them away",
)
register_seeded(
    ChainAdd,
    moves_only=False,
    limits="map, stream and sums are affine: a few chosen images give them away",
)
register_seeded(
    ContentKeyedShuffle,
    limits="one map for all images of one histogram, which the result shows",
)
