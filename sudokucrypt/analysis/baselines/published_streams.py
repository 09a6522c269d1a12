"""Published ciphers that change pixels where they are, or swap neighbors at most.

They are for study, never for protection. Each has the steps of its paper; its `basis` says what was
checked against the paper, what is from memory and what was chosen where the paper is open.
"""

from bisect import bisect_right
from functools import lru_cache
from math import pi, sin

import numpy as np

from sudokucrypt.analysis.baselines.chaos import bits, fraction, hyperchaos, logistic, samples
from sudokucrypt.analysis.baselines.contract import GrayCipher, register_baseline, undo_xor_chain
from sudokucrypt.typing import AnyArray

# The two bytes of a key of CKBA differ in four bits, as the paper asks.
_BALANCED = [byte for byte in range(256) if byte.bit_count() == 4]


@register_baseline(
    evidence="memory",
    key_bits=52 + 8 + 6.13,
)
class Ckba(GrayCipher):
    """CKBA: each pixel is combined with one of two key bytes or their complements.

    Two bits b(2i), b(2i + 1) of a logistic orbit choose among p ^ k1, p xnor k1, p ^ k2 and
    p xnor k2. The key bytes differ in four bits.

    Limits: one mask for all images of a size

    Source: J.-C. Yen, J.-I. Guo, A new chaotic key-based design for image encryption and
    decryption, ISCAS 2000, doi:10.1109/ISCAS.2000.858685

    Broken by: S. Li, X. Zheng, Cryptanalysis of a chaotic image encryption method, ISCAS 2002,
    doi:10.1109/ISCAS.2002.1011451: 1 known image

    Basis: No public text or code was found in November 2026: both DOIs and all steps are from
    memory. Chosen: growth 3.9999, 16 bits of each value of the orbit, the highest first.
    """

    name = "ckba"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Combine each pixel with its byte."""
        first = self.key[7]
        second = first ^ _BALANCED[self.key[8] % len(_BALANCED)]
        orbit = logistic(fraction(self.key, 0), -(-image.size // 8))
        chosen = bits(orbit)[: 2 * image.size].reshape(-1, 2)
        table = np.array([second ^ 255, second, first ^ 255, first], dtype=np.uint8)
        mask: AnyArray = table[2 * chosen[:, 0] + chosen[:, 1]].reshape(image.shape)
        return image ^ mask

    decrypt = encrypt


# Both amounts of BRIE are at least 1, and their sum is less than 8, as in the paper.
_AMOUNTS = [(alpha, beta) for alpha in range(1, 7) for beta in range(1, 8 - alpha)]


@register_baseline(
    evidence="memory",
    key_bits=52 + 3.9,
)
class Brie(GrayCipher):
    """BRIE: the bits of each pixel are rotated, by one of two amounts to the left or right.

    A bit b(i) of a logistic orbit is the direction and alpha + beta b(i + 1) the amount; the key
    holds alpha and beta, which are at least 1 and below 8 together.

    Limits: pixels keep their number of ones: black, white and outlines stay

    Source: J.-C. Yen, J.-I. Guo, A new image encryption algorithm and its VLSI architecture,
    SiPS 1999, doi:10.1109/SIPS.1999.822348

    Broken by: S. Li, X. Zheng, On the security of an image encryption method, ICIP 2002,
    doi:10.1109/ICIP.2002.1040103: 1 chosen image or a few known ones

    Basis: No public text or code was found in November 2026: both DOIs and all steps are from
    memory. Chosen: growth 3.9999, 16 bits of each value of the orbit, a bit of 1 for the right.
    """

    name = "brie"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Rotate the bits of pixels."""
        return self.rotate(image, self._derive_turns(image.size))

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Rotate the bits of pixels back."""
        return self.rotate(image, 8 - self._derive_turns(image.size))

    def _derive_turns(self, count: int) -> AnyArray:
        """Return by how many bits, 1..7, each of `count` pixels turns to the left."""
        alpha, beta = _AMOUNTS[self.key[7] % len(_AMOUNTS)]
        stream = bits(logistic(fraction(self.key, 0), count // 16 + 1))
        turns = alpha + beta * stream[1 : count + 1]
        return np.where(stream[:count] == 1, 8 - turns, turns).astype(np.uint8)

    @staticmethod
    def rotate(image: AnyArray, turns: AnyArray) -> AnyArray:
        """Return pixels whose bits are rotated to the left by 0..7 each."""
        flat = image.reshape(-1).astype(np.uint16)
        rotated: AnyArray = (flat << turns | flat >> (8 - turns)) & 255
        return rotated.astype(np.uint8).reshape(image.shape)


# Pixels of a block of RCES, and bits that an orbit gives for it, as in the paper.
_RCES_BLOCK = 16
_RCES_BITS = 129


@register_baseline(
    evidence="memory",
    key_bits=52,
)
class Rces(GrayCipher):
    """RCES, also RSES: pixels of blocks of 16 are swapped in pairs, then take up one of four masks.

    For each block an orbit gives 129 bits: 8 say which neighbors are swapped, 16 are two seeds, and
    pairs of bits choose a seed or its complement for each pixel.

    Limits: swaps reach one pixel far, and one mask serves all images of a size

    Source: H.-C. Chen, J.-C. Yen, A new cryptography system and its VLSI realization, Journal
    of Systems Architecture 49, 2003, doi:10.1016/S1383-7621(03)00087-5

    Broken by: S. Li, C. Li, G. Chen, K.-T. Lo, Cryptanalysis of the RCES/RSES image encryption
    scheme, 2008, doi:10.1016/j.jss.2007.07.037: 1 or 2 known images

    Basis: No public code was found in November 2026. The abstract of the break was read; steps
    and the DOI of the cipher are from memory. Chosen: which of the 129 bits do what, and that
    pixels beyond whole blocks are treated the same.
    """

    name = "rces"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Swap, then mask."""
        swaps, masks = self._derive_schedule(image.size)
        return (self.swap_pairs(image.reshape(-1), swaps) ^ masks).reshape(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        swaps, masks = self._derive_schedule(image.size)
        return self.swap_pairs(image.reshape(-1) ^ masks, swaps).reshape(image.shape)

    def _derive_schedule(self, count: int) -> tuple[AnyArray, AnyArray]:
        """Return for `count` pixels which pairs are swapped, and the masks."""
        blocks = -(-count // _RCES_BLOCK)
        stream = bits(logistic(fraction(self.key, 0), -(-blocks * _RCES_BITS // 16)))
        rows = stream[: blocks * _RCES_BITS].reshape(blocks, _RCES_BITS)
        seeds = np.packbits(rows[:, 40:56], axis=1)
        chosen = 2 * rows[:, 8:40:2] + rows[:, 9:40:2]
        table = np.stack([~seeds[:, 1], seeds[:, 1], ~seeds[:, 0], seeds[:, 0]], axis=1)
        masks = np.take_along_axis(table, chosen.astype(np.intp), axis=1).reshape(-1)[:count]
        return rows[:, :8].reshape(-1)[: count // 2] == 1, masks

    @staticmethod
    def swap_pairs(flat: AnyArray, swaps: AnyArray) -> AnyArray:
        """Return pixels of which the named pairs are swapped; a last single pixel stays."""
        result = flat.copy()
        pairs = result[: 2 * len(swaps)].reshape(-1, 2)
        pairs[swaps] = pairs[swaps, ::-1]
        return result


# Pixels after which the key of Pareek's cipher is changed, as in the paper.
_PAREEK_BLOCK = 16
# Of the values 0.1..0.9, where the maps stay most of the time: 0.03, 0.03 and 0.04 wide in turns.
_PAREEK_EDGES = [0.1 * tenth + part for tenth in range(1, 9) for part in (0.03, 0.06, 0.1)]
# What is done to a pixel p with a byte k of the key: complements of p, p ^ k, p + k, of p ^ k; with
# bytes 4 to 6 of the key first, then with 7 to 9, then nothing.
_PAREEK_OPERATIONS = ("not", "xor", "add", "not xor", "xor", "add", "not xor", "nothing")


@register_baseline(
    evidence="paper",
    key_bits=80,
)
class Pareek(GrayCipher):
    """Pareek, Patidar and Sud: one of eight operations for each pixel, by two logistic maps.

    The key has ten bytes. A start from three of them, and from three others, drives the first map;
    its values pick bits of the key, which start the second; the interval that its value falls into
    names the operation on a pixel, in which each channel has its byte of the key. After each block
    of 16 pixels, nine bytes take up the tenth.

    Limits: one operation for each pixel of all images of a size, which leaves an eighth as it
    is

    Source: N. K. Pareek, V. Patidar, K. K. Sud, Image encryption using chaotic logistic map,
    2006, doi:10.1016/j.imavis.2006.02.021

    Broken by: C. Li, S. Li, M. Asim, J. Nunez, G. Alvarez, G. Chen, On the security defects of
    an image encryption scheme, 2009, doi:10.1016/j.imavis.2008.12.008, arXiv:1610.02534: 1
    known or at most 128 chosen images

    Basis: The eight operations, their order and the widths of the intervals were checked
    against public texts; the rest is from memory. Chosen: gray pixels take the three bytes,
    which the channels of a colored one take, in turns. The break that is tested finds what is
    done to each pixel, not the key.
    """

    name = "pareek"
    in_color = True

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Apply the operations."""
        sums, operands = self._derive_operations(image.shape)
        return np.where(sums, image + operands, image ^ operands)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo the operations."""
        sums, operands = self._derive_operations(image.shape)
        return np.where(sums, image - operands, image ^ operands)

    def _derive_operations(self, shape: tuple[int, ...]) -> tuple[AnyArray, AnyArray]:
        """Return for each sample whether it is a sum, and what is added or joined."""
        pixels = shape[0] * shape[1]
        sums, operands = _find_operations(self.key[:10], pixels)
        if len(shape) == 2:
            turn = np.arange(pixels) % _PAREEK_BLOCK % 3
            operands = np.take_along_axis(operands, turn[:, None], axis=1)
        else:
            operands = np.resize(operands.T, (shape[2], pixels)).T
        # The parts of one pixel all have one operation.
        return np.broadcast_to(sums[:, None], operands.shape).reshape(shape), operands.reshape(
            shape
        )


def _compute_next_value(x: float) -> float:
    return 3.9999 * x * (1 - x)


def _find_start(parts: list[int], picks: list[int] | None = None) -> float:
    digits = f"{parts[0]:08b}{parts[1]:08b}{parts[2]:08b}"
    chosen = digits if picks is None else "".join(digits[pick] for pick in picks)
    return (int(chosen, 2) + 0.5) / 2**24


@lru_cache(maxsize=16)
def _find_operations(key: bytes, count: int) -> tuple[AnyArray, AnyArray]:
    """Return for each of `count` pixels whether it is a sum, and the operands of three channels."""
    bytes_, sums, operands = list(key), [], []
    for _ in range(-(-count // _PAREEK_BLOCK)):
        digits = sum(byte // 16 + byte % 16 for byte in bytes_[6:9])
        x = (_find_start(bytes_[3:6]) + digits / 96) % 1 or 0.5
        picks: list[int] = []
        while len(picks) < 24:
            x = _compute_next_value(x)
            if 0.1 <= x < 0.9:
                picks.append(min(int((x - 0.1) / 0.8 * 24), 23))
        y = (_find_start(bytes_[:3], picks) + _find_start(bytes_[:3])) % 1 or 0.5
        for _ in range(_PAREEK_BLOCK):
            y = _compute_next_value(y)
            while not 0.1 <= y < 0.9:
                y = _compute_next_value(y)
            kind = bisect_right(_PAREEK_EDGES, y) % 8
            operation = _PAREEK_OPERATIONS[kind]
            sums.append(operation == "add")
            operands.append(
                [
                    {"not": 255, "not xor": k ^ 255, "nothing": 0}.get(operation, k)
                    for k in (bytes_[3:6] if kind < 4 else bytes_[6:9])
                ]
            )
        bytes_ = [(byte + bytes_[9]) % 256 for byte in bytes_[:9]] + bytes_[9:]
    return np.array(sums[:count]), np.array(operands[:count], dtype=np.uint8)


# Of the standard map of Patidar's cipher: strong enough to leave no islands of regular motion.
_KICK = 18.9


@register_baseline(
    evidence="paper",
    key_bits=3 * 52 + 4,
)
class Patidar(GrayCipher):
    """Patidar, Pareek and Sud: key bytes, chains of rows and columns, and a stream, joined by xor.

    Pixels take up 16 bytes of the key in turn; each pixel takes up the one before it in reading
    order, then the one after it in the order of columns; at last the image takes up a stream of the
    standard and the logistic map.

    Limits: the only secret is a mask: the chains hold no key

    Source: V. Patidar, N. K. Pareek, K. K. Sud, A new substitution-diffusion based image cipher
    using chaotic standard and logistic maps, 2009, doi:10.1016/j.cnsns.2008.11.005

    Broken by: R. Rhouma, E. Solak, S. Belghith, 2010; C. Li, S. Li, K.-T. Lo, Communications in
    Nonlinear Science and Numerical Simulation 16(2), 2011, 837-843, arXiv:0907.0821: 1 chosen
    image

    Basis: The order of the steps was checked against public texts; the DOI of the cipher is
    from memory. Chosen: gray images in place of three channels, so that chains run over one;
    directions of the chains; parameters of the maps.
    """

    name = "patidar"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Take up the key, the chains and the stream."""
        mixed = image ^ self._tile_key(image.shape)
        flat = np.bitwise_xor.accumulate(mixed.reshape(-1)).reshape(image.shape)
        columns = np.bitwise_xor.accumulate(flat.T.reshape(-1)[::-1])[::-1]
        chained = np.ascontiguousarray(columns.reshape(image.shape[::-1]).T)
        return chained ^ self._stream(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        chained = image ^ self._stream(image.shape)
        return self.undo_chains(chained) ^ self._tile_key(image.shape)

    def _tile_key(self, shape: tuple[int, ...]) -> AnyArray:
        return np.resize(np.frombuffer(self.key[:16], dtype=np.uint8), shape)

    def _stream(self, shape: tuple[int, ...]) -> AnyArray:
        count = shape[0] * shape[1]
        first = _iterate_standard_map(fraction(self.key, 0), fraction(self.key, 1), count)
        return (first ^ samples(logistic(fraction(self.key, 2), count))).reshape(shape)

    @staticmethod
    def undo_chains(image: AnyArray) -> AnyArray:
        """Return an image before both chains, in which there is no key."""
        columns = undo_xor_chain(image.T.reshape(-1)[::-1])[::-1]
        return undo_xor_chain(columns.reshape(image.shape[::-1]).T.reshape(-1)).reshape(image.shape)


@lru_cache(maxsize=16)
def _iterate_standard_map(x: float, y: float, count: int) -> AnyArray:
    """Return bytes of angles of the standard map, as parts of a whole turn."""
    turn, values = 2 * pi, np.empty(count)
    x, y = turn * x, turn * y
    for index in range(count):
        x = (x + _KICK * sin(y)) % turn
        y = (y + x) % turn
        values[index] = y / turn
    return samples(values)


@register_baseline(
    evidence="paper",
    key_bits=3 * 52 + 16,
)
class Zhu(GrayCipher):
    """Zhu: two chains of sums and exclusive-or in one direction, with neighboring stream bytes.

    t(i) = p(i) ^ k(i - 1) ^ (t(i - 1) + k(i)) and c(i) = t(i) ^ k(i - 1) ^ (c(i - 1) + k(i)), sums
    modulo 256, with t(0) and c(0) of the key.

    Limits: from one known image, two bytes of the stream give all others

    Source: C. Zhu, A novel image encryption scheme based on improved hyperchaotic sequences,
    2012, doi:10.1016/j.optcom.2011.08.079

    Broken by: C. Li, Y. Liu, T. Xie, M. Z. Q. Chen, arXiv:1211.3553: 1 known image and 2^16
    guesses

    Basis: Both chains and the first steps of the break were checked against arXiv:1211.3553;
    the DOI of the cipher is from memory. Chosen: the hyperchaotic Chen system without the
    paper's improvement of its sequences.
    """

    name = "zhu"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Apply both chains at once."""
        words = self._stream(image.size).tolist()
        t, c, result = self.key[21], self.key[22], []
        for value, before, now in zip(image.reshape(-1).tolist(), words, words[1:], strict=False):
            t = value ^ before ^ (t + now & 255)
            c = t ^ before ^ (c + now & 255)
            result.append(c)
        return np.array(result, dtype=np.uint8).reshape(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        words, values = self._stream(image.size), image.reshape(-1)
        for first in (self.key[22], self.key[21]):
            before = np.concatenate([np.array([first], dtype=np.uint8), values[:-1]])
            values = values ^ words[:-1] ^ (before + words[1:])
        return values.reshape(image.shape)

    def _stream(self, count: int) -> AnyArray:
        """Return k(0) to k(count)."""
        x, y, z = (fraction(self.key, index) for index in range(3))
        orbit = hyperchaos((0.3 + x, -0.4 + y, 1.2 + z, 1.0), -(-(count + 1) // 4))
        return samples(orbit).T.reshape(-1)[: count + 1]
