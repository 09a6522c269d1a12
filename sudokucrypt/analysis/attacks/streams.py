"""Continue key streams of linear registers and congruential generators from a known stretch."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import chain, pairwise, permutations, product
from math import gcd
from typing import Literal

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.masks import STREAM_FINDERS, STREAM_REMOVERS, list_combinations
from sudokucrypt.analysis.attacks.scan_orders import list_two_way_orders
from sudokucrypt.analysis.attacks.stream_statistics import (
    cut_orders,
    guess_from_biases,
    guess_from_neighbors,
)
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray, IntArray

_MAX_SAMPLES = 32 * 32
# A register counts as short up to this share of the known bits: random bits need about half.
_MAX_REGISTER_SHARE = 0.45
# Generators in common use modulo a power of two: multiplier, increment, and the positions in the
# state where the output byte may begin. State bits above that byte do not influence it.
_GENERATORS = (
    (1103515245, 12345, (0, 8, 16, 23, 24)),
    (1664525, 1013904223, (0, 8, 16, 24)),
    (214013, 2531011, (0, 8, 16, 23, 24)),
    (69069, 1, (0, 8, 16, 24)),
    (22695477, 1, (0, 8, 16, 24)),
    (134775813, 1, (0, 8, 16, 24)),
    (25214903917, 11, (16, 24, 32, 40)),
    (6364136223846793005, 1442695040888963407, (24, 32, 48, 56)),
    (6364136223846793005, 1, (32, 33, 48, 56)),
    (2862933555777941757, 3037000493, (32, 48, 56)),
    (3935559000370003845, 2691343689449507681, (32, 48, 56)),
)
# Generators in common use without increment: multipliers, modulus, and the positions in the state
# where the output byte may begin.
_LEHMER_MULTIPLIERS, _LEHMER_MODULUS, _LEHMER_SHIFTS = (16807, 48271, 69621), 0x7FFFFFFF, (0, 23)
# The possible sizes, in bytes, of states that are output as a whole, and the number of states from
# which the modulus is computed.
_STATE_SIZES, _STATE_COUNT = (2, 3, 4, 5, 6, 7, 8), 12
# Known bytes that the lattice needs beyond the size of the state: for a state of 64 bits, eight
# bytes are not quite enough.
_EXTRA_BYTE_COUNT = 4
# The number of bytes that distinguish the right state from all other states.
_CHECKED_BYTE_COUNT = 16
# Constant of the Lovasz condition: rows are swapped if this shortens by a quarter or more.
_LOVASZ_CONSTANT = 0.75
# Rounds of lattice reduction: floats lose the last bits of large numbers, so one is not enough.
_REDUCTION_ROUNDS = 8
# Limits for linear relations between states, first for high bytes, then for low bytes, of which
# many multiples are tried. The first limit is the number of states in a relation, which is also
# the number of positions where the relation is checked. The second limit is the length below which
# a relation is not chance.
_HIGH_BYTE_RELATION_BOUNDS, _LOW_BYTE_RELATION_BOUNDS = (24, 45), (12, 25)
# The weight of the factors of a relation in the lattice, relative to the entries that check the
# relation.
_FACTOR_WEIGHT = 2
# All factors below this bound are tried as common factors of the modulus and the steps.
_FACTOR_BOUND = 16
# Share of right bytes from which a generator with secret parameters counts as found.
_MIN_CORRECT_SHARE = 0.9


# Length of a known stretch in bytes: more words of four bytes than the register of the Mersenne
# Twister has bits.
_LONG_STRETCH_LENGTH = 4 * 20_500
# The number of samples at the end of a known stretch that test a rule, and the share of them that
# the rule must predict: a rule with unknown carries predicts two of three samples.
_CHECKED_END_LENGTH, _MIN_PREDICTED_SHARE = 256, 0.3
# Number of samples in which registers of up to 14,000 bits are searched for.
_REGISTER_SAMPLE_COUNT = 4096
# The longest lag of lagged Fibonacci generators: 55 is the commonest.
_MAX_LAG = 64
# Two lags whose product is a quarter of the commonest modulus, 2^32.
_POWER_LAGS = 1 << 16, 1 << 14
# The last row of the matrix of the Mersenne Twister.
_TWIST_ROW = 0x9908B0DF


@dataclass(frozen=True)
class _Generator:
    """A congruential generator x -> a x + c modulo m, whose output is one byte of the state.

    `shift` is the number of the lowest bit of that byte. Modulo a power of two, bits above the byte
    do not influence it, and are left out.
    """

    multiplier: int
    increment: int
    modulus: int
    shift: int = 0

    def __str__(self) -> str:
        rule = f"{self.multiplier} x + {self.increment} modulo {self.modulus}"
        return f"{rule}, bits {self.shift} to {self.shift + 7}"

    def list_states(self, state: int, count: int) -> list[int]:
        """Return the given number of states, beginning with `state`."""
        result = []
        for _ in range(count):
            result.append(state)
            state = (self.multiplier * state + self.increment) % self.modulus
        return result

    def make_stream(self, state: int, count: int) -> AnyArray:
        """Return the output bytes of the given number of states, beginning with `state`."""
        return np.array(
            [each >> self.shift & 255 for each in self.list_states(state, count)], np.uint8
        )

    def find_state(self, known_bytes: list[int]) -> int:
        """Return the state that most likely gives the first known byte.

        Without the increment, each state is the first state times a power of the multiplier, so
        sequences of states are a lattice. The known bytes are near a point of this lattice.

        Source: A. M. Frieze, J. Hastad, R. Kannan, J. C. Lagarias, A. Shamir, 1988,
        doi:10.1137/0217016.
        """
        # If the low byte is known, only the high part of the state is unknown, and it is short.
        has_low_bytes = self.shift == 0 and self.modulus % 2 == 1
        factor = pow(256, -1, self.modulus) if has_low_bytes else 1
        targets, offset = list[int](), 0
        for index, byte in enumerate(
            known_bytes[: self.modulus.bit_length() // 8 + _EXTRA_BYTE_COUNT]
        ):
            if has_low_bytes:
                residue = (
                    pow(self.multiplier, index, self.modulus) * known_bytes[0] - byte + offset
                ) * factor
                targets.append(self.modulus // 512 - residue % self.modulus)
            else:
                targets.append((byte << self.shift) + (1 << self.shift) // 2 - offset)
            offset = (offset * self.multiplier + self.increment) % self.modulus
        first_state = _find_nearest_multiplicand(self.multiplier, self.modulus, targets)
        return (first_state << 8) + known_bytes[0] if has_low_bytes else first_state


def _find_nearest_multiplicand(multiplier: int, modulus: int, targets: list[int]) -> int:
    """Return x whose products with powers of a multiplier are near the targets mod `modulus`."""
    rows = np.array([*_reduce_lattice(multiplier, modulus, len(targets)), targets], object)
    _shorten_row(rows, _compute_triangle(rows), len(targets))
    return int(targets[0] - rows[-1, 0]) % modulus


@lru_cache(maxsize=64)
def _reduce_lattice(multiplier: int, modulus: int, size: int) -> AnyArray:
    """Return a reduced basis of the lattice of x times the powers of a multiplier."""
    basis = modulus * np.eye(size, dtype=int).astype(object)
    basis[0] = [pow(multiplier, index, modulus) for index in range(size)]
    return _reduce_basis(basis)


def _compute_triangle(rows: AnyArray) -> AnyArray:
    """Return the upper triangular factor R of the QR decomposition of the transposed rows."""
    return np.asarray(np.linalg.qr(rows.astype(float).T)[1])


def _shorten_row(rows: AnyArray, triangle: AnyArray, row: int) -> None:
    """Subtract integer multiples of the previous rows from a row, so that it gets shorter."""
    for index in range(row)[::-1]:
        if factor := round(triangle[index, row] / triangle[index, index]):
            rows[row] -= factor * rows[index]
            triangle[: index + 1, row] -= factor * triangle[: index + 1, index]


def _reduce_basis(basis: AnyArray) -> AnyArray:
    """Return a reduced basis of a lattice by the LLL algorithm, for integers of any size.

    Source: A. K. Lenstra, H. W. Lenstra, L. Lovasz, 1982, doi:10.1007/BF01457454.
    """
    rows = basis.copy()
    for _ in range(_REDUCTION_ROUNDS):
        triangle = _compute_triangle(rows)
        row, is_reduced = 1, True
        while row < len(rows):
            _shorten_row(rows, triangle, row)
            previous_diagonal, factor, own_diagonal = (
                triangle[row - 1, row - 1],
                triangle[row - 1, row],
                triangle[row, row],
            )
            if own_diagonal**2 + factor**2 >= _LOVASZ_CONSTANT * previous_diagonal**2:
                row += 1
                continue
            is_reduced, pair = False, [row - 1, row]
            rows[pair] = rows[pair[::-1]]
            triangle[: row + 1, pair] = triangle[: row + 1, pair[::-1]]
            rotation = np.array([[factor, own_diagonal], [own_diagonal, -factor]]) / np.hypot(
                factor, own_diagonal
            )
            triangle[pair, row - 1 :] = rotation @ triangle[pair, row - 1 :]
            row = max(row - 1, 1)
        if is_reduced:
            break
    return rows


def find_shortest_register(bits: AnyArray) -> tuple[int, int]:
    """Return the length and the taps of the shortest linear feedback register that gives the bits.

    If bit j of the taps is set, the bit j places before is added; bit 0 is always set.
    Source: J. L. Massey, 1969, doi:10.1109/TIT.1969.1054260.

    >>> find_shortest_register(np.array([0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1]))
    (3, 13)
    """
    taps, earlier_taps, length, gap, recent_bits = 1, 1, 0, 1, 0
    for index, bit in enumerate(bits.tolist()):
        recent_bits = recent_bits << 1 | bit
        if (recent_bits & taps).bit_count() & 1:
            previous_taps = taps
            taps ^= earlier_taps << gap
            if 2 * length <= index:
                length, earlier_taps, gap = index + 1 - length, previous_taps, 0
        gap += 1
    return length, taps


def _continue_bits(bits: AnyArray, count: int) -> AnyArray | None:
    """Continue bits to `count` by their shortest register; return None if it is not short."""
    length, taps = find_shortest_register(bits)
    if length > _MAX_REGISTER_SHARE * len(bits):
        return None
    state = int("".join(map(str, bits[::-1][: length or 1].tolist()))[::-1], 2)
    result = bits.tolist()
    for _ in range(count - len(bits)):
        bit = (state << 1 & taps).bit_count() & 1
        state = (state << 1 | bit) & (1 << length or 1) - 1
        result.append(bit)
    return np.array(result, np.uint8)


def _iterate_register_streams(known_stream: AnyArray, count: int) -> Iterator[tuple[str, AnyArray]]:
    """Yield streams that continue known samples, by one register or by one for each bit plane."""
    depth = probing.count_bits(known_stream)
    # Most streams do not continue by a short register in the lowest plane, so the search ends
    # early.
    joined_planes = np.zeros(count, np.int64)
    for plane in range(depth):
        if (plane_bits := _continue_bits(known_stream >> plane & 1, count)) is None:
            break
        joined_planes |= plane_bits.astype(np.int64) << plane
    else:
        yield "registers of each plane of bits", joined_planes.astype(known_stream.dtype)
    orders: tuple[Literal["big", "little"], ...] = ("big", "little")
    for order in orders if depth == 8 else ():
        bits = np.unpackbits(known_stream, bitorder=order)
        if (continued_bits := _continue_bits(bits, 8 * count)) is not None:
            name = "highest" if order == "big" else "lowest"
            packed_bytes = np.packbits(continued_bits, bitorder=order)
            yield f"a register of bits, the {name} first", packed_bytes


def _iterate_congruential_streams(
    known_stream: AnyArray, count: int
) -> Iterator[tuple[str, AnyArray]]:
    """Yield the stream of the generator in common use that gives the known bytes, if any."""
    generators = [
        _Generator(multiplier % (256 << shift), increment % (256 << shift), 256 << shift, shift)
        for multiplier, increment, shifts in _GENERATORS
        for shift in shifts
    ]
    generators += [
        _Generator(multiplier, 0, _LEHMER_MODULUS, shift)
        for multiplier, shift in product(_LEHMER_MULTIPLIERS, _LEHMER_SHIFTS)
    ]
    for generator in generators:
        state = generator.find_state(known_stream.tolist())
        if np.array_equal(
            generator.make_stream(state, _CHECKED_BYTE_COUNT), known_stream[:_CHECKED_BYTE_COUNT]
        ):
            yield str(generator), generator.make_stream(state, count)
            return


def _iterate_word_streams(known_stream: AnyArray, count: int) -> Iterator[tuple[str, AnyArray]]:
    """Yield the stream of a generator with unknown parameters that outputs whole states.

    For differences t of successive states, t(i) t(i + 2) - t(i + 1)^2 are multiples of the modulus.
    """
    orders: tuple[Literal["big", "little"], ...] = ("big", "little")
    for width, order in product(_STATE_SIZES, orders):
        states = [
            int.from_bytes(known_stream[offset : offset + width].tobytes(), order)
            for offset in range(0, width * _STATE_COUNT, width)
        ]
        steps = [next_state - state for state, next_state in pairwise(states)]
        # All differences may have a factor in common with the modulus.
        common_factor = gcd(*steps) or 1
        quotients = [step // common_factor for step in steps]
        divisor = gcd(
            *(
                x * z - y * y
                for x, y, z in zip(quotients, quotients[1:], quotients[2:], strict=False)
            )
        )
        modulus = divisor * common_factor
        pairs = [pair for pair in pairwise(quotients) if gcd(pair[0], divisor) == 1]
        if modulus <= max(states) or not pairs:
            continue
        multiplier = pairs[0][1] * pow(pairs[0][0], -1, divisor) % divisor
        generator = _Generator(multiplier, (states[1] - multiplier * states[0]) % modulus, modulus)
        words = generator.list_states(states[0], -(-count // width))
        if max(words) >> 8 * width == 0:
            output_bytes = b"".join(word.to_bytes(width, order) for word in words)
            stream = np.frombuffer(output_bytes[:count], np.uint8)
            if np.array_equal(stream[: len(known_stream)], known_stream):
                rule = f"{multiplier} x + {generator.increment} modulo {modulus}"
                yield f"{rule}, {width} bytes of each", stream
                return


def _iterate_high_byte_streams(
    known_stream: AnyArray, count: int, *, with_low_bytes: bool
) -> Iterator[tuple[str, AnyArray]]:
    """Yield the stream of a generator with unknown parameters that outputs the high byte of states.

    With `with_low_bytes`, generators that output the low byte are tried too.

    Differences of states satisfy linear relations with small factors modulo the modulus. The
    factors are coefficients of a polynomial with the multiplier as a root, so enough relations
    give multiplier and modulus. Multiplied by a number that depends on an odd modulus, the low
    byte becomes a high byte.

    Source: J. Stern, 1987, doi:10.1109/SFCS.1987.51.
    """
    for odd_factor in range(1, 128 if with_low_bytes else 2, 2):
        relation_bounds = (
            _HIGH_BYTE_RELATION_BOUNDS if odd_factor == 1 else _LOW_BYTE_RELATION_BOUNDS
        )
        parameters = _find_lcg_parameters(known_stream * np.uint8(odd_factor), *relation_bounds)
        if parameters is None:
            continue
        for factor in (odd_factor, 256 - odd_factor):
            stream = _continue_high_bytes(known_stream * np.uint8(factor), *parameters, count)
            if stream is not None:
                name = f"a byte of {parameters[0]} x modulo {parameters[1]}"
                yield name, stream * np.uint8(pow(factor, -1, 256))
                return


def _find_lcg_parameters(
    known_stream: AnyArray, term_count: int, max_relation_length: int
) -> tuple[int, int] | None:
    """Return the multiplier and modulus of a generator from high bytes of its states, or None."""
    steps = np.diff(known_stream[: 2 * term_count].astype(int))
    step_windows = np.lib.stride_tricks.sliding_window_view(steps, term_count)
    identity = np.eye(term_count, dtype=int)
    basis = np.block(
        [
            [0 * identity, (int(known_stream.max()) + 1) * identity],
            [_FACTOR_WEIGHT * identity, step_windows],
        ]
    )
    rows = _reduce_basis(basis)
    lengths = (rows.astype(float) ** 2).sum(axis=1)
    short_row_indices = np.argsort(lengths, kind="stable")[:term_count]
    if lengths[short_row_indices[-1]] > max_relation_length**2:
        return None
    factors = (rows[short_row_indices, :term_count] // _FACTOR_WEIGHT).astype(object)
    modulus = abs(_compute_determinant(factors))
    for row in range(term_count if modulus > 1 else 0):
        # The powers of the multiplier satisfy all relations modulo the determinant of the
        # relations.
        minors = [np.delete(np.delete(factors, row, 0), column, 1) for column in (0, 1)]
        divisor, dividend = (_compute_determinant(minor) for minor in minors)
        if gcd(divisor, modulus) == 1:
            return -dividend * pow(divisor, -1, modulus) % modulus, modulus
    return None


def _compute_determinant(matrix: AnyArray) -> int:
    """Return the determinant of a matrix of integers of any size.

    Source: E. H. Bareiss, 1968, doi:10.1090/S0025-5718-1968-0226829-0.
    """
    rows, previous_pivot, sign = matrix.copy(), 1, 1
    for column in range(len(rows) - 1):
        nonzero_rows = np.flatnonzero(rows[column:, column]) + column
        if not len(nonzero_rows):
            return 0
        if nonzero_rows[0] != column:
            rows[[column, nonzero_rows[0]]], sign = rows[[nonzero_rows[0], column]], -sign
        pivot, rows_below = rows[column, column], rows[column + 1 :]
        rows_below[:] = (
            rows_below * pivot - rows_below[:, column : column + 1] * rows[column]
        ) // previous_pivot
        previous_pivot = pivot
    return sign * int(rows[-1, -1])


def _continue_high_bytes(
    known_stream: AnyArray, multiplier: int, modulus: int, count: int
) -> AnyArray | None:
    """Return known high bytes and their continuation to `count`, or None if they do not fit."""
    level_bound = int(known_stream.max()) + 1
    # Sizes of the output range: 256, or, if all differences share a factor, the number of values
    # of the highest bits of a state.
    moduli = [factor * modulus for factor in range(1, _FACTOR_BOUND)]
    range_sizes = [256.0, *(each / 2.0 ** (each.bit_length() - 8) for each in moduli)]
    for range_size in (each for each in range_sizes if level_bound - 1 < each <= level_bound):
        scale = modulus / range_size
        steps = np.diff(
            known_stream[: modulus.bit_length() // 8 + 2 * _EXTRA_BYTE_COUNT].astype(int)
        )
        step = _find_nearest_multiplicand(
            multiplier, modulus, [round(value * scale) for value in steps.tolist()]
        )
        positions, position = [], 0
        for _ in range(count):
            positions.append(position / modulus)
            position, step = (position + step) % modulus, step * multiplier % modulus
        fractions = np.array(positions)
        starts = known_stream / range_size - fractions[: len(known_stream)]
        start_offsets = (starts - starts[0] + 0.5) % 1 - 0.5
        start = starts[0] + (start_offsets.max() + start_offsets.min() + 1 / range_size) / 2
        stream: AnyArray = np.floor(range_size * ((start + fractions) % 1)).astype(np.uint8)
        if np.mean(stream[: len(known_stream)] == known_stream) > _MIN_CORRECT_SHARE:
            return stream
    return None


@dataclass(frozen=True)
class _Recurrence:
    """A rule: a sample combines the samples at the distances `lags` before it."""

    name: str
    lags: IntArray
    combine: Callable[[AnyArray], AnyArray]

    def find_following_samples(self, stream: AnyArray, start: int, stop: int) -> AnyArray:
        """Return samples start..stop - 1, none of which may depend on another sample there."""
        return self.combine(stream[np.arange(start, stop) - self.lags[:, None]])

    def continue_stream(self, known_stream: AnyArray, count: int) -> AnyArray | None:
        """Continue known samples to `count`; return None if the known samples violate the rule."""
        check_start, stride = len(known_stream) - _CHECKED_END_LENGTH, int(self.lags.min())
        if check_start < self.lags.max():
            return None
        predicted_chunks = [
            self.find_following_samples(known_stream, first, min(first + stride, len(known_stream)))
            for first in range(check_start, len(known_stream), stride)
        ]
        if (
            np.mean(np.concatenate(predicted_chunks) == known_stream[check_start:])
            < _MIN_PREDICTED_SHARE
        ):
            return None
        stream = np.concatenate(
            [known_stream, np.zeros(count - len(known_stream), known_stream.dtype)]
        )
        for first in range(len(known_stream), count, stride):
            end = min(first + stride, count)
            stream[first:end] = self.find_following_samples(stream, first, end)
        return stream


@cache
def _list_twister_lags() -> IntArray:
    """Return the distances of the earlier bits whose sum is a bit of the Mersenne Twister.

    Source of its characteristic polynomial: M. Matsumoto, T. Nishimura, 1998,
    doi:10.1145/272991.272995. Every second word, and every fourth, has the same polynomial.
    """
    exponents = {0} if _TWIST_ROW >> 31 else set[int]()
    for power in [31, *(30 - bit for bit in range(31) if _TWIST_ROW >> bit & 1)]:
        # Terms of (t^623 + t^396)^power whose binomial is odd, times t^624 + t^397.
        for term in (623 * j + 396 * (power - j) for j in range(power + 1) if j & power == j):
            exponents ^= {term + 624, term + 397}
    return max(exponents) - np.array(sorted(exponents)[:-1])


def _combine_rows(operation: np.ufunc, rows: AnyArray) -> AnyArray:
    return np.asarray(operation(*rows))


def _iterate_recurrences(known_stream: AnyArray) -> Iterator[_Recurrence]:
    """Yield the rules that a long known stretch may follow."""
    stream_bytes = known_stream.tobytes()
    # The distance of the previous occurrence of the last samples.
    period = (
        len(stream_bytes)
        - _CHECKED_BYTE_COUNT
        - stream_bytes.rfind(stream_bytes[-_CHECKED_BYTE_COUNT:], 0, -1)
    )
    if period < len(stream_bytes):
        yield _Recurrence(f"a period of {period}", np.array([period]), lambda rows: rows[0])
    for samples_per_word in (1, 4):
        name = f"the Mersenne Twister, {samples_per_word} to a word"
        yield _Recurrence(name, samples_per_word * _list_twister_lags(), np.bitwise_xor.reduce)
    # Lagged Fibonacci generators: the rule must be exact, since unknown carries would accumulate.
    tail_start = len(known_stream) - _MAX_LAG
    rows = np.stack(
        [known_stream[tail_start - lag : len(known_stream) - lag] for lag in range(1, _MAX_LAG + 1)]
    )
    for operation in (np.add, np.subtract, np.bitwise_xor):
        is_lag_pair = (operation(rows[:, None], rows) == known_stream[tail_start:]).all(axis=2)
        for lag_pair in np.argwhere(is_lag_pair)[:1] + 1:
            name = f"the {operation.__name__} of the samples {lag_pair[0]} and {lag_pair[1]} before"
            yield _Recurrence(name, lag_pair, partial(_combine_rows, operation))
    # x(i + p) - x(i) is a multiple of p modulo 2^n and of a power of the multiplier, which itself
    # repeats after q steps: so x(i + p + q) = x(i + p) + x(i + q) - x(i) for any parameters.
    name = "a congruential generator modulo a power of two"
    lags = np.array([_POWER_LAGS[0], _POWER_LAGS[1], sum(_POWER_LAGS)])
    yield _Recurrence(name, lags, lambda rows: rows[0] + rows[1] - rows[2])


def _iterate_noise_findings(oracle: contract.Oracle, plain: AnyArray) -> Iterator[contract.Finding]:
    """Yield findings about the unknown half of a large image of noise."""
    samples = plain[0, 0].size
    side = next(side for side in (256, 512) if side**2 * samples >= 2 * _LONG_STRETCH_LENGTH)
    noise = probing.draw_noise(
        probing.make_generator(40), np.empty((side, side, *plain.shape[2:]), np.uint8)
    )
    with suppress(SudokucryptError):  # some schemes refuse such an image
        target_result, half_size = contract.query(oracle, noise), noise.size // 2
        indices = np.arange(noise.size).reshape(noise.shape)
        orders = [indices.transpose(axes).reshape(-1) for axes in permutations(range(noise.ndim))]
        images = noise, probing.draw_noise(probing.make_generator(41), noise)
        results = target_result, contract.query(oracle, images[1])
        yield from guess_from_neighbors(images, results, cut_orders(orders))
        yield from guess_from_biases(oracle, plain, noise, target_result)
        scrambled_start, plain_start = (
            each.reshape(-1)[:_REGISTER_SAMPLE_COUNT] for each in (target_result, noise)
        )
        for combination in list_combinations(noise):
            short_stream = STREAM_FINDERS[combination](scrambled_start, plain_start)[
                :-_CHECKED_END_LENGTH
            ]
            is_exclusive_or = combination == "exclusive-or"
            register_streams = (
                _iterate_register_streams(short_stream, _REGISTER_SAMPLE_COUNT)
                if is_exclusive_or
                else iter(())
            )
            high_byte_streams = _iterate_high_byte_streams(
                short_stream, _REGISTER_SAMPLE_COUNT, with_low_bytes=is_exclusive_or
            )
            for name, stream in chain(register_streams, high_byte_streams):
                restored_end = STREAM_REMOVERS[combination](scrambled_start, stream)[
                    -_CHECKED_END_LENGTH:
                ]
                yield _judge_restored_end(
                    target_result,
                    noise,
                    indices.reshape(-1)[:_REGISTER_SAMPLE_COUNT],
                    restored_end,
                    name,
                )
        for order, combination in product(
            [*orders, *(order[::-1] for order in orders)], list_combinations(noise)
        ):
            scrambled_samples, plain_samples = (
                each.reshape(-1)[order] for each in (target_result, noise)
            )
            known_stream = STREAM_FINDERS[combination](
                scrambled_samples[:half_size], plain_samples[:half_size]
            )
            for rule in _iterate_recurrences(known_stream):
                if (continued_stream := rule.continue_stream(known_stream, noise.size)) is not None:
                    restored_end = STREAM_REMOVERS[combination](
                        scrambled_samples[half_size:], continued_stream[half_size:]
                    )
                    yield _judge_restored_end(target_result, noise, order, restored_end, rule.name)


def _add_register_bits(image: AnyArray) -> AnyArray:
    """Add the output bits of a linear register of length 31 by exclusive-or."""
    state, bits = 0x2AAAAAAB, []
    for _ in range(image.size * probing.count_bits(image)):
        bits.append(state & 1)
        state = state >> 1 | ((state ^ state >> 3) & 1) << 30
    packed_bits = bits if image.dtype == np.bool_ else np.packbits(bits).view(image.dtype)
    return np.asarray(image ^ np.array(packed_bits, image.dtype).reshape(image.shape))


@contract.attack(
    name="streams",
    threat="known",
    title="Structured streams",
    control=lambda: contract.Target(name="a register of 31 places", oracle=_add_register_bits),
    details={"generator": "the register or generator that continues the stream, or null"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Continue the stream of a register or generator from a known stretch.

    Needs: one result, and half of its picture; salt is not an obstacle

    The attacker knows one half of a small picture, and so a stretch of the key stream. A short
    linear register that gives the known bits, or the bits of each plane, also gives the rest. So
    does the state of a congruential generator in common use, which a lattice reduction finds. Half
    of a large image shows periods, the Mersenne Twister, and generators modulo a power of two with
    unknown parameters. The recovered share is about the other half.
    """
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_SAMPLES)
    target_result = contract.query(target.oracle, small_picture)
    text = "no register or generator gives the known half of a stream"
    best_finding = probing.report_nothing(
        target_result, small_picture, queries=1, text=text, generator=None
    )
    query = probing.Queries(target.oracle)
    is_repeatable = probing.is_repeatable(query, small_picture) or small_picture.dtype != np.uint8
    noise_findings = iter(()) if is_repeatable else _iterate_noise_findings(target.oracle, picture)
    for finding in chain(
        _iterate_findings(target_result, small_picture, is_repeatable=is_repeatable), noise_findings
    ):
        best_finding = max(best_finding, finding, key=lambda each: each.recovered)
        if best_finding.broken:
            break
    return best_finding


