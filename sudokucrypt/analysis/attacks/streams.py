"""Streams of linear registers and congruential generators, continued from a known stretch."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.masks import FINDERS, REMOVERS, combinations_for
from sudokucrypt.analysis.attacks.scan_orders import both_ways
from sudokucrypt.typing import AnyArray

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
# Bytes that the lattice of a generator takes: of 64 bits, eight are not quite enough.
_SPARE = 4
# Bytes that tell the right state from all others.
_ENOUGH = 16
# What is short in a lattice: a swap must gain a quarter.
_LOVASZ = 0.75


@dataclass(frozen=True)
class _Generator:
    """A congruential generator x -> a x + c modulo m, and the lowest bit of the byte it gives.

    Modulo a power of two, what is above the byte changes nothing in it, and is left out.
    """

    a: int
    c: int
    modulus: int
    shift: int

    def __str__(self) -> str:
        return f"{self.a} x + {self.c} modulo {self.modulus}, bits {self.shift} to {self.shift + 7}"

    def stream(self, state: int, count: int) -> AnyArray:
        """Return the bytes of a state and of those that follow."""
        result = []
        for _ in range(count):
            result.append(state >> self.shift & 255)
            state = (self.a * state + self.c) % self.modulus
        return np.array(result, np.uint8)

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
        basis = _lattice(self.a, self.modulus, len(targets))
        first = (targets[0] - _size_reduced([*basis, targets])[0]) % self.modulus
        return (first << 8) + known[0] if low else first


def _size_reduced(rows: list[list[int]]) -> list[int]:
    """Return the last vector without what the others can take off it, the last of them first."""
    *basis, vector = rows
    upper = np.linalg.qr(np.array(rows, float).T)[1]
    for index in range(len(basis))[::-1]:
        factor = np.rint(upper[index, -1] / upper[index, index])
        upper[:, -1] -= factor * upper[:, index]
        vector = [x - int(factor) * y for x, y in zip(vector, basis[index], strict=True)]
    return vector


@lru_cache(maxsize=64)
def _lattice(a: int, modulus: int, size: int) -> list[list[int]]:
    """Return a short basis of the multiples of the powers of a multiplier modulo a number.

    Source: A. K. Lenstra, H. W. Lenstra, L. Lovasz, 1982, doi:10.1007/BF01457454.
    """
    basis = [[modulus * (row == column) for column in range(size)] for row in range(size)]
    basis[0] = [pow(a, index, modulus) for index in range(size)]
    row = 1
    while row < size:
        basis[row] = _size_reduced(basis[: row + 1])
        upper = np.linalg.qr(np.array(basis[: row + 1], float).T)[1]
        before, factor, own = upper[row - 1, row - 1], upper[row - 1, row], upper[row, row]
        if own**2 + factor**2 >= _LOVASZ * before**2:
            row += 1
        else:
            basis[row - 1 : row + 1] = basis[row], basis[row - 1]
            row = max(row - 1, 1)
    return basis


def shortest_register(bits: AnyArray) -> tuple[int, int]:
    """Return the length of the shortest linear register of bits, and its taps as an integer.

    Bit j of the taps says that the bit j places before counts; bit 0 is always set.
    Source: J. L. Massey, 1969, doi:10.1109/TIT.1969.1054260.

    >>> shortest_register(np.array([0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1]))
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


def _continued_bits(bits: AnyArray, count: int) -> AnyArray | None:
    """Return as many bits as the shortest register of these gives; None if it is not short."""
    length, taps = shortest_register(bits)
    if length > _SHORT * len(bits):
        return None
    state = int("".join(map(str, bits[::-1][: length or 1].tolist()))[::-1], 2)
    result = bits.tolist()
    for _ in range(count - len(bits)):
        bit = (state << 1 & taps).bit_count() & 1
        state = (state << 1 | bit) & (1 << length or 1) - 1
        result.append(bit)
    return np.array(result, np.uint8)


