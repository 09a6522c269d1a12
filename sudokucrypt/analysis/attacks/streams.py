"""Streams of linear registers and congruential generators, continued from a known stretch."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.masks import FINDERS, REMOVERS, combinations_for
from sudokucrypt.typing import AnyArray

_SAMPLES = 32 * 32
# A register is longer than that share of random bits by chance: half, and some bits more.
_SHORT = 0.45
# Multiplier and increment of generators in common use, modulo a power of two, and the lowest bits
# of the bytes that are taken of their states.
_GENERATORS = (
    (1103515245, 12345, (0, 8, 16, 23)),
    (1664525, 1013904223, (0, 8, 16, 24)),
    (214013, 2531011, (0, 8, 16, 24)),
    (69069, 1, (0, 8, 16, 24)),
    (22695477, 1, (0, 8, 16)),
    (134775813, 1, (0, 8, 16)),
)
# Multipliers modulo 2^31 - 1.
_LEHMER, _MERSENNE = (16807, 48271), (1 << 31) - 1
_CHUNK = 1 << 18
# Bytes that tell the right one of 2^24 states from all others.
_ENOUGH = 8


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

    def step(self, x: AnyArray) -> AnyArray:
        """Return the next states; sums and products wrap at 32 bits where that is enough."""
        kind = x.dtype.type
        if kind == np.uint32:
            return np.asarray(x * kind(self.a) + kind(self.c) & kind(self.modulus - 1))
        return np.asarray((x * kind(self.a) + kind(self.c)) % kind(self.modulus))

    def states(self, byte: int) -> Iterator[AnyArray]:
        """Yield all states that give a byte, some at a time."""
        kind = np.uint32 if self.modulus & (self.modulus - 1) == 0 else np.uint64
        count = self.modulus >> 8
        for start in range(0, count + 1, _CHUNK):
            rest: AnyArray = np.arange(start, min(start + _CHUNK, count + 1)).astype(kind)
            low = rest & kind((1 << self.shift) - 1)
            high = rest >> kind(self.shift) << kind(self.shift + 8)
            yield high | kind(byte << self.shift) | low


def _generators() -> Iterator[_Generator]:
    for a, c, shifts in _GENERATORS:
        yield from (_Generator(a, c, 1 << shift + 8, shift) for shift in shifts)
    for a in _LEHMER:
        yield from (_Generator(a, 0, _MERSENNE, shift) for shift in (0, 23))


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
    first, *others = known[:_ENOUGH].tolist()
    for generator in _generators():
        for candidates in generator.states(first):
            state = candidates
            for value in others:
                state = generator.step(state)
                state = state[(state >> generator.shift & 255) == value]
            if len(state):
                stream = known[:_ENOUGH].tolist()
                for _ in range(count - _ENOUGH):
                    state = generator.step(state)
                    stream.append(int(state[0]) >> generator.shift & 255)
                yield str(generator), np.array(stream, np.uint8)
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
    axis = np.arange(small.size).reshape(small.shape)
    findings = []
    for order in (axis.reshape(-1), axis.swapaxes(0, 1).reshape(-1)):
        half = small.size // 2
        hidden, flat = (each.reshape(-1)[order] for each in (seen, small))
        for combination in combinations_for(small):
            known = FINDERS[combination](hidden[:half], flat[:half])
            streams = list(_registers(known, small.size))
            # All states are tried for the orders and operations in common use only.
            usual = combination != "difference" and order[1] == 1
            if not streams and usual and small.dtype == np.uint8:
                streams = list(_congruential(known, small.size))
            for name, stream in streams:
                rest = REMOVERS[combination](hidden[half:], stream[half:])
                findings.append(_judged(seen, small, order, rest, name))
    if not findings:
        text = "no register or generator gives the known half of a stream"
        return probing.nothing(seen, small, queries=1, text=text, generator=None)
    return max(findings, key=lambda each: each.recovered)


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