def _iterate_findings(
    target_result: AnyArray, picture: AnyArray, *, is_repeatable: bool
) -> Iterator[contract.Finding]:
    """Yield the finding for each stream that continues a known half, in each scan order.

    Generators are left out if results are `is_repeatable`, since other attacks are better then.
    """
    half_size = picture.size // 2
    for order in list_two_way_orders(picture.shape).values():
        scrambled_samples, plain_samples = (
            each.reshape(-1)[order] for each in (target_result, picture)
        )
        for combination in list_combinations(picture):
            known_stream = STREAM_FINDERS[combination](
                scrambled_samples[:half_size], plain_samples[:half_size]
            )
            named_streams = list(_iterate_register_streams(known_stream, picture.size))
            if not named_streams and not is_repeatable:
                named_streams = list(_iterate_congruential_streams(known_stream, picture.size))
            if not named_streams and not is_repeatable:
                named_streams = list(_iterate_word_streams(known_stream, picture.size))
            for name, stream in named_streams:
                restored_end = STREAM_REMOVERS[combination](
                    scrambled_samples[half_size:], stream[half_size:]
                )
                yield _judge_restored_end(target_result, picture, order, restored_end, name)


def _judge_restored_end(
    target_result: AnyArray,
    small_picture: AnyArray,
    order: AnyArray,
    restored_end: AnyArray,
    name: str,
) -> contract.Finding:
    """Judge the restored samples of the unknown end, and put them into the known picture."""
    guess, end_indices = small_picture.copy(), order[len(order) - len(restored_end) :]
    guess.reshape(-1)[end_indices] = restored_end
    unknown_samples = small_picture.reshape(-1)[end_indices].reshape(1, -1)
    end_finding = probing.judge_guess(
        unknown_samples,
        restored_end.reshape(1, -1),
        unknown_samples,
        queries=1,
        text=name,
        generator=name,
    )
    text = f"{name}: {end_finding.recovered:.4f} of the unknown part was restored"
    return replace(end_finding, text=text, seen=target_result, picture=guess, plain=small_picture)
