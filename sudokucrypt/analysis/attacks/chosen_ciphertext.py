"""Chosen ciphertext: results that the attacker has changed, restored under the key."""

from collections.abc import Iterator
from itertools import chain, product

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.codebook import CONTROL_CHAIN
from sudokucrypt.analysis.attacks.scan_orders import list_orders
from sudokucrypt.errors import DecryptionError, UnsupportedError
from sudokucrypt.typing import AnyArray

_SAMPLES = 64 * 64
# How many pairs of bits change places, and how many changes run along a chain in each order.
_SWAPS, _RUNS = 64, 8
# From this share of equal samples on, restored pictures have the picture in common.
_ALIKE = 0.5


def _combine_results(undo: probing.Queries, seen: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """Yield the picture as far as the changed results, combined, reveal it."""
    random = probing.make_generator(8)
    first, second = (probing.draw_noise(random, seen) | np.array(1, seen.dtype) for _ in range(2))
    a, b, both = undo(seen ^ first), undo(seen ^ second), undo(seen ^ first ^ second)
    yield "by exclusive-or of three others", a ^ b ^ both
    if seen.dtype != np.bool_:
        a, b, both = undo(seen + first), undo(seen + second), undo(seen + first + second)
        yield "as a sum of three others", a + b - both


def _change_results(seen: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """Yield results with changes that spoil little of the picture in many schemes.

    Behind one changed sample a scheme may restore all that does not depend on it. Where lines move
    by sums, or bits by the number of ones, changes must cancel: two bits change places, or one bit
    of a chain changes from one sample to another of the same row or column.
    """
    flat, random, one = seen.reshape(-1), probing.make_generator(18), np.array(1, seen.dtype)
    for index in (0, flat.size - 1, flat.size // 2):
        image = flat.copy()
        image[index] ^= one
        yield "with one changed sample", image
    for _ in range(_SWAPS):
        bit = one << np.array(random.integers(probing.count_bits(seen)), seen.dtype)
        image, held = flat.copy(), (flat & bit) != 0
        if held.any() and not held.all():
            image[[random.choice(np.flatnonzero(each)) for each in (held, ~held)]] ^= bit
            yield "with two bits in each other's place", image
    joins = (np.bitwise_xor,) if seen.dtype == np.bool_ else (np.bitwise_xor, np.add)
    indices = np.arange(flat.size).reshape(seen.shape)
    for (name, order), line in product(
        list_orders(seen.shape).items(), (indices, indices.swapaxes(0, 1))
    ):
        for turn in range(_RUNS if line[0].size > 1 else 0):
            ends = random.choice(line[random.integers(len(line))].reshape(-1), 2, replace=False)
            start, stop = np.sort(np.argsort(order)[ends])
            image, join = flat.copy(), joins[turn % len(joins)]
            join.at(image, order[start:stop], one)
            yield f"with changes that cancel along {name}", image


def _find_agreeing(undo: probing.Queries, seen: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """Yield each restored picture that is mostly like one before: chance agrees in little."""
    restored: list[AnyArray] = []
    for text, image in _change_results(seen):
        new = undo(image.reshape(seen.shape))
        if any(np.mean(old == new) > _ALIKE for old in restored):
            yield text, new
        restored.append(new)


@contract.attack(
    name="chosen-ciphertext",
    threat="chosen ciphertext",
    title="Chosen ciphertext",
    control=lambda: CONTROL_CHAIN,
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Restore changed results, and put the picture together.

    Needs: results of the attacker's choice, restored under the key; none of them is the target

    The attacker has changed copies of the result restored. If the inverse is affine, three of
    them give the picture. If a change spoils little, the rest of the picture comes back at
    once, and two restored pictures agree in it; among the changes are those that leave sums of
    lines or the number of ones as they are. Schemes that check a tag refuse.
    """
    if target.undo is None:
        raise UnsupportedError("there is no inverse that takes results alone")
    small = probing.shrink_target(target.oracle, plain, samples=_SAMPLES)
    seen = contract.query(target.oracle, small)
    if not np.array_equal(seen, contract.query(target.oracle, small)):
        raise UnsupportedError("equal images give different results, so a result alone is not all")
    undo = probing.Queries(target.undo)
    finding = probing.report_nothing(
        seen, small, queries=0, text="no two restored pictures have much in common"
    )
    try:
        for text, guess in chain(_combine_results(undo, seen), _find_agreeing(undo, seen)):
            new = probing.judge(seen, guess, small, queries=undo.count, text=text)
            finding = max(finding, new, key=lambda each: each.recovered)
            if finding.outcome is contract.Outcome.BROKEN:
                break
    except DecryptionError:
        text = "changed results are refused"
        return probing.report_nothing(seen, small, queries=undo.count, text=text)
    return finding
