"""Schemes to compare with that change samples: tables, chains, and steps within blocks.

Schemes of blocks protect them by steps that keep what a codec or a network needs:
encryption-then-compression (EtC) keeps blocks smooth, learnable encryption (LE) treats all blocks
equally.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import count, permutations
from typing import ClassVar, Self

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from numpy.typing import ArrayLike

from sudokucrypt.analysis.baselines.contract import (
    BASELINES,
    Baseline,
    as_image,
    integer_field,
    register_baseline,
    undo_xor_chain,
)
from sudokucrypt.analysis.baselines.moving import UniformShuffle
from sudokucrypt.analysis.inputs import checked_image, uniform_samples
from sudokucrypt.analysis.schemes import MeasuredScheme, SchemeResult
from sudokucrypt.errors import DecryptionError, InvalidImageError
from sudokucrypt.sudoku.model.symmetry import ParametricGrid
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

# Added to seeds for key streams: they are none of the images that attacks draw from seeds.
KEY_STREAMS = 1 << 256


@register_baseline(
    falls_to="codebook",
)
@dataclass(frozen=True)
class SBox(Baseline):
    """One uniform permutation of the levels, from a seed of 0 or more, for all samples.

    Limits: one table for all samples: outlines show, and one known image gives it away
    """

    name = "s-box"
    seed: int = integer_field(0, least=0)

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = np.asarray(image)
        table = seeded_draws(self.seed).permutations([checked_image(array)[1]])
        table = np.argsort(table) if undo else table
        return table.astype(array.dtype)[array.astype(np.intp)]


@register_baseline(
    falls_to="codebook",
)
@dataclass(frozen=True)
class DnaCoding(Baseline):
    """Substitution by "DNA": pairs of bits become bases, to which bases of a stream are added.

    Each pair of bits becomes one of the bases A, C, G, T by one of the eight rules that keep
    complements, a base of the key is added, and the sum becomes bits by another rule; rules and
    bases are drawn from a seed of 0 or more for each pair. Limits: for all the biology it is a
    table of four entries for each pair, which does not depend on the image, see
    `sudokucrypt.analysis.attacks.codebook_attack`.

    Limits: one table for each pair of bits of any image: constant images give them away

    Source: Q. Zhang, L. Guo, X. Wei, 2010, doi:10.1016/j.mcm.2010.06.005

    Broken by: H. Hermassi, A. Belazi, R. Rhouma, S. M. Belghith, 2014,
    doi:10.1007/s11042-013-1533-6
    """

    name = "dna"
    seed: int = integer_field(0, least=0)

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, (_, levels) = np.ascontiguousarray(image), checked_image(image)
        if levels == 2:
            raise InvalidImageError(
                "bases are pairs of bits, of which a sample of one level has none",
                hint="convert the image to 8 bits a sample",
            )
        # Each row of a table is a permutation, which sorting inverts.
        tables = (
            np.argsort(_make_dna_tables(), axis=1).astype(np.uint8) if undo else _make_dna_tables()
        )
        samples = array.reshape(-1).view(np.uint8)
        rules = uniform_samples(KEY_STREAMS + self.seed, 4 * samples.size).reshape(4, -1)
        seen = np.zeros_like(samples)
        for pair, rule in zip((0, 2, 4, 6), rules, strict=True):
            seen |= tables[rule, samples >> pair & 3] << pair
        return seen.view(array.dtype).reshape(array.shape)


@cache
def _make_dna_tables() -> AnyArray:
    """Return the codes of two bits: a row for each of 256 choices of two rules and a base."""
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


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class ChainXor(Baseline):
    """Permutation and diffusion: pixels move, then each sample takes up the one before it.

    After a uniform permutation of the pixels, c(i) = p(i) ^ k(i) ^ c(i - 1) in reading order, with
    a stream k that the seed of 0 or more decides. Most chaotic ciphers are of this form; the stream
    here is better than theirs. Limits: both steps are affine, so a few chosen images give map and
    stream away, see `sudokucrypt.analysis.attacks.affine_attack`.

    Limits: map, stream and chain are affine: a few chosen images give them away

    Source: J. Fridrich, 1998, doi:10.1142/S021812749800098X

    Broken by: E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010,
    doi:10.1142/S0218127410026563
    """

    name = "chain-xor"
    seed: int = integer_field(0, least=0)

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, shuffle = np.asarray(image), UniformShuffle(self.seed)
        checked_image(array)
        mask = uniform_samples(KEY_STREAMS + self.seed, array.size, array.dtype)
        if undo:
            moved = self._undo_chain(array.reshape(-1), mask).astype(array.dtype)
            return shuffle.unscramble(moved.reshape(array.shape))
        moved = shuffle.scramble(array).reshape(-1)
        return self._chain(moved, mask).astype(array.dtype).reshape(array.shape)

    def _chain(self, moved: AnyArray, mask: AnyArray) -> AnyArray:
        return np.bitwise_xor.accumulate(moved ^ mask)

    def _undo_chain(self, seen: AnyArray, mask: AnyArray) -> AnyArray:
        return undo_xor_chain(seen) ^ mask


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class ChainAdd(ChainXor):
    """The same with sums: c(i) = p(i) + k(i) + c(i - 1), modulo the number of levels.

    Limits: map, stream and sums are affine: a few chosen images give them away

    Source: J. Fridrich, 1998, doi:10.1142/S021812749800098X

    Broken by: E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010,
    doi:10.1142/S0218127410026563
    """

    name = "chain-add"

    def _chain(self, moved: AnyArray, mask: AnyArray) -> AnyArray:
        if moved.dtype == np.bool_:  # sums of bits are their exclusive-or
            return super()._chain(moved, mask)
        return np.add.accumulate(moved + mask, dtype=moved.dtype.type)

    def _undo_chain(self, seen: AnyArray, mask: AnyArray) -> AnyArray:
        if seen.dtype == np.bool_:
            return super()._undo_chain(seen, mask)
        return np.diff(seen, prepend=seen.dtype.type(0)) - mask


_GROWTH = 3.99  # of the logistic map, in the chaotic range that the literature takes
_WARM_UP = 200  # steps after which the orbit no longer shows its start
_START_BITS = 48


@dataclass
class LogisticSource:
    """A `RandomSource` from the orbit x -> 3.99 x (1 - x): biased, and predictable from a part."""

    x: float

    def below_each(self, bounds: IntArray, /) -> IntArray:
        """Return one integer in 0..bound-1 for each bound, from one step of the orbit each."""
        return np.array([self.below(bound) for bound in bounds.tolist()], dtype=np.int64)

    def below(self, bound: int, /) -> int:
        """Return the position of the next value of the orbit on a scale of `bound` parts."""
        return min(int(self._step() * bound), bound - 1)

    def permutations(self, sizes: Sequence[int], /) -> IntArray:
        """Return for each size the order of that many values of the orbit."""
        orders = [np.argsort([self._step() for _ in range(size)], kind="stable") for size in sizes]
        return np.concatenate(orders).astype(np.int64)

    def _step(self) -> float:
        self.x = _GROWTH * self.x * (1.0 - self.x)
        return self.x


@register_baseline(
    limits=f"{_START_BITS} bits of key; one map and one table for each place of any image",
    key_bits=_START_BITS,
    falls_to="codebook",
)
@dataclass(frozen=True)
class LogisticSubstitution(Baseline):
    """A Sudoku matrix of order 256, drawn by the logistic map, replaces samples of 8 bits.

    The orbit starts between 0 and 1. It orders the bands, rows, stacks, columns and digits of the
    matrix S, then the pixels; the sample v at index i of the moved pixels becomes S[i mod 256, v].
    Limits: the start has 48 bits; and map and matrix are the same for all images of a size, so that
    constant images show the rows of the matrix, see `sudokucrypt.analysis.attacks.codebook_attack`.
    The design is that of the Sudoku-matrix ciphers of about 2010.
    """

    name = "logistic-substitution"
    start: float = 0.3567

    @classmethod
    def with_key(cls, key: bytes) -> Self:
        """Return the scheme whose start is in the first 6 bytes of a key."""
        return cls((int.from_bytes(key[:6], "big") + 1) / (2**_START_BITS + 2))

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = as_image(image)
        if array.dtype != np.uint8:
            raise InvalidImageError(
                f"{self.name} replaces samples of 8 bits only, not of {array.dtype}",
                hint="convert the image to 8 bits a sample",
            )
        source = LogisticSource(self.start)
        for _ in range(_WARM_UP):
            source.below(2)
        table = ParametricGrid.random((16, 16), source).to_grid().cells.astype(np.uint8)
        pixels = array.reshape(array.shape[0] * array.shape[1], -1)
        positions = source.permutations([len(pixels)])
        rows = np.arange(array.size).reshape(pixels.shape) % len(table)
        if undo:
            plain = np.empty_like(pixels)
            plain[positions] = np.argsort(table, axis=1).astype(np.uint8)[rows, pixels]
            return plain.reshape(array.shape)
        return table[rows, pixels[positions]].reshape(array.shape)


class _BlockScrambler(Baseline):
    """A scheme of square blocks; blocks that the right or the bottom edge cuts stay."""

    block_size: int
    seed: int

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, b = as_image(image).copy(), self.block_size
        levels = checked_image(array)[1]
        planes = array if array.ndim == 3 else array[..., None]
        down, across = array.shape[0] // b, array.shape[1] // b
        for part in self._iterate_parts(planes[: down * b, : across * b]):
            # A view: blocks are changed in the array itself, and cut ones at the edge stay.
            grid = part.reshape(len(part), down, b, across, b, part.shape[-1]).swapaxes(2, 3)
            if grid.size:
                blocks = grid.reshape(-1, b, b, part.shape[-1])
                grid[...] = self._transform_blocks(blocks, levels, undo=undo).reshape(grid.shape)
        return array

    def _iterate_parts(self, image: AnyArray) -> Iterator[AnyArray]:
        """Yield views of shape (planes, rows, columns, channels) whose blocks go together."""
        yield image[None]

    @abstractmethod
    def _transform_blocks(self, blocks: AnyArray, levels: int, *, undo: bool) -> AnyArray:
        """Transform blocks, an array of shape (n, b, b, C)."""


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class ColorEncryptThenCompress(_BlockScrambler):
    """Color EtC: blocks move, are turned or mirrored, inverted, and their channels exchanged.

    All choices come from a seed of 0 or more. Limits: the blocks can be put together again without
    a query; and under one key four results give all other images, as everything only moves or is
    inverted, see `sudokucrypt.analysis.attacks.differential_attack`.

    Limits: blocks can be put together like a jigsaw; one map and mask for all images

    Source: K. Kurihara, M. Kikuchi, S. Imaizumi, S. Shiota, H. Kiya, 2015,
    doi:10.1587/transfun.E98.A.2238
    """

    name = "etc-color"
    block_size: int = integer_field(16)
    seed: int = integer_field(0, least=0)

    def _transform_blocks(self, blocks: AnyArray, levels: int, *, undo: bool) -> AnyArray:
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
            return _reorient(plain, turns, undo=True)
        seen = np.empty_like(blocks)
        turned = _reorient(blocks, turns, undo=False) ^ mask[:, None, None, None]
        seen[positions] = np.take_along_axis(turned, order[:, None, None], axis=-1)
        return seen


def _reorient(blocks: AnyArray, turns: IntArray, *, undo: bool) -> AnyArray:
    """Return blocks in one of eight ways: mirrored in the diagonal or not, then turned."""
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


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class GrayEncryptThenCompress(ColorEncryptThenCompress):
    """Gray EtC: the steps of color EtC on blocks of one channel each, which are mixed.

    Limits: blocks can be put together like a jigsaw; one map and mask for all images

    Source: T. Chuman, W. Sirichotedumrong, H. Kiya, 2019, doi:10.1109/TIFS.2018.2881677
    """

    name = "etc-gray"
    block_size: int = integer_field(8)

    def _iterate_parts(self, image: AnyArray) -> Iterator[AnyArray]:
        yield np.moveaxis(image, -1, 0)[..., None]


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class Learnable(_BlockScrambler):
    """Learnable encryption, LE: the halves of samples are inverted and moved inside each block.

    Samples are cut into an upper and a lower half of their bits; some halves are inverted and all
    of them shuffled, equally in all blocks, from a seed of 0 or more. Limits: bits move and are
    inverted in one way for all images, see `sudokucrypt.analysis.attacks.differential_attack`; and
    outlines show.

    Limits: all blocks are treated alike, and bits only move or are inverted

    Source: M. Tanaka, 2018, arXiv:1804.00490
    """

    name = "le"
    block_size: int = integer_field(4)
    seed: int = integer_field(0, least=0)
    _differs_by_block: ClassVar[bool] = False

    def _transform_blocks(self, blocks: AnyArray, levels: int, *, undo: bool) -> AnyArray:
        if levels == 2:
            raise InvalidImageError(
                "samples of one bit have no halves", hint="convert the image to 8 bits a sample"
            )
        half = (levels.bit_length() - 1) // 2
        flat = blocks.reshape(len(blocks), -1)
        parts = np.concatenate([flat >> half, flat & (1 << half) - 1], axis=1)
        source, rows = seeded_draws(self.seed), len(blocks) if self._differs_by_block else 1
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


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class ExtendedLearnable(Learnable):
    """Extended learnable encryption, ELE: as `Learnable`, with other choices for each block.

    Limits: bits only move or are inverted, in one way for all images

    Source: K. Madono, M. Tanaka, M. Onishi, T. Ogawa, 2020, arXiv:2001.07761
    """

    name = "ele"
    _differs_by_block: ClassVar[bool] = True


Mode = Callable[[bytes, bytes, bytes], bytes]
"""Takes bytes, a key of 32 bytes and a nonce of 16, and returns as many bytes."""


def aes_ctr(data: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt by AES-128 in counter mode, under the first half of a key."""
    return Cipher(algorithms.AES128(key[:16]), modes.CTR(nonce)).encryptor().update(data)


