"""Schemes to compare with that change samples: tables, chains, ciphers and steps within blocks.

Schemes on blocks keep properties that later processing needs: encryption-then-compression (EtC)
keeps blocks smooth for codecs, and learnable encryption (LE) treats all blocks equally for neural
networks.
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
    check_image_of_any_type,
    make_integer_field,
    register_baseline,
    undo_xor_chain,
)
from sudokucrypt.analysis.baselines.moving import UniformShuffle
from sudokucrypt.analysis.inputs import check_image, draw_uniform_samples
from sudokucrypt.analysis.schemes import MeasuredScheme, SchemeResult
from sudokucrypt.errors import DecryptionError, InvalidImageError
from sudokucrypt.sudoku.model.symmetry import ParametricGrid
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

# Added to seeds for key streams, so that streams differ from the images that attacks draw.
KEY_STREAM_SEED_BASE = 1 << 256


@register_baseline(
    falls_to="codebook",
)
@dataclass(frozen=True)
class SBox(Baseline):
    """One uniform permutation of the levels, from a seed of 0 or more, for all samples.

    Limits: one table for all samples: outlines are visible, and one known image shows the table
    """

    name = "s-box"
    seed: int = make_integer_field(0, least=0)

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = np.asarray(image)
        table = seeded_draws(self.seed).permutations([check_image(array)[1]])
        table = np.argsort(table) if undo else table
        return table.astype(array.dtype)[array.astype(np.intp)]


@register_baseline(
    falls_to="codebook",
)
@dataclass(frozen=True)
class DnaCoding(Baseline):
    """Substitution by "DNA": pairs of bits become bases, to which bases of a key stream are added.

    Each pair of bits becomes one of the bases A, C, G, T by one of the eight rules that keep
    complements, a base of the key is added, and the sum becomes bits by another rule; rules and
    bases are drawn from a seed of 0 or more for each pair. Limits: despite its terms it is only a
    table of four entries for each pair, which does not depend on the image, see
    `sudokucrypt.analysis.attacks.codebook_attack`.

    Limits: one table for each pair of bits, the same for all images: constant images show them

    Source: Q. Zhang, L. Guo, X. Wei, 2010, doi:10.1016/j.mcm.2010.06.005

    Broken by: H. Hermassi, A. Belazi, R. Rhouma, S. M. Belghith, 2014,
    doi:10.1007/s11042-013-1533-6
    """

    name = "dna"
    seed: int = make_integer_field(0, least=0)

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, (_, levels) = np.ascontiguousarray(image), check_image(image)
        if levels == 2:
            raise InvalidImageError(
                "bases are pairs of bits, and the samples have only one bit",
                hint="convert the image to 8 bits per sample",
            )
        # Each row of a table is a permutation, which argsort inverts.
        tables = (
            np.argsort(_make_dna_tables(), axis=1).astype(np.uint8) if undo else _make_dna_tables()
        )
        samples = array.reshape(-1).view(np.uint8)
        rule_indices = draw_uniform_samples(
            KEY_STREAM_SEED_BASE + self.seed, 4 * samples.size
        ).reshape(4, -1)
        scrambled_samples = np.zeros_like(samples)
        for shift, rule in zip((0, 2, 4, 6), rule_indices, strict=True):
            scrambled_samples |= tables[rule, samples >> shift & 3] << shift
        return scrambled_samples.view(array.dtype).reshape(array.shape)


@cache
def _make_dna_tables() -> AnyArray:
    """Return the tables for two bits: a row for each of 256 choices of two rules and a base."""
    # Of the 24 assignments, the 8 are used in which complementary bits give complementary bases.
    rules = [rule for rule in permutations(range(4)) if rule[0] + rule[3] == rule[1] + rule[2]]
    return np.array(
        [
            [second_rule.index((first_rule[bits] + base) % 4) for bits in range(4)]
            for first_rule in rules
            for base in range(4)
            for second_rule in rules
        ],
        dtype=np.uint8,
    )


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class ChainXor(Baseline):
    """Permutation and diffusion: pixels move, then each sample is combined with the previous one.

    After a uniform permutation of the pixels, c(i) = p(i) ^ k(i) ^ c(i - 1) in reading order, with
    a stream k that depends on the seed, 0 or more. Most chaotic ciphers have this form, with worse
    streams. Limits: both steps are affine, so a few chosen images show map and stream, see
    `sudokucrypt.analysis.attacks.affine_attack`.

    Limits: map, stream and chain are affine: a few chosen images show them

    Source: J. Fridrich, 1998, doi:10.1142/S021812749800098X

    Broken by: E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010,
    doi:10.1142/S0218127410026563
    """

    name = "chain-xor"
    seed: int = make_integer_field(0, least=0)

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, shuffle = np.asarray(image), UniformShuffle(self.seed)
        check_image(array)
        mask = draw_uniform_samples(KEY_STREAM_SEED_BASE + self.seed, array.size, array.dtype)
        if undo:
            moved_samples = self._undo_chain(array.reshape(-1), mask).astype(array.dtype)
            return shuffle.unscramble(moved_samples.reshape(array.shape))
        moved_samples = shuffle.scramble(array).reshape(-1)
        return self._chain_samples(moved_samples, mask).astype(array.dtype).reshape(array.shape)

    def _chain_samples(self, moved_samples: AnyArray, mask: AnyArray) -> AnyArray:
        return np.bitwise_xor.accumulate(moved_samples ^ mask)

    def _undo_chain(self, scrambled_samples: AnyArray, mask: AnyArray) -> AnyArray:
        return undo_xor_chain(scrambled_samples) ^ mask


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class ChainAdd(ChainXor):
    """Permutation and diffusion with sums: c(i) = p(i) + k(i) + c(i - 1), modulo the levels.

    Limits: map, stream and sums are affine: a few chosen images show them

    Source: J. Fridrich, 1998, doi:10.1142/S021812749800098X

    Broken by: E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010,
    doi:10.1142/S0218127410026563
    """

    name = "chain-add"

    def _chain_samples(self, moved_samples: AnyArray, mask: AnyArray) -> AnyArray:
        if moved_samples.dtype == np.bool_:  # sums of bits are their exclusive-or
            return super()._chain_samples(moved_samples, mask)
        return np.add.accumulate(moved_samples + mask, dtype=moved_samples.dtype.type)

    def _undo_chain(self, scrambled_samples: AnyArray, mask: AnyArray) -> AnyArray:
        if scrambled_samples.dtype == np.bool_:
            return super()._undo_chain(scrambled_samples, mask)
        return np.diff(scrambled_samples, prepend=scrambled_samples.dtype.type(0)) - mask


_GROWTH = 3.99  # parameter of the logistic map, in the chaotic range that papers use
_WARM_UP_STEPS = 200  # steps after which the orbit does not reveal its start
_ORBIT_START_BITS = 48


@dataclass
class LogisticSource:
    """A `RandomSource` from the orbit x -> 3.99 x (1 - x): biased and predictable."""

    value: float

    def below_each(self, bounds: IntArray, /) -> IntArray:
        """Return one integer in 0..bound-1 for each bound; each takes one step of the orbit."""
        return np.array([self.below(bound) for bound in bounds.tolist()], dtype=np.int64)

    def below(self, bound: int, /) -> int:
        """Return an integer in 0..bound-1 from the next value of the orbit."""
        return min(int(self._step_orbit() * bound), bound - 1)

    def permutations(self, sizes: Sequence[int], /) -> IntArray:
        """Return for each size a permutation that sorts the next `size` values of the orbit."""
        orders = [
            np.argsort([self._step_orbit() for _ in range(size)], kind="stable") for size in sizes
        ]
        return np.concatenate(orders).astype(np.int64)

    def _step_orbit(self) -> float:
        self.value = _GROWTH * self.value * (1.0 - self.value)
        return self.value


@register_baseline(
    limits=f"{_ORBIT_START_BITS} bits of key; one map, and one table for each position in all "
    "images",
    key_bits=_ORBIT_START_BITS,
    falls_to="codebook",
)
@dataclass(frozen=True)
class LogisticSubstitution(Baseline):
    """A Sudoku matrix of order 256, drawn by the logistic map, substitutes samples of 8 bits.

    The orbit starts between 0 and 1. It orders the bands, rows, stacks, columns and digits of the
    matrix S, then the pixels; the sample v at index i of the moved pixels becomes S[i mod 256, v].
    Limits: the start has 48 bits; and map and matrix are the same for all images of a size, so
    constant images show the rows of the matrix, see `sudokucrypt.analysis.attacks.codebook_attack`.
    The design follows the Sudoku-matrix ciphers of about 2010.
    """

    name = "logistic-substitution"
    start: float = 0.3567

    @classmethod
    def with_key(cls, key: bytes) -> Self:
        """Return the scheme whose start is in the first 6 bytes of a key."""
        return cls((int.from_bytes(key[:6], "big") + 1) / (2**_ORBIT_START_BITS + 2))

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = check_image_of_any_type(image)
        if array.dtype != np.uint8:
            raise InvalidImageError(
                f"{self.name} substitutes only samples of 8 bits, not {array.dtype}",
                hint="convert the image to 8 bits per sample",
            )
        source = LogisticSource(self.start)
        for _ in range(_WARM_UP_STEPS):
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


class _BlockScheme(Baseline):
    """A scheme on square blocks; blocks that are cut by the right or bottom edge do not change."""

    block_size: int
    seed: int

    def _apply(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array, side = check_image_of_any_type(image).copy(), self.block_size
        levels = check_image(array)[1]
        planes = array if array.ndim == 3 else array[..., None]
        block_rows, block_columns = array.shape[0] // side, array.shape[1] // side
        for view in self._iterate_views(planes[: block_rows * side, : block_columns * side]):
            # The grid is a view: whole blocks are changed in the array itself, and blocks that are
            # cut by the edge are left out.
            grid = view.reshape(
                len(view), block_rows, side, block_columns, side, view.shape[-1]
            ).swapaxes(2, 3)
            if grid.size:
                blocks = grid.reshape(-1, side, side, view.shape[-1])
                grid[...] = self._transform_blocks(blocks, levels, undo=undo).reshape(grid.shape)
        return array

    def _iterate_views(self, image: AnyArray) -> Iterator[AnyArray]:
        """Yield views of shape (planes, rows, columns, channels); blocks of one view are mixed."""
        yield image[None]

    @abstractmethod
    def _transform_blocks(self, blocks: AnyArray, levels: int, *, undo: bool) -> AnyArray:
        """Return transformed blocks, an array of shape (n, b, b, C)."""


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class ColorEncryptThenCompress(_BlockScheme):
    """Color EtC: blocks are moved, turned or mirrored, and inverted, and channels are exchanged.

    All choices are drawn from a seed of 0 or more. Limits: the blocks can be reassembled without a
    query; and under one key four results reveal all other images, as samples are only moved or
    inverted, see `sudokucrypt.analysis.attacks.differential_attack`.

    Limits: blocks can be reassembled like a jigsaw; one map and mask for all images

    Source: K. Kurihara, M. Kikuchi, S. Imaizumi, S. Shiota, H. Kiya, 2015,
    doi:10.1587/transfun.E98.A.2238
    """

    name = "etc-color"
    block_size: int = make_integer_field(16)
    seed: int = make_integer_field(0, least=0)

    def _transform_blocks(self, blocks: AnyArray, levels: int, *, undo: bool) -> AnyArray:
        count, channels = len(blocks), blocks.shape[-1]
        # With 5 or more channels there are too many orders to list, so channels are not exchanged.
        orders = np.array(list(permutations(range(channels)))[: 1 if channels > 4 else None])
        source = seeded_draws(self.seed)
        positions = source.permutations([count])
        bounds = np.tile([8, 2, len(orders)], count)
        turns, is_inverted, order_numbers = source.below_each(bounds).reshape(-1, 3).T
        order, mask = (
            orders[order_numbers],
            np.where(is_inverted, levels - 1, 0).astype(blocks.dtype),
        )
        if undo:
            plain = np.empty_like(blocks)
            moved_blocks = blocks[positions] ^ mask[:, None, None, None]
            np.put_along_axis(plain, order[:, None, None], moved_blocks, axis=-1)
            return _turn_blocks(plain, turns, undo=True)
        scrambled_blocks = np.empty_like(blocks)
        turned_blocks = _turn_blocks(blocks, turns, undo=False) ^ mask[:, None, None, None]
        scrambled_blocks[positions] = np.take_along_axis(
            turned_blocks, order[:, None, None], axis=-1
        )
        return scrambled_blocks


def _turn_blocks(blocks: AnyArray, turns: IntArray, *, undo: bool) -> AnyArray:
    """Turn blocks: turns 0..3 rotate by quarter turns, turns 4..7 transpose first."""
    result = np.empty_like(blocks)
    for turn in range(8):
        selected_blocks = blocks[turns == turn]
        if undo:
            selected_blocks = np.rot90(selected_blocks, -(turn % 4), axes=(1, 2))
            result[turns == turn] = selected_blocks.swapaxes(1, 2) if turn >= 4 else selected_blocks
        else:
            selected_blocks = selected_blocks.swapaxes(1, 2) if turn >= 4 else selected_blocks
            result[turns == turn] = np.rot90(selected_blocks, turn % 4, axes=(1, 2))
    return result


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class GrayEncryptThenCompress(ColorEncryptThenCompress):
    """Gray EtC: the steps of color EtC on single-channel blocks, moved across channels.

    Limits: blocks can be reassembled like a jigsaw; one map and mask for all images

    Source: T. Chuman, W. Sirichotedumrong, H. Kiya, 2019, doi:10.1109/TIFS.2018.2881677
    """

    name = "etc-gray"
    block_size: int = make_integer_field(8)

    def _iterate_views(self, image: AnyArray) -> Iterator[AnyArray]:
        yield np.moveaxis(image, -1, 0)[..., None]


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class Learnable(_BlockScheme):
    """Learnable encryption, LE: halves of the bits of a sample are inverted and moved in blocks.

    Samples are split into an upper and a lower half of their bits; some halves are inverted and all
    of them shuffled, equally in all blocks, from a seed of 0 or more. Limits: all images have the
    same moves and inversions, see `sudokucrypt.analysis.attacks.differential_attack`; and outlines
    are visible.

    Limits: all blocks are treated equally, and bits are only moved or inverted

    Source: M. Tanaka, 2018, arXiv:1804.00490
    """

    name = "le"
    block_size: int = make_integer_field(4)
    seed: int = make_integer_field(0, least=0)
    _differs_by_block: ClassVar[bool] = False

    def _transform_blocks(self, blocks: AnyArray, levels: int, *, undo: bool) -> AnyArray:
        if levels == 2:
            raise InvalidImageError(
                "samples of one bit have no halves", hint="convert the image to 8 bits per sample"
            )
        half_bits = (levels.bit_length() - 1) // 2
        block_samples = blocks.reshape(len(blocks), -1)
        halves = np.concatenate(
            [block_samples >> half_bits, block_samples & (1 << half_bits) - 1], axis=1
        )
        source, rows = seeded_draws(self.seed), len(blocks) if self._differs_by_block else 1
        random_numbers = source.below_each(np.full(2 * rows * halves.shape[1], 2**32))
        ranks, signs = random_numbers.reshape(2, rows, -1)
        order = np.broadcast_to(np.argsort(ranks, axis=1, kind="stable"), halves.shape)
        mask = np.where(signs & 1, (1 << half_bits) - 1, 0).astype(blocks.dtype)
        if undo:
            moved_halves = np.empty_like(halves)
            np.put_along_axis(moved_halves, order, halves, axis=1)
            moved_halves ^= mask
        else:
            moved_halves = np.take_along_axis(halves ^ mask, order, axis=1)
        upper_halves, lower_halves = np.split(moved_halves, 2, axis=1)
        joined_samples: AnyArray = upper_halves << half_bits | lower_halves
        return joined_samples.reshape(blocks.shape)


@register_baseline(
    falls_to="differential",
)
@dataclass(frozen=True)
class ExtendedLearnable(Learnable):
    """Extended learnable encryption, ELE: like `Learnable`, with new choices for each block.

    Limits: bits are only moved or inverted, in the same way in all images

    Source: K. Madono, M. Tanaka, M. Onishi, T. Ogawa, 2020, arXiv:2001.07761
    """

    name = "ele"
    _differs_by_block: ClassVar[bool] = True


CipherMode = Callable[[bytes, bytes, bytes], bytes]
"""A function of bytes, a key of 32 bytes and a nonce of 16 bytes that returns encrypted bytes."""


def encrypt_aes_ctr(data: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt by AES-128 in counter mode, under the first half of a key."""
    return Cipher(algorithms.AES128(key[:16]), modes.CTR(nonce)).encryptor().update(data)


