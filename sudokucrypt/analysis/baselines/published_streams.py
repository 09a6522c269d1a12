"""Published ciphers that change pixels in place, or at most swap neighbors.

They are for study, never for protection. Each has the steps of its paper; its `basis` says which
details were checked against the paper, which are from memory, and which were chosen because the
paper leaves them open.
"""

from bisect import bisect_right
from functools import lru_cache
from math import pi, sin

import numpy as np

from sudokucrypt.analysis.baselines.chaos import (
    iterate_hyperchaos,
    iterate_logistic,
    read_fraction,
    take_bits,
    take_samples,
)
from sudokucrypt.analysis.baselines.contract import GrayCipher, register_baseline, undo_xor_chain
from sudokucrypt.typing import AnyArray

# The allowed differences of the two key bytes of CKBA: four bits are 1, as the paper requires.
_BALANCED_BYTES = [byte for byte in range(256) if byte.bit_count() == 4]


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
        """Combine each pixel with its key byte."""
        first_byte = self.key[7]
        second_byte = first_byte ^ _BALANCED_BYTES[self.key[8] % len(_BALANCED_BYTES)]
        orbit = iterate_logistic(read_fraction(self.key, 0), -(-image.size // 8))
        choice_bits = take_bits(orbit)[: 2 * image.size].reshape(-1, 2)
        mask_bytes = np.array(
            [second_byte ^ 255, second_byte, first_byte ^ 255, first_byte], dtype=np.uint8
        )
        mask: AnyArray = mask_bytes[2 * choice_bits[:, 0] + choice_bits[:, 1]].reshape(image.shape)
        return image ^ mask

    decrypt = encrypt


# The possible pairs of the two rotation amounts of BRIE: both amounts are at least 1, and their
# sum is below 8, as in the paper.
_TURN_AMOUNTS = [(alpha, beta) for alpha in range(1, 7) for beta in range(1, 8 - alpha)]


@register_baseline(
    evidence="memory",
    key_bits=52 + 3.9,
)
class Brie(GrayCipher):
    """BRIE: the bits of each pixel are rotated, by one of two amounts to the left or right.

    A bit b(i) of a logistic orbit is the direction and alpha + beta b(i + 1) the amount; the key
    contains alpha and beta, which are at least 1 and have a sum below 8.

    Limits: pixels keep their number of ones, so black, white and outlines stay visible

    Source: J.-C. Yen, J.-I. Guo, A new image encryption algorithm and its VLSI architecture,
    SiPS 1999, doi:10.1109/SIPS.1999.822348

    Broken by: S. Li, X. Zheng, On the security of an image encryption method, ICIP 2002,
    doi:10.1109/ICIP.2002.1040103: 1 chosen image or a few known ones

    Basis: No public text or code was found in November 2026: both DOIs and all steps are from
    memory. Chosen: growth 3.9999, 16 bits of each value of the orbit, and rotation to the right
    for a bit of 1.
    """

    name = "brie"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Rotate the bits of pixels."""
        return self.rotate_bits(image, self._derive_turns(image.size))

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Rotate the bits of pixels back."""
        return self.rotate_bits(image, 8 - self._derive_turns(image.size))

    def _derive_turns(self, count: int) -> AnyArray:
        """Return the number of bits, 1..7, by which each of `count` pixels is rotated left."""
        alpha, beta = _TURN_AMOUNTS[self.key[7] % len(_TURN_AMOUNTS)]
        stream = take_bits(iterate_logistic(read_fraction(self.key, 0), count // 16 + 1))
        turns = alpha + beta * stream[1 : count + 1]
        return np.where(stream[:count] == 1, 8 - turns, turns).astype(np.uint8)

    @staticmethod
    def rotate_bits(image: AnyArray, turns: AnyArray) -> AnyArray:
        """Return pixels whose bits are rotated to the left by 0..7 each."""
        samples = image.reshape(-1).astype(np.uint16)
        rotated_samples: AnyArray = (samples << turns | samples >> (8 - turns)) & 255
        return rotated_samples.astype(np.uint8).reshape(image.shape)


# The number of pixels of a block of RCES, and of bits that an orbit gives for it, as in the paper.
_RCES_BLOCK_PIXELS = 16
_RCES_BLOCK_BITS = 129


@register_baseline(
    evidence="memory",
    key_bits=52,
)
class Rces(GrayCipher):
    """RCES, also RSES: pixels of blocks of 16 are swapped in pairs, then masked.

    For each block, an orbit gives 129 bits: 8 bits select the neighbors to swap, 16 bits are two
    seeds, and a pair of bits for each pixel chooses a seed or its complement as its mask.

    Limits: swaps move pixels only by one position, and all images of a size have one mask

    Source: H.-C. Chen, J.-C. Yen, A new cryptography system and its VLSI realization, Journal
    of Systems Architecture 49, 2003, doi:10.1016/S1383-7621(03)00087-5

    Broken by: S. Li, C. Li, G. Chen, K.-T. Lo, Cryptanalysis of the RCES/RSES image encryption
    scheme, 2008, doi:10.1016/j.jss.2007.07.037: 1 or 2 known images

    Basis: No public code was found in November 2026. The abstract of the break was read; steps
    and the DOI of the cipher are from memory. Chosen: the use of
    each of the 129 bits, and that pixels outside whole blocks are treated like the others.
    """

    name = "rces"

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Swap, then mask."""
        swap_mask, masks = self._derive_schedule(image.size)
        return (self.swap_pairs(image.reshape(-1), swap_mask) ^ masks).reshape(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        swap_mask, masks = self._derive_schedule(image.size)
        return self.swap_pairs(image.reshape(-1) ^ masks, swap_mask).reshape(image.shape)

    def _derive_schedule(self, count: int) -> tuple[AnyArray, AnyArray]:
        """Return for `count` pixels a mask of the pairs to swap, and the key stream."""
        block_count = -(-count // _RCES_BLOCK_PIXELS)
        stream = take_bits(
            iterate_logistic(read_fraction(self.key, 0), -(-block_count * _RCES_BLOCK_BITS // 16))
        )
        rows = stream[: block_count * _RCES_BLOCK_BITS].reshape(block_count, _RCES_BLOCK_BITS)
        seeds = np.packbits(rows[:, 40:56], axis=1)
        mask_choices = 2 * rows[:, 8:40:2] + rows[:, 9:40:2]
        mask_bytes = np.stack([~seeds[:, 1], seeds[:, 1], ~seeds[:, 0], seeds[:, 0]], axis=1)
        masks = np.take_along_axis(mask_bytes, mask_choices.astype(np.intp), axis=1).reshape(-1)[
            :count
        ]
        return rows[:, :8].reshape(-1)[: count // 2] == 1, masks

    @staticmethod
    def swap_pairs(flat_pixels: AnyArray, swap_mask: AnyArray) -> AnyArray:
        """Return pixels with the selected pairs swapped; a last single pixel does not move."""
        result = flat_pixels.copy()
        pairs = result[: 2 * len(swap_mask)].reshape(-1, 2)
        pairs[swap_mask] = pairs[swap_mask, ::-1]
        return result


# The number of pixels after which the key of Pareek's cipher changes, as in the paper.
_PAREEK_BLOCK_PIXELS = 16
# Upper ends of the intervals of 0.1..0.9 that select operations. The intervals are 0.03, 0.03 and
# 0.04 wide in turn.
_PAREEK_INTERVAL_ENDS = [0.1 * tenth + part for tenth in range(1, 9) for part in (0.03, 0.06, 0.1)]
# The operation of each interval on a pixel p with a key byte k. The first four use bytes 4 to 6 of
# the key, the others bytes 7 to 9; "not xor" is the complement of p ^ k.
_PAREEK_OPERATIONS = ("not", "xor", "add", "not xor", "xor", "add", "not xor", "nothing")


@register_baseline(
    evidence="paper",
    key_bits=80,
)
class Pareek(GrayCipher):
    """Pareek, Patidar and Sud: one of eight operations for each pixel, by two logistic maps.

    The key has ten bytes. The start of the first map depends on six of them; its values select
    bits of the key, which start the second map. The interval that contains a value of the second
    map selects the operation on a pixel, in which each channel has its own key byte. After each
    block of 16 pixels, the tenth byte is added to the other nine.

    Limits: each pixel position has one operation for all images of a size, and an eighth of the
    pixels is unchanged

    Source: N. K. Pareek, V. Patidar, K. K. Sud, Image encryption using chaotic logistic map,
    2006, doi:10.1016/j.imavis.2006.02.021

    Broken by: C. Li, S. Li, M. Asim, J. Nunez, G. Alvarez, G. Chen, On the security defects of
    an image encryption scheme, 2009, doi:10.1016/j.imavis.2008.12.008, arXiv:1610.02534: 1
    known or at most 128 chosen images

    Basis: The eight operations, their order and the widths of the intervals were checked
    against public texts; the rest is from memory. Chosen: gray pixels take
    in turns the three bytes that the channels of a color pixel take. The tested break finds the
    operation on each pixel, not the key.
    """

    name = "pareek"
    in_color = True

    def encrypt(self, image: AnyArray) -> AnyArray:
        """Apply to each pixel the operation that the key selects for it."""
        is_sum, operands = self._derive_operations(image.shape)
        return np.where(is_sum, image + operands, image ^ operands)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo the operation of each pixel."""
        is_sum, operands = self._derive_operations(image.shape)
        return np.where(is_sum, image - operands, image ^ operands)

    def _derive_operations(self, shape: tuple[int, ...]) -> tuple[AnyArray, AnyArray]:
        """Return for each sample whether its operation is a sum, and the operand."""
        pixels = shape[0] * shape[1]
        is_sum, operands = _find_operations(self.key[:10], pixels)
        if len(shape) == 2:
            byte_indices = np.arange(pixels) % _PAREEK_BLOCK_PIXELS % 3
            operands = np.take_along_axis(operands, byte_indices[:, None], axis=1)
        else:
            operands = np.resize(operands.T, (shape[2], pixels)).T
        # All channels of a pixel have the same operation.
        return np.broadcast_to(is_sum[:, None], operands.shape).reshape(shape), operands.reshape(
            shape
        )


def _step_logistic_map(x: float) -> float:
    return 3.9999 * x * (1 - x)


def _derive_orbit_start(key_bytes: list[int], bit_indices: list[int] | None = None) -> float:
    key_bits = f"{key_bytes[0]:08b}{key_bytes[1]:08b}{key_bytes[2]:08b}"
    chosen_bits = (
        key_bits if bit_indices is None else "".join(key_bits[index] for index in bit_indices)
    )
    return (int(chosen_bits, 2) + 0.5) / 2**24


@lru_cache(maxsize=16)
def _find_operations(key: bytes, count: int) -> tuple[AnyArray, AnyArray]:
    """Return for each pixel if its operation is a sum, and the operands of three channels."""
    key_bytes, is_sum, operands = list(key), [], []
    for _ in range(-(-count // _PAREEK_BLOCK_PIXELS)):
        digit_sum = sum(byte // 16 + byte % 16 for byte in key_bytes[6:9])
        x = (_derive_orbit_start(key_bytes[3:6]) + digit_sum / 96) % 1 or 0.5
        bit_indices: list[int] = []
        while len(bit_indices) < 24:
            x = _step_logistic_map(x)
            if 0.1 <= x < 0.9:
                bit_indices.append(min(int((x - 0.1) / 0.8 * 24), 23))
        y = (
            _derive_orbit_start(key_bytes[:3], bit_indices) + _derive_orbit_start(key_bytes[:3])
        ) % 1 or 0.5
        for _ in range(_PAREEK_BLOCK_PIXELS):
            y = _step_logistic_map(y)
            while not 0.1 <= y < 0.9:
                y = _step_logistic_map(y)
            interval_index = bisect_right(_PAREEK_INTERVAL_ENDS, y) % 8
            operation = _PAREEK_OPERATIONS[interval_index]
            is_sum.append(operation == "add")
            operands.append(
                [
                    {"not": 255, "not xor": key_byte ^ 255, "nothing": 0}.get(operation, key_byte)
                    for key_byte in (key_bytes[3:6] if interval_index < 4 else key_bytes[6:9])
                ]
            )
        key_bytes = [(byte + key_bytes[9]) % 256 for byte in key_bytes[:9]] + key_bytes[9:]
    return np.array(is_sum[:count]), np.array(operands[:count], dtype=np.uint8)


# The parameter of the standard map in Patidar's cipher: large enough for fully chaotic motion.
_PATIDAR_PARAMETER = 18.9


@register_baseline(
    evidence="paper",
    key_bits=3 * 52 + 4,
)
class Patidar(GrayCipher):
    """Patidar, Pareek and Sud: key bytes, two chains and a stream, combined by exclusive-or.

    Pixels are masked by 16 key bytes in turn. Then each pixel is combined with the previous one in
    reading order, then with the next one in column order. Finally the image is masked by a stream
    of the standard and the logistic map.

    Limits: the only secret is a mask, since the chains use no key

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
        """Mask by the key, apply both chains, and mask by the stream."""
        masked_image = image ^ self._tile_key(image.shape)
        chained_image = np.bitwise_xor.accumulate(masked_image.reshape(-1)).reshape(image.shape)
        column_samples = np.bitwise_xor.accumulate(chained_image.T.reshape(-1)[::-1])[::-1]
        twice_chained_image = np.ascontiguousarray(column_samples.reshape(image.shape[::-1]).T)
        return twice_chained_image ^ self._make_stream(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        chained_image = image ^ self._make_stream(image.shape)
        return self.undo_chains(chained_image) ^ self._tile_key(image.shape)

    def _tile_key(self, shape: tuple[int, ...]) -> AnyArray:
        return np.resize(np.frombuffer(self.key[:16], dtype=np.uint8), shape)

    def _make_stream(self, shape: tuple[int, ...]) -> AnyArray:
        count = shape[0] * shape[1]
        map_bytes = _iterate_standard_map(
            read_fraction(self.key, 0), read_fraction(self.key, 1), count
        )
        return (
            map_bytes ^ take_samples(iterate_logistic(read_fraction(self.key, 2), count))
        ).reshape(shape)

    @staticmethod
    def undo_chains(image: AnyArray) -> AnyArray:
        """Undo both chains, which takes no key."""
        column_samples = undo_xor_chain(image.T.reshape(-1)[::-1])[::-1]
        return undo_xor_chain(column_samples.reshape(image.shape[::-1]).T.reshape(-1)).reshape(
            image.shape
        )


@lru_cache(maxsize=16)
def _iterate_standard_map(x: float, y: float, count: int) -> AnyArray:
    """Return bytes from angles of the standard map, as fractions of a full turn."""
    full_turn, values = 2 * pi, np.empty(count)
    x, y = full_turn * x, full_turn * y
    for index in range(count):
        x = (x + _PATIDAR_PARAMETER * sin(y)) % full_turn
        y = (y + x) % full_turn
        values[index] = y / full_turn
    return take_samples(values)


@register_baseline(
    evidence="paper",
    key_bits=3 * 52 + 16,
)
class Zhu(GrayCipher):
    """Zhu: two chains of sums and exclusive-or in one direction, with neighboring stream bytes.

    t(i) = p(i) ^ k(i - 1) ^ (t(i - 1) + k(i)) and c(i) = t(i) ^ k(i - 1) ^ (c(i - 1) + k(i)), sums
    modulo 256, with t(0) and c(0) from the key.

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
        stream = self._make_stream(image.size).tolist()
        first_chain_value, second_chain_value, result = self.key[21], self.key[22], []
        for value, previous_byte, stream_byte in zip(
            image.reshape(-1).tolist(), stream, stream[1:], strict=False
        ):
            first_chain_value = value ^ previous_byte ^ (first_chain_value + stream_byte & 255)
            second_chain_value = (
                first_chain_value ^ previous_byte ^ (second_chain_value + stream_byte & 255)
            )
            result.append(second_chain_value)
        return np.array(result, dtype=np.uint8).reshape(image.shape)

    def decrypt(self, image: AnyArray) -> AnyArray:
        """Undo `encrypt`."""
        stream, values = self._make_stream(image.size), image.reshape(-1)
        for chain_start in (self.key[22], self.key[21]):
            previous_values = np.concatenate([np.array([chain_start], dtype=np.uint8), values[:-1]])
            values = values ^ stream[:-1] ^ (previous_values + stream[1:])
        return values.reshape(image.shape)

    def _make_stream(self, count: int) -> AnyArray:
        """Return the key stream k(0) to k(count)."""
        x, y, z = (read_fraction(self.key, index) for index in range(3))
        orbit = iterate_hyperchaos((0.3 + x, -0.4 + y, 1.2 + z, 1.0), -(-(count + 1) // 4))
        return take_samples(orbit).T.reshape(-1)[: count + 1]