def _registers(known: AnyArray, count: int) -> Iterator[tuple[str, AnyArray]]:
    """Yield streams that go on from known samples, by registers of bits or of each plane."""
    depth = probing.bit_count(known)
    planes = [_continued_bits(known >> plane & 1, count) for plane in range(depth)]
    if all(plane is not None for plane in planes):
        whole = sum(
            plane.astype(np.int64) << n for n, plane in enumerate(planes) if plane is not None
        )
        yield "registers of each plane of bits", np.asarray(whole).astype(known.dtype)
    orders: tuple[Literal["big", "little"], ...] = ("big", "little")
    for order in orders if depth == 8 else ():
        bits = np.unpackbits(known, bitorder=order)
        if (more := _continued_bits(bits, 8 * count)) is not None:
            name = "highest" if order == "big" else "lowest"
            packed = np.packbits(more, bitorder=order)
            yield f"a register of bits, the {name} first", packed


def _congruential(known: AnyArray, count: int) -> Iterator[tuple[str, AnyArray]]:
    """Yield the stream of a generator in common use that gives the known bytes, if there is one."""
    for a, c, modulus, shifts in _GENERATORS:
        for shift in shifts:
            least = modulus if modulus % 2 else 1 << shift + 8
            generator = _Generator(a % least, c % least, least, shift)
            state = generator.state(known.tolist())
            if np.array_equal(generator.stream(state, _ENOUGH), known[:_ENOUGH]):
                yield str(generator), generator.stream(state, count)
                return


def _registered(image: AnyArray) -> AnyArray:
    """Put on the bits of a register of 31 places."""
    state, bits = 0x2AAAAAAB, []
    for _ in range(image.size * probing.bit_count(image)):
        bits.append(state & 1)
        state = state >> 1 | ((state ^ state >> 3) & 1) << 30
    packed = bits if image.dtype == np.bool_ else np.packbits(bits).view(image.dtype)
    return np.asarray(image ^ np.array(packed, image.dtype).reshape(image.shape))


@contract.attack(
    name="streams",
    threat="known",
    title="Structured streams",
    summary="Continue the stream of a register or generator from a known stretch.",
    needs="one result, and half of its picture; salt is no obstacle",
    method="The attacker knows one half of a small picture, and so a stretch of the key stream. "
    "The shortest linear register that gives its bits, or the bits of each plane, gives the rest, "
    "if it is short; so does the state of a congruential generator in common use, all states of "
    "which are tried. The figure is about the other half.",
    control=lambda: contract.Target(name="a register of 31 places", oracle=_registered),
    details={"generator": "what continues the stream, in words, or null"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    small = probing.small_target(target.oracle, plain, samples=_SAMPLES)
    seen = contract.query(target.oracle, small)
    text = "no register or generator gives the known half of a stream"
    best = probing.nothing(seen, small, queries=1, text=text, generator=None)
    for finding in _findings(seen, small):
        best = max(best, finding, key=lambda each: each.recovered)
        if best.broken:
            break
    return best


def _findings(seen: AnyArray, small: AnyArray) -> Iterator[contract.Finding]:
    """Yield what each stream gives that goes on from a known half, in any order of the samples."""
    half = small.size // 2
    for order in both_ways(small.shape).values():
        hidden, flat = (each.reshape(-1)[order] for each in (seen, small))
        for combination in combinations_for(small):
            known = FINDERS[combination](hidden[:half], flat[:half])
            streams = list(_registers(known, small.size))
            if not streams and small.dtype == np.uint8:
                streams = list(_congruential(known, small.size))
            for name, stream in streams:
                rest = REMOVERS[combination](hidden[half:], stream[half:])
                yield _judged(seen, small, order, rest, name)


def _judged(
    seen: AnyArray, small: AnyArray, order: AnyArray, rest: AnyArray, name: str
) -> contract.Finding:
    """Return how much of the half that was not known is right, with it in the picture."""
    half = small.size // 2
    guess = small.copy()
    guess.reshape(-1)[order[half:]] = rest
    unknown = small.reshape(-1)[order[half:]].reshape(1, -1)
    found = probing.judged(
        unknown, rest.reshape(1, -1), unknown, queries=1, text=name, generator=name
    )
    text = f"{name}: {found.recovered:.4f} of the half that was not known came back"
    return replace(found, text=text, seen=seen, picture=guess, plain=small)