def encrypt_aes_gcm(data: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt by AES-256-GCM, without the tag, under the first 12 bytes of a nonce."""
    # The tag is sent separately and is no part of the pixels.
    return AESGCM(key).encrypt(nonce[:12], data, None)[: len(data)]


def encrypt_chacha20(data: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt by ChaCha20, with a nonce that begins with the counter."""
    return Cipher(algorithms.ChaCha20(key, nonce), None).encryptor().update(data)


def _make_scheme(
    name: str, mode: CipherMode, *, key_bits: int, with_new_nonces: bool, limits: str, source: str
) -> MeasuredScheme:
    """Return a mode of encryption as a scheme, with reproducible nonces: hashes of a counter."""
    nonce_numbers = count(1)

    def encrypt(image: AnyArray, key: bytes) -> SchemeResult:
        array = np.ascontiguousarray(check_image_of_any_type(image))
        number = next(nonce_numbers) if with_new_nonces else 0
        nonce = sha256(f"{name}, nonce {number}".encode()).digest()[:16]

        def run_mode(pixels: AnyArray, other_key: bytes) -> AnyArray:
            encrypted_samples = np.frombuffer(mode(pixels.tobytes(), other_key, nonce), np.uint8)
            if pixels.dtype == np.bool_:  # a bit is a byte here, of which the lowest bit is used
                return np.asarray((encrypted_samples & 1 != 0).reshape(pixels.shape))
            return np.asarray(encrypted_samples.view(pixels.dtype).reshape(pixels.shape))

        result = run_mode(array, key)
        original_call = (key, result.tobytes())

        def undo(other_key: bytes, pixels: AnyArray = result, /) -> AnyArray:
            if mode is encrypt_aes_gcm and (other_key, pixels.tobytes()) != original_call:
                raise DecryptionError
            return run_mode(pixels, other_key)

        return SchemeResult(result, undo)

    return MeasuredScheme(
        name=name,
        fixed=encrypt,
        fresh=encrypt if with_new_nonces else None,
        key_bits=key_bits,
        moves_only=False,
        limits=limits,
        source=source,
        falls_to="none" if with_new_nonces else "reuse",
        description=f"The bytes of the samples under {name.replace('-', ' ')}.",
    )


def make_standard_ciphers() -> list[MeasuredScheme]:
    """Return standard ciphers as schemes; their nonces are counted from 1.

    >>> [scheme.name for scheme in make_standard_ciphers()]
    ['aes-128-ctr', 'aes-128-ctr-fixed-nonce', 'aes-256-gcm', 'chacha20']
    """
    nist_source = "M. Dworkin, NIST SP 800-38A, 2001, doi:10.6028/NIST.SP.800-38A"
    limits_text = "hides all but the size; changes are "
    return [
        _make_scheme(
            "aes-128-ctr",
            encrypt_aes_ctr,
            key_bits=128,
            with_new_nonces=True,
            limits=f"{limits_text}not detected",
            source=nist_source,
        ),
        _make_scheme(
            "aes-128-ctr-fixed-nonce",
            encrypt_aes_ctr,
            key_bits=128,
            with_new_nonces=False,
            limits="one mask for all images of a size: a control that misuses the cipher",
            source=nist_source,
        ),
        _make_scheme(
            "aes-256-gcm",
            encrypt_aes_gcm,
            key_bits=256,
            with_new_nonces=True,
            limits=f"{limits_text}detected by a tag that is sent with it",
            source="M. Dworkin, NIST SP 800-38D, 2007, doi:10.6028/NIST.SP.800-38D",
        ),
        _make_scheme(
            "chacha20",
            encrypt_chacha20,
            key_bits=256,
            with_new_nonces=True,
            limits=f"{limits_text}not detected",
            source="Y. Nir, A. Langley, RFC 8439, 2018, doi:10.17487/RFC8439",
        ),
    ]


for _scheme in make_standard_ciphers():
    BASELINES.register(_scheme)