def aes_gcm(data: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt by AES-256-GCM, without the tag, under the first 12 bytes of a nonce."""
    # The tag is sent along, and is no part of the pixels.
    return AESGCM(key).encrypt(nonce[:12], data, None)[: len(data)]


def chacha20(data: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt by ChaCha20, where the nonce starts with the counter."""
    return Cipher(algorithms.ChaCha20(key, nonce), None).encryptor().update(data)


def _make_scheme(
    name: str, mode: Mode, *, bits: int, fresh: bool, limits: str, source: str
) -> MeasuredScheme:
    """Return a stream mode; nonces are counted and hashed, so that reports are reproducible."""
    numbers = count(1)

    def encrypt(image: AnyArray, key: bytes) -> SchemeResult:
        array = np.ascontiguousarray(as_image(image))
        number = next(numbers) if fresh else 0
        nonce = sha256(f"{name}, nonce {number}".encode()).digest()[:16]

        def apply(pixels: AnyArray, other: bytes) -> AnyArray:
            made = np.frombuffer(mode(pixels.tobytes(), other, nonce), np.uint8)
            if pixels.dtype == np.bool_:  # a bit takes a byte, of which the lowest bit counts
                return np.asarray((made & 1 != 0).reshape(pixels.shape))
            return np.asarray(made.view(pixels.dtype).reshape(pixels.shape))

        result = apply(array, key)
        sealed = (key, result.tobytes())

        def undo(other: bytes, pixels: AnyArray = result, /) -> AnyArray:
            if mode is aes_gcm and (other, pixels.tobytes()) != sealed:
                raise DecryptionError
            return apply(pixels, other)

        return SchemeResult(result, undo)

    return MeasuredScheme(
        name=name,
        fixed=encrypt,
        fresh=encrypt if fresh else None,
        key_bits=bits,
        moves_only=False,
        limits=limits,
        source=source,
        falls_to="none" if fresh else "reuse",
        description=f"The bytes of the samples under {name.replace('-', ' ')}.",
    )


def make_standard_ciphers() -> list[MeasuredScheme]:
    """Return standard encryption as schemes, whose nonces are counted from 1 on.

    >>> [scheme.name for scheme in make_standard_ciphers()]
    ['aes-128-ctr', 'aes-128-ctr-fixed-nonce', 'aes-256-gcm', 'chacha20']
    """
    nist = "M. Dworkin, NIST SP 800-38A, 2001, doi:10.6028/NIST.SP.800-38A"
    hidden = "hides all but the size; changes are "
    return [
        _make_scheme(
            "aes-128-ctr",
            aes_ctr,
            bits=128,
            fresh=True,
            limits=f"{hidden}not detected",
            source=nist,
        ),
        _make_scheme(
            "aes-128-ctr-fixed-nonce",
            aes_ctr,
            bits=128,
            fresh=False,
            limits="one mask for all images of a size: the control of the same cipher, misused",
            source=nist,
        ),
        _make_scheme(
            "aes-256-gcm",
            aes_gcm,
            bits=256,
            fresh=True,
            limits=f"{hidden}detected by a tag that is sent along",
            source="M. Dworkin, NIST SP 800-38D, 2007, doi:10.6028/NIST.SP.800-38D",
        ),
        _make_scheme(
            "chacha20",
            chacha20,
            bits=256,
            fresh=True,
            limits=f"{hidden}not detected",
            source="Y. Nir, A. Langley, RFC 8439, 2018, doi:10.17487/RFC8439",
        ),
    ]


for _scheme in make_standard_ciphers():
    BASELINES.register(_scheme)
