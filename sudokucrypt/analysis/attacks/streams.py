"""Streams of linear registers and congruential generators, continued from a known stretch."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import chain, pairwise, permutations, product
from math import gcd
from typing import Literal

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.masks import FINDERS, REMOVERS, list_combinations
from sudokucrypt.analysis.attacks.scan_orders import list_both_ways
from sudokucrypt.analysis.attacks.stream_statistics import (
    guess_from_biases,
    guess_from_neighbors,
    take_first,
)
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray, IntArray

_SAMPLES = 32 * 32
# A register is longer than that share of random bits by chance: half, and some bits more.
_SHORT = 0.45
# Multiplier, increment and modulus of generators in common use, and the lowest bits of the bytes
# that are taken of their states.
_GENERATORS = (
    (1103515245, 12345, 1 << 31, (0, 8, 16, 23)),
    (1103515245, 12345, 1 << 32, (24,)),
    (1664525, 1013904223, 1 << 32, (0, 8, 16, 24)),
    (214013, 2531011, 1 << 32, (0, 8, 16, 23, 24)),
    (69069, 1, 1 << 32, (0, 8, 16, 24)),
    (22695477, 1, 1 << 32, (0, 8, 16, 24)),
    (134775813, 1, 1 << 32, (0, 8, 16, 24)),
    (16807, 0, (1 << 31) - 1, (0, 23)),
    (48271, 0, (1 << 31) - 1, (0, 23)),
    (69621, 0, (1 << 31) - 1, (0, 23)),
    (25214903917, 11, 1 << 48, (16, 24, 32, 40)),
    (6364136223846793005, 1442695040888963407, 1 << 64, (24, 32, 48, 56)),
    (6364136223846793005, 1, 1 << 64, (32, 33, 48, 56)),
    (2862933555777941757, 3037000493, 1 << 64, (32, 48, 56)),
    (3935559000370003845, 2691343689449507681, 1 << 64, (32, 48, 56)),
)
# Bytes of a state that may all be known, and states that give the modulus.
_WORDS, _STATES = (2, 3, 4, 5, 6, 7, 8), 12
# Bytes that the lattice of a generator takes: of 64 bits, eight are not quite enough.
_SPARE = 4
# Bytes that tell the right state from all others.
_ENOUGH = 16
# The condition of a reduced basis: a swap must gain a quarter.
_LOVASZ = 0.75
# Rounds in which a basis is reduced: floats lose the last bits of large numbers.
_ROUNDS = 8
# Relations of that many steps of a generator, each checked at as many places, and the length that
# none has by chance: for the high bytes of states, and for low ones, of which many are tried.
_TERMS, _TERMS_LOW = (24, 45), (12, 25)
# How much the factors of relations count beside the checks.
_WEIGHT = 2
# Common factors of a modulus and of all steps that are tried.
_FACTORS = 16
# From this share on, a generator with secret numbers is the right one.
_RIGHT = 0.9


# A known stretch that is longer than the registers of the Mersenne Twister, four bytes a word.
_LONG = 4 * 20_500
# The end of a known stretch, which must follow from what comes before it, and how much of it: a
# rule with unknown carries gives two of three samples.
_END, _FOLLOWS = 256, 0.3
# The samples in which long registers show, of up to 14,000 bits.
_STRETCH = 4096
# The longest lag of which two make a generator: 55 is the commonest.
_LAGS = 64
# Two steps whose product is a quarter of the modulus of most generators, 2^32.
_STEPS = 1 << 16, 1 << 14
# The last row of the matrix of the Mersenne Twister.
_TWIST = 0x9908B0DF


@dataclass(frozen=True)
class _Generator:
    """A congruential generator x -> a x + c modulo m, and the lowest bit of the byte it gives.

    Modulo a power of two, what is above the byte changes nothing in it, and is left out.
    """

    a: int
    c: int
    modulus: int
    shift: int = 0

    def __str__(self) -> str:
        return f"{self.a} x + {self.c} modulo {self.modulus}, bits {self.shift} to {self.shift + 7}"

    def states(self, state: int, count: int) -> list[int]:
        """Return a state and those that follow."""
        result = []
        for _ in range(count):
            result.append(state)
            state = (self.a * state + self.c) % self.modulus
        return result

    def stream(self, state: int, count: int) -> AnyArray:
        """Return the bytes of a state and of those that follow."""
        return np.array([each >> self.shift & 255 for each in self.states(state, count)], np.uint8)

    def state(self, known: list[int]) -> int:
        """Return the state that is most likely behind the first known bytes.

        States are a lattice: each is the first one times a power of the multiplier, from where the
        increments alone lead. The known bytes are near a point of it.
        Source: A. M. Frieze, J. Hastad, R. Kannan, J. C. Lagarias, A. Shamir, 1988,
        doi:10.1137/0217016.
        """
        # Of the low byte the rest of a state is what is unknown, and as short.
        low = self.shift == 0 and self.modulus % 2 == 1
        unit = pow(256, -1, self.modulus) if low else 1
        targets, steps = list[int](), 0
        for index, value in enumerate(known[: self.modulus.bit_length() // 8 + _SPARE]):
            if low:
                part = (pow(self.a, index, self.modulus) * known[0] - value + steps) * unit
                targets.append(self.modulus // 512 - part % self.modulus)
            else:
                targets.append((value << self.shift) + (1 << self.shift) // 2 - steps)
            steps = (steps * self.a + self.c) % self.modulus
        first = _find_nearest(self.a, self.modulus, targets)
        return (first << 8) + known[0] if low else first


def _find_nearest(a: int, modulus: int, targets: list[int]) -> int:
    """Return a number whose products with the powers of a multiplier are near the targets."""
    rows = np.array([*_reduce_lattice(a, modulus, len(targets)), targets], object)
    _shorten(rows, _triangle(rows), len(targets))
    return int(targets[0] - rows[-1, 0]) % modulus


@lru_cache(maxsize=64)
def _reduce_lattice(a: int, modulus: int, size: int) -> AnyArray:
    """Return a short basis of the multiples of the powers of a multiplier modulo a number."""
    basis = modulus * np.eye(size, dtype=int).astype(object)
    basis[0] = [pow(a, index, modulus) for index in range(size)]
    return _reduce(basis)


def _triangle(rows: AnyArray) -> AnyArray:
    """Return the factors of rows in the directions in which each goes beyond those before it."""
    return np.asarray(np.linalg.qr(rows.astype(float).T)[1])


def _shorten(rows: AnyArray, upper: AnyArray, last: int) -> None:
    """Take off a row what those before it can, the last of them first."""
    for index in range(last)[::-1]:
        if factor := round(upper[index, last] / upper[index, index]):
            rows[last] -= factor * rows[index]
            upper[: index + 1, last] -= factor * upper[: index + 1, index]


def _reduce(basis: AnyArray) -> AnyArray:
    """Return a short basis of the lattice of some rows, of integers of any size.

    Source: A. K. Lenstra, H. W. Lenstra, L. Lovasz, 1982, doi:10.1007/BF01457454.
    """
    rows = basis.copy()
    for _ in range(_ROUNDS):
        upper = _triangle(rows)
        row, done = 1, True
        while row < len(rows):
            _shorten(rows, upper, row)
            before, factor, own = upper[row - 1, row - 1], upper[row - 1, row], upper[row, row]
            if own**2 + factor**2 >= _LOVASZ * before**2:
                row += 1
                continue
            done, pair = False, [row - 1, row]
            rows[pair] = rows[pair[::-1]]
            upper[: row + 1, pair] = upper[: row + 1, pair[::-1]]
            turn = np.array([[factor, own], [own, -factor]]) / np.hypot(factor, own)
            upper[pair, row - 1 :] = turn @ upper[pair, row - 1 :]
            row = max(row - 1, 1)
        if done:
            break
    return rows


def find_shortest_register(bits: AnyArray) -> tuple[int, int]:
    """Return the length of the shortest linear register of bits, and its taps as an integer.

    Bit j of the taps says that the bit j places before counts; bit 0 is always set.
    Source: J. L. Massey, 1969, doi:10.1109/TIT.1969.1054260.

    >>> find_shortest_register(np.array([0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1]))
    (3, 13)
    """
    taps, before, length, gap, recent = 1, 1, 0, 1, 0
    for index, bit in enumerate(bits.tolist()):
        recent = recent << 1 | bit
        if (recent & taps).bit_count() & 1:
            last = taps
            taps ^= before << gap
            if 2 * length <= index:
                length, before, gap = index + 1 - length, last, 0
        gap += 1
    return length, taps


def _continue_bits(bits: AnyArray, count: int) -> AnyArray | None:
    """Return as many bits as the shortest register of these gives; None if it is not short."""
    length, taps = find_shortest_register(bits)
    if length > _SHORT * len(bits):
        return None
    state = int("".join(map(str, bits[::-1][: length or 1].tolist()))[::-1], 2)
    result = bits.tolist()
    for _ in range(count - len(bits)):
        bit = (state << 1 & taps).bit_count() & 1
        state = (state << 1 | bit) & (1 << length or 1) - 1
        result.append(bit)
    return np.array(result, np.uint8)


def _iterate_registers(known: AnyArray, count: int) -> Iterator[tuple[str, AnyArray]]:
    """Yield streams that go on from known samples, by registers of bits or of each plane."""
    depth = probing.count_bits(known)
    # Most streams have no register in their lowest plane, and the others need not be tried.
    whole = np.zeros(count, np.int64)
    for plane in range(depth):
        if (more := _continue_bits(known >> plane & 1, count)) is None:
            break
        whole |= more.astype(np.int64) << plane
    else:
        yield "registers of each plane of bits", whole.astype(known.dtype)
    orders: tuple[Literal["big", "little"], ...] = ("big", "little")
    for order in orders if depth == 8 else ():
        bits = np.unpackbits(known, bitorder=order)
        if (continued := _continue_bits(bits, 8 * count)) is not None:
            name = "highest" if order == "big" else "lowest"
            packed = np.packbits(continued, bitorder=order)
            yield f"a register of bits, the {name} first", packed


def _iterate_congruential(known: AnyArray, count: int) -> Iterator[tuple[str, AnyArray]]:
    """Yield the stream of a generator in common use that gives the known bytes, if there is one."""
    for a, c, modulus, shifts in _GENERATORS:
        for shift in shifts:
            least = modulus if modulus % 2 else 1 << shift + 8
            generator = _Generator(a % least, c % least, least, shift)
            state = generator.state(known.tolist())
            if np.array_equal(generator.stream(state, _ENOUGH), known[:_ENOUGH]):
                yield str(generator), generator.stream(state, count)
                return


def _iterate_words(known: AnyArray, count: int) -> Iterator[tuple[str, AnyArray]]:
    """Yield the stream of a generator of which all bytes of a state are known, and nothing else.

    With steps t of the states, t(i) t(i + 2) - t(i + 1)^2 are multiples of the modulus.
    """
    orders: tuple[Literal["big", "little"], ...] = ("big", "little")
    for width, order in product(_WORDS, orders):
        states = [
            int.from_bytes(known[place : place + width].tobytes(), order)
            for place in range(0, width * _STATES, width)
        ]
        steps = [after - before for before, after in pairwise(states)]
        # All steps may have a factor that the modulus has too.
        common = gcd(*steps) or 1
        parts = [step // common for step in steps]
        rest = gcd(*(x * z - y * y for x, y, z in zip(parts, parts[1:], parts[2:], strict=False)))
        modulus = rest * common
        units = [pair for pair in pairwise(parts) if gcd(pair[0], rest) == 1]
        if modulus <= max(states) or not units:
            continue
        a = units[0][1] * pow(units[0][0], -1, rest) % rest
        generator = _Generator(a, (states[1] - a * states[0]) % modulus, modulus)
        words = generator.states(states[0], -(-count // width))
        if max(words) >> 8 * width == 0:
            text = b"".join(word.to_bytes(width, order) for word in words)
            stream = np.frombuffer(text[:count], np.uint8)
            if np.array_equal(stream[: len(known)], known):
                yield f"{a} x + {generator.c} modulo {modulus}, {width} bytes of each", stream
                return


def _secret_congruential(
    known: AnyArray, count: int, *, low: bool
) -> Iterator[tuple[str, AnyArray]]:
    """Yield the stream of a generator of any modulus, of whose states the high byte is known.

    Or the `low` one too.

    Steps of the states keep relations with small factors, up to multiples of the modulus: the
    factors are those of a polynomial of which the multiplier is a root, so that enough of them give
    both. The low byte times a number that follows from an odd modulus is a high byte.
    Source: J. Stern, 1987, doi:10.1109/SFCS.1987.51.
    """
    for unit in range(1, 128 if low else 2, 2):
        terms = _TERMS if unit == 1 else _TERMS_LOW
        found = _find_multiplier(known * np.uint8(unit), *terms)
        if found is None:
            continue
        for turned in (unit, 256 - unit):
            stream = _continue_states(known * np.uint8(turned), *found, count)
            if stream is not None:
                name = f"a byte of {found[0]} x modulo {found[1]}"
                yield name, stream * np.uint8(pow(turned, -1, 256))
                return


def _find_multiplier(known: AnyArray, terms: int, longest: int) -> tuple[int, int] | None:
    """Return the multiplier and modulus of the steps of some states, by their high bytes."""
    steps = np.diff(known[: 2 * terms].astype(int))
    windows = np.lib.stride_tricks.sliding_window_view(steps, terms)
    eye = np.eye(terms, dtype=int)
    basis = np.block([[0 * eye, (int(known.max()) + 1) * eye], [_WEIGHT * eye, windows]])
    rows = _reduce(basis)
    lengths = (rows.astype(float) ** 2).sum(axis=1)
    short = np.argsort(lengths, kind="stable")[:terms]
    if lengths[short[-1]] > longest**2:
        return None
    factors = (rows[short, :terms] // _WEIGHT).astype(object)
    modulus = abs(_determinant(factors))
    for row in range(terms if modulus > 1 else 0):
        # What all relations make 0 modulo their determinant: the powers of the multiplier.
        minors = [np.delete(np.delete(factors, row, 0), column, 1) for column in (0, 1)]
        one, power = (_determinant(minor) for minor in minors)
        if gcd(one, modulus) == 1:
            return -power * pow(one, -1, modulus) % modulus, modulus
    return None


def _determinant(matrix: AnyArray) -> int:
    """Return the determinant of integers of any size.

    Source: E. H. Bareiss, 1968, doi:10.1090/S0025-5718-1968-0226829-0.
    """
    rows, before, sign = matrix.copy(), 1, 1
    for column in range(len(rows) - 1):
        there = np.flatnonzero(rows[column:, column]) + column
        if not len(there):
            return 0
        if there[0] != column:
            rows[[column, there[0]]], sign = rows[[there[0], column]], -sign
        pivot, rest = rows[column, column], rows[column + 1 :]
        rest[:] = (rest * pivot - rest[:, column : column + 1] * rows[column]) // before
        before = pivot
    return sign * int(rows[-1, -1])


def _continue_states(known: AnyArray, a: int, modulus: int, count: int) -> AnyArray | None:
    """Return known high bytes and those that follow, by the multiplier of steps of states."""
    top = int(known.max()) + 1
    # The bytes of the whole range, or the highest bits of states, of which steps share a factor.
    moduli = [factor * modulus for factor in range(1, _FACTORS)]
    ranges = [256.0, *(each / 2.0 ** (each.bit_length() - 8) for each in moduli)]
    for size in (each for each in ranges if top - 1 < each <= top):
        scale = modulus / size
        first = np.diff(known[: modulus.bit_length() // 8 + 2 * _SPARE].astype(int))
        step = _find_nearest(a, modulus, [round(value * scale) for value in first.tolist()])
        places, place = [], 0
        for _ in range(count):
            places.append(place / modulus)
            place, step = (place + step) % modulus, step * a % modulus
        shares = np.array(places)
        starts = known / size - shares[: len(known)]
        around = (starts - starts[0] + 0.5) % 1 - 0.5
        start = starts[0] + (around.max() + around.min() + 1 / size) / 2
        stream: AnyArray = np.floor(size * ((start + shares) % 1)).astype(np.uint8)
        if np.mean(stream[: len(known)] == known) > _RIGHT:
            return stream
    return None


@dataclass(frozen=True)
class _Recurrence:
    """A rule by which samples follow from those that many places before, by `join`."""

    name: str
    lags: IntArray
    join: Callable[[AnyArray], AnyArray]

    def find_following(self, stream: AnyArray, start: int, stop: int) -> AnyArray:
        """Return the samples from start to stop, of which none follows from another."""
        return self.join(stream[np.arange(start, stop) - self.lags[:, None]])

    def stream(self, known: AnyArray, count: int) -> AnyArray | None:
        """Return known samples with those that follow; None if their own end does not."""
        begin, step = len(known) - _END, int(self.lags.min())
        if begin < self.lags.max():
            return None
        shown = [
            self.find_following(known, first, min(first + step, len(known)))
            for first in range(begin, len(known), step)
        ]
        if np.mean(np.concatenate(shown) == known[begin:]) < _FOLLOWS:
            return None
        stream = np.concatenate([known, np.zeros(count - len(known), known.dtype)])
        for first in range(len(known), count, step):
            last = min(first + step, count)
            stream[first:last] = self.find_following(stream, first, last)
        return stream


@cache
def _list_twister_lags() -> IntArray:
    """Return how far those bits are before a bit of the Mersenne Twister that add up to it.

    Source of its characteristic polynomial: M. Matsumoto, T. Nishimura, 1998,
    doi:10.1145/272991.272995. Every second word, and every fourth, has the same polynomial.
    """
    exponents = {0} if _TWIST >> 31 else set[int]()
    for power in [31, *(30 - bit for bit in range(31) if _TWIST >> bit & 1)]:
        # Terms of (t^623 + t^396)^power whose binomial is odd, times t^624 + t^397.
        for term in (623 * j + 396 * (power - j) for j in range(power + 1) if j & power == j):
            exponents ^= {term + 624, term + 397}
    return max(exponents) - np.array(sorted(exponents)[:-1])


def _join_rows(join: np.ufunc, rows: AnyArray) -> AnyArray:
    return np.asarray(join(*rows))


def _iterate_recurrences(known: AnyArray) -> Iterator[_Recurrence]:
    """Yield the rules that a long known stretch may keep."""
    text = known.tobytes()
    # Where the last samples were before.
    period = len(text) - _ENOUGH - text.rfind(text[-_ENOUGH:], 0, -1)
    if period < len(text):
        yield _Recurrence(f"a period of {period}", np.array([period]), lambda rows: rows[0])
    for step in (1, 4):
        name = f"the Mersenne Twister, {step} to a word"
        yield _Recurrence(name, step * _list_twister_lags(), np.bitwise_xor.reduce)
    # Lagged Fibonacci generators: carries from unknown bits would add up, so none are allowed.
    first = len(known) - _LAGS
    rows = np.stack([known[first - lag : len(known) - lag] for lag in range(1, _LAGS + 1)])
    for join in (np.add, np.subtract, np.bitwise_xor):
        alike = (join(rows[:, None], rows) == known[first:]).all(axis=2)
        for pair in np.argwhere(alike)[:1] + 1:
            name = f"the {join.__name__} of the samples {pair[0]} and {pair[1]} before"
            yield _Recurrence(name, pair, partial(_join_rows, join))
    # x(i + p) - x(i) is a multiple of p modulo 2^n and of a power of the multiplier, which itself
    # returns after q: so x(i + p + q) = x(i + p) + x(i + q) - x(i), regardless of the parameters.
    name = "a congruential generator modulo a power of two"
    lags = np.array([_STEPS[0], _STEPS[1], sum(_STEPS)])
    yield _Recurrence(name, lags, lambda rows: rows[0] + rows[1] - rows[2])


def _iterate_long_findings(oracle: contract.Oracle, plain: AnyArray) -> Iterator[contract.Finding]:
    """Yield guesses of the unknown half of a large image of noise."""
    samples = plain[0, 0].size
    side = next(side for side in (256, 512) if side**2 * samples >= 2 * _LONG)
    large = probing.draw_noise(
        probing.make_generator(40), np.empty((side, side, *plain.shape[2:]), np.uint8)
    )
    with suppress(SudokucryptError):  # of schemes that take no such image
        seen, half = contract.query(oracle, large), large.size // 2
        indices = np.arange(large.size).reshape(large.shape)
        ways = [indices.transpose(axes).reshape(-1) for axes in permutations(range(large.ndim))]
        both = large, probing.draw_noise(probing.make_generator(41), large)
        results = seen, contract.query(oracle, both[1])
        yield from guess_from_neighbors(both, results, take_first(ways))
        yield from guess_from_biases(oracle, plain, large, seen)
        stretch, last = (each.reshape(-1)[:_STRETCH] for each in (seen, large))
        for combination in list_combinations(large):
            start = FINDERS[combination](stretch, last)[:-_END]
            common = combination == "exclusive-or"
            found = _iterate_registers(start, _STRETCH) if common else iter(())
            secret = _secret_congruential(start, _STRETCH, low=common)
            for name, stream in chain(found, secret):
                rest = REMOVERS[combination](stretch, stream)[-_END:]
                yield _judge_rest(seen, large, indices.reshape(-1)[:_STRETCH], rest, name)
        for order, combination in product(
            [*ways, *(way[::-1] for way in ways)], list_combinations(large)
        ):
            hidden, flat = (each.reshape(-1)[order] for each in (seen, large))
            known = FINDERS[combination](hidden[:half], flat[:half])
            for rule in _iterate_recurrences(known):
                if (further := rule.stream(known, large.size)) is not None:
                    rest = REMOVERS[combination](hidden[half:], further[half:])
                    yield _judge_rest(seen, large, order, rest, rule.name)


def _put_on_register(image: AnyArray) -> AnyArray:
    """Put on the bits of a register of 31 places."""
    state, bits = 0x2AAAAAAB, []
    for _ in range(image.size * probing.count_bits(image)):
        bits.append(state & 1)
        state = state >> 1 | ((state ^ state >> 3) & 1) << 30
    packed = bits if image.dtype == np.bool_ else np.packbits(bits).view(image.dtype)
    return np.asarray(image ^ np.array(packed, image.dtype).reshape(image.shape))


@contract.attack(
    name="streams",
    threat="known",
    title="Structured streams",
    control=lambda: contract.Target(name="a register of 31 places", oracle=_put_on_register),
    details={"generator": "what continues the stream, in words, or null"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Continue the stream of a register or generator from a known stretch.

    Needs: one result, and half of its picture; salt is not an obstacle

    The attacker knows one half of a small picture, and so a stretch of the key stream. The
    shortest linear register that gives its bits, or the bits of each plane, gives the rest, if
    it is short; so does the state of a congruential generator in common use, which a lattice
    gives. Half of a large image shows periods, the Mersenne Twister, and generators modulo a
    power of two with unknown parameters. The figure is about the other half.
    """
    small = probing.shrink_target(target.oracle, plain, samples=_SAMPLES)
    seen = contract.query(target.oracle, small)
    text = "no register or generator gives the known half of a stream"
    best = probing.report_nothing(seen, small, queries=1, text=text, generator=None)
    query = probing.Queries(target.oracle)
    again = probing.is_repeatable(query, small) or small.dtype != np.uint8
    longer = iter(()) if again else _iterate_long_findings(target.oracle, plain)
    for finding in chain(_iterate_findings(seen, small, again=again), longer):
        best = max(best, finding, key=lambda each: each.recovered)
        if best.broken:
            break
    return best


