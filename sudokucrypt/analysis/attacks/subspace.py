"""Fresh streams that few bits decide: what they cannot reach is the same in every result."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract, probing, unit_maps
from sudokucrypt.analysis.attacks.affine import affine_attack
from sudokucrypt.analysis.attacks.codebook import codebook_attack
from sudokucrypt.analysis.baselines import UniformShuffle
from sudokucrypt.typing import AnyArray

# A stream is learnt from more results than it has bits: the picture must be small.
_BITS = 8 * 8 * 8
# Streams of more bits than that cost too much to learn.
_MOST = 256
# Of so few samples, those of few levels are right by chance too often.
_FLAT = 0.2
# So many results that bring nothing new are no chance: one in 2^24 cases.
_SURPLUS = 24

_Bits = NDArray[np.uint8]


class _Space:
    """The span of a few vectors modulo 2 or 256: one vector for each leading place.

    The leading entry of each is a power of two, and what its multiples give without that entry is
    spanned by the others. Reference: J. A. Howell, 1986, doi:10.1080/03081088608817705.
    """

    def __init__(self, bits: int) -> None:
        self._bits, self.leading = bits, dict[int, _Bits]()

    def reduce(self, vector: _Bits) -> _Bits:
        """Reduce a vector by the vectors of the span."""
        left = vector.copy()
        for place in sorted(self.leading):
            row = self.leading[place]
            if factor := int(left[place]) // int(row[place]):
                left = self._minus(left, factor, row)
        return left

    def add(self, vector: _Bits) -> bool:
        """Let one more vector be spanned, and return whether it was not."""
        pending, new = [vector], False
        while pending:
            left = self.reduce(pending.pop())
            if not left.any():
                continue
            new, place = True, int(np.flatnonzero(left)[0])
            entry = int(left[place])
            unit = entry & -entry
            left = self._minus(np.zeros_like(left), -pow(entry // unit, -1, 256), left)
            if place in self.leading:
                pending.append(self.leading[place])
            self.leading[place] = left
            pending.append(self._minus(np.zeros_like(left), -(1 << self._bits) // unit, left))
        return new

    def _minus(self, vector: _Bits, factor: int, row: _Bits) -> _Bits:
        return (vector - np.uint8(factor & 255) * row) & np.uint8((1 << self._bits) - 1)


@dataclass(frozen=True)
class _Group:
    """How a stream is put on: on which units, and modulo which power of two they add up."""

    name: str
    bits: int

    def split(self, image: AnyArray) -> _Bits:
        """Return the units of an image: its bits, or its samples of 8 bits."""
        flat = image.reshape(-1)
        if self.bits == 8 or image.dtype == np.bool_:
            return flat.view(np.uint8)
        return np.unpackbits(flat.view(np.uint8))

    def join(self, units: _Bits, like: AnyArray) -> AnyArray:
        """Return the image of these units."""
        whole = self.bits == 8 or like.dtype == np.bool_
        return (units if whole else np.packbits(units)).view(like.dtype).reshape(like.shape)

    def subtract(self, units: _Bits, start: _Bits) -> _Bits:
        """Return differences of units."""
        return np.asarray((units - start) & np.uint8((1 << self.bits) - 1))


def _learn(results: Iterator[_Bits], group: _Group, most: int) -> _Space | None:
    """Return the span of differences of results if it soon stops growing, otherwise None."""
    space, known, first = _Space(group.bits), 0, next(results)
    for result in results:
        known = 0 if space.add(group.subtract(result, first)) else known + 1
        if known == _SURPLUS:
            return space
        if len(space.leading) > most:
            return None
    return None


def _recover(
    query: probing.Queries, small: AnyArray, hidden: NDArray[np.bool_], group: _Group
) -> contract.Finding | None:
    """Return samples that the attacker does not know, from the fixed part of results.

    None if there is no such part, or if it does not depend on the picture.
    """
    base, places = np.where(hidden, small ^ small, small), group.split(small).size
    most = min(places // 2, _MOST)
    space = _learn((group.split(query(base)) for _ in range(2 * most)), group, most)
    if space is None:
        return None
    start = group.split(query(base))

    def strip(image: AnyArray) -> AnyArray:
        """Return the fixed part of a result, of an image that is known except for some samples."""
        seen = group.split(query(np.where(hidden, image, small)))
        return group.join(space.reduce(group.subtract(seen, start)), small)

    noise = probing.draw_noise(probing.make_generator(36), small)
    shown = strip(noise)
    if not shown.any() or not np.array_equal(shown, strip(noise)):
        return None
    text = f"fresh streams, put on by {group.name}, differ in at most {len(space.leading)} of "
    text += f"{places} places"
    for attack in (affine_attack, codebook_attack):
        guess = np.where(hidden, attack(strip, small).picture, small)
        true, found = (each[hidden].reshape(1, -1) for each in (small, guess))
        # Pads of low bits leave the high ones alone, and pads of high bits the low ones.
        finding = probing.judge_parts(true, found, true, queries=query.count, text=text)
        if finding.outcome is not contract.Outcome.NOTHING:
            return replace(finding, picture=guess, plain=small)
    outcome, text = contract.Outcome.LEAKS, f"{text}, so equal images show"
    return replace(finding, outcome=outcome, text=text, picture=guess, plain=small)


def _one_row() -> contract.Oracle:
    """Return a scheme that puts one row of a new stream on all rows of a shuffled image."""
    random = probing.make_generator(35)

    def scheme(image: AnyArray) -> AnyArray:
        moved = UniformShuffle().scramble(image)
        return np.asarray(moved ^ probing.draw_noise(random, image[:1]))

    return scheme


@contract.attack(
    name="subspace",
    threat="chosen",
    title="Streams of few bits",
    control=lambda: contract.Target(name="one new row on all rows of a map", oracle=_one_row()),
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Strip off fresh streams that follow from few bits, and solve for the rest.

    Needs: results of equal images, some of the attacker's choice, and half of the samples of
    one

    Results of one image differ by the fresh stream only. If it follows from few bits by
    exclusive-or or sums, as streams of registers and of lines do, some hundred results show all
    that it can change. What it cannot change is fixed, and is attacked by linear equations and
    a codebook. The attacker knows half of the samples of the picture.
    """
    samples = _BITS // max(probing.count_bits(plain), 2)
    small = probing.shrink_target(target.oracle, plain, samples=samples, flat=_FLAT)
    query, random = probing.Queries(target.oracle), probing.make_generator(37)
    seen = query(small)
    if probing.is_repeatable(query, small):
        text = "equal images give equal results, so no stream is new"
        return probing.report_nothing(seen, small, queries=query.count, text=text)
    hidden = (random.permutation(small.size) % 2 == 0).reshape(small.shape)
    groups = [_Group("exclusive-or", 1), *[_Group("sum", 8)] * (small.dtype == np.uint8)]
    findings = [_recover(query, small, hidden, group) for group in groups]
    text = "fresh streams change results in all ways"
    nothing = probing.report_nothing(seen, small, queries=query.count, text=text)
    found = [replace(each, seen=seen) for each in findings if each is not None]
    return unit_maps.choose_best(lambda finding: finding, [*found, nothing])
