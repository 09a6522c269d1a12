"""Chosen ciphertext: recover a picture from changed results that are restored under the key."""

from collections.abc import Iterator
from itertools import chain, product

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.codebook import CONTROL_CHAIN
from sudokucrypt.analysis.attacks.scan_orders import list_orders
from sudokucrypt.errors import DecryptionError, UnsupportedError
from sudokucrypt.typing import AnyArray

_SAMPLES = 64 * 64
# The numbers of exchanged pairs of bits, and of changed parts of a chain in each scan order.
_EXCHANGES, _CHAIN_CHANGES = 64, 8
# From this share of equal samples, two restored pictures agree in the plain picture.
_MIN_EQUAL_SHARE = 0.5


def _iterate_combinations(undo: probing.Queries, seen: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """Yield the picture that combinations of three changed results give under affine schemes."""
    random = probing.make_generator(8)
    first, second = (probing.draw_noise(random, seen) | np.array(1, seen.dtype) for _ in range(2))
    a, b, combined = undo(seen ^ first), undo(seen ^ second), undo(seen ^ first ^ second)
    yield "by exclusive-or of three others", a ^ b ^ combined
    if seen.dtype != np.bool_:
        a, b, combined = undo(seen + first), undo(seen + second), undo(seen + first + second)
        yield "as a sum of three others", a + b - combined


def _iterate_changed_results(seen: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """Yield changed results that many schemes restore with few errors.

    If one sample is changed, a scheme may restore all parts that do not depend on it. If lines move
    by amounts that depend on sums, or bits by the number of ones, changes must cancel: two bits are
    exchanged, or one bit is changed in all samples of a chain between two samples of one line.
    """
    flat, random, one = seen.reshape(-1), probing.make_generator(18), np.array(1, seen.dtype)
    for index in (0, flat.size - 1, flat.size // 2):
        image = flat.copy()
        image[index] ^= one
        yield "with one changed sample", image
    for _ in range(_EXCHANGES):
        bit = one << np.array(random.integers(probing.count_bits(seen)), seen.dtype)
        image, has_bit = flat.copy(), (flat & bit) != 0
        if has_bit.any() and not has_bit.all():
            image[[random.choice(np.flatnonzero(each)) for each in (has_bit, ~has_bit)]] ^= bit
            yield "with two bits exchanged", image
    joins = (np.bitwise_xor,) if seen.dtype == np.bool_ else (np.bitwise_xor, np.add)
    indices = np.arange(flat.size).reshape(seen.shape)
    for (name, order), line in product(
        list_orders(seen.shape).items(), (indices, indices.swapaxes(0, 1))
    ):
        for number in range(_CHAIN_CHANGES if line[0].size > 1 else 0):
            ends = random.choice(line[random.integers(len(line))].reshape(-1), 2, replace=False)
            start, stop = np.sort(np.argsort(order)[ends])
            image, join = flat.copy(), joins[number % len(joins)]
            join.at(image, order[start:stop], one)
            yield f"with changes that cancel along {name}", image


def _iterate_agreeing_pictures(
    undo: probing.Queries, seen: AnyArray
) -> Iterator[tuple[str, AnyArray]]:
    """Yield each restored picture that mostly agrees with an earlier one, which is not chance."""
    restored: list[AnyArray] = []
    for text, image in _iterate_changed_results(seen):
        picture = undo(image.reshape(seen.shape))
        if any(np.mean(earlier == picture) > _MIN_EQUAL_SHARE for earlier in restored):
            yield text, picture
        restored.append(picture)


@contract.attack(
    name="chosen-ciphertext",
    threat="chosen ciphertext",
    title="Chosen ciphertext",
    control=lambda: CONTROL_CHAIN,
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Restore changed results, and combine what they give into the picture.

    Needs: results of the attacker's choice, restored under the key; none of them is the target

    The attacker has changed copies of the result restored. If the inverse is affine, three of
    them give the picture. If a change causes few errors, the rest of the picture is restored, and
    two restored pictures agree in it; some changes keep the sums of lines or the number of ones.
    Schemes that check a tag refuse changed results.
    """
    if target.undo is None:
        raise UnsupportedError("the scheme has no inverse that takes only results")
    small = probing.shrink_target(target.oracle, plain, samples=_SAMPLES)
    seen = contract.query(target.oracle, small)
    if not np.array_equal(seen, contract.query(target.oracle, small)):
        raise UnsupportedError(
            "equal images give different results, so restoring takes more than a result"
        )
    undo = probing.Queries(target.undo)
    finding = probing.report_nothing(
        seen, small, queries=0, text="no two restored pictures have much in common"
    )
    try:
        for text, guess in chain(
            _iterate_combinations(undo, seen), _iterate_agreeing_pictures(undo, seen)
        ):
            new_finding = probing.judge(seen, guess, small, queries=undo.count, text=text)
            finding = max(finding, new_finding, key=lambda each: each.recovered)
            if finding.outcome is contract.Outcome.BROKEN:
                break
    except DecryptionError:
        text = "changed results are refused"
        return probing.report_nothing(seen, small, queries=undo.count, text=text)
    return finding