def _iterate_findings(
    seen: AnyArray, small: AnyArray, *, again: bool
) -> Iterator[contract.Finding]:
    """Yield the picture that each stream gives if it continues from a known half, in any order.

    Generators are left out where streams come `again`, and need not be continued.
    """
    half = small.size // 2
    for order in list_both_ways(small.shape).values():
        hidden, flat = (each.reshape(-1)[order] for each in (seen, small))
        for combination in list_combinations(small):
            known = FINDERS[combination](hidden[:half], flat[:half])
            streams = list(_iterate_registers(known, small.size))
            if not streams and not again:
                streams = list(_iterate_congruential(known, small.size))
            if not streams and not again:
                streams = list(_iterate_words(known, small.size))
            for name, stream in streams:
                rest = REMOVERS[combination](hidden[half:], stream[half:])
                yield _judge_rest(seen, small, order, rest, name)


def _judge_rest(
    seen: AnyArray, small: AnyArray, order: AnyArray, rest: AnyArray, name: str
) -> contract.Finding:
    """Return how much of the end that was not known is right, with it in the picture."""
    guess, end = small.copy(), order[len(order) - len(rest) :]
    guess.reshape(-1)[end] = rest
    unknown = small.reshape(-1)[end].reshape(1, -1)
    found = probing.judge(
        unknown, rest.reshape(1, -1), unknown, queries=1, text=name, generator=name
    )
    text = f"{name}: {found.recovered:.4f} of the part that was not known came back"
    return replace(found, text=text, seen=seen, picture=guess, plain=small)
