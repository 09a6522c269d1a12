"""Guess and propagate: one byte of a key stream at a time, where sums carry and exclusive-or mixes.

In (a + x) ^ (b + y) = c two known results leave about one y for each x. So a guess at one byte of
the stream gives the next ones, and wrong guesses die out.
Source of the idea: C. Li, Y. Liu, T. Xie, M. Z. Q. Chen, 2013, arXiv:1211.3553.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.scan_orders import list_both_ways
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray, IntArray

# All states of a key byte are followed for each sample: the picture must be small.
_SAMPLES = 16 * 16
_KNOWN = 6
# A wrong rule dies out after a sample or two.
_SURE = 6

# Takes the result before, a byte of the stream and the byte before.
_Term = Callable[[AnyArray, AnyArray, AnyArray], AnyArray]

# What may be taken off a sample: q is the result before, k the byte of the key and j that before.
_TERMS: dict[str, _Term] = {
    "k": lambda _q, k, _j: k,
    "j": lambda _q, _k, j: j,
    "q": lambda q, _k, _j: q,
    "(q + k)": lambda q, k, _j: q + k,
    "(q + j)": lambda q, _k, j: q + j,
    "(q ^ k)": lambda q, k, _j: q ^ k,
    "(q ^ j)": lambda q, _k, j: q ^ j,
}
_OPERATIONS: dict[str, Callable[[AnyArray, AnyArray], AnyArray]] = {
    "^": np.bitwise_xor,
    "-": np.subtract,
}


@dataclass(frozen=True)
class _Rule:
    """How a sample follows: ``p = (c first a) second b``, once, or by the same rule of both."""

    a: str
    first: str
    b: str
    second: str
    twice: bool = False

    def once(self, c: AnyArray, q: AnyArray, k: AnyArray, j: AnyArray) -> AnyArray:
        """Return the value before the last step of a chain; q is the result before c."""
        inner = _OPERATIONS[self.first](c, _TERMS[self.a](q, k, j))
        return _OPERATIONS[self.second](inner, _TERMS[self.b](q, k, j))

    def plain(self, c: AnyArray, k: AnyArray, j: AnyArray, i: AnyArray) -> AnyArray:
        """Return the sample for three results in a row, the last first, and three bytes."""
        behind = self.once(c[0], c[1], k, j)
        if not self.twice:
            return behind
        before = self.once(c[1], c[2], j, i)
        inner = _OPERATIONS[self.first](behind, _TERMS[self.a](before, k, j))
        return _OPERATIONS[self.second](inner, _TERMS[self.b](before, k, j))

    def __str__(self) -> str:
        return f"p = (c {self.first} {self.a}) {self.second} {self.b}" + ", twice" * self.twice


def _iterate_rules() -> Iterator[_Rule]:
    """Yield the rules to try, the simple ones first."""
    for twice in (False, True):
        for a, first, b, second in product(_TERMS, _OPERATIONS, _TERMS, _OPERATIONS):
            yield _Rule(a, first, b, second, twice)


def _follow_stream(
    rule: _Rule, c: AnyArray, p: AnyArray, *, bits: int, count: int
) -> IntArray | None:
    """Return a byte for each of `count` samples that explains all known images, None if none does.

    Arrays have shape (images, samples). Only the lowest `bits` are looked at, which depend on no
    others. The first two bytes are guesses, which no sample confirms.
    """
    levels, low = 1 << bits, np.uint8((1 << bits) - 1)
    i, j = (each.astype(np.uint8).reshape(-1) for each in np.indices((levels, levels)))
    if not rule.twice:  # a rule that is used once looks back at one byte only
        i, j = i[:levels], j[:levels]
    keys = np.arange(levels, dtype=np.uint8)
    steps = [(np.arange(len(j)), i, j)]
    for index in range(2, count):
        state, k = np.indices((len(j), levels)).reshape(2, -1)
        for results, plain in zip(c, p, strict=True):
            guess = rule.plain(results[[index, index - 1, index - 2]], keys[k], j[state], i[state])
            # Rules without a byte of the key give one guess for all states.
            right = np.broadcast_to((guess ^ plain[index]) & low == 0, k.shape)
            state, k = state[right], k[right]
        before = j[state].astype(np.int64) << 8 if rule.twice else 0
        distinct = np.unique(before | k, return_index=True)[1]
        if not 0 < len(distinct) <= levels**2:
            return None
        state, k = state[distinct], k[distinct]
        i, j = j[state], keys[k]
        steps.append((state, i, j))
    chosen, stream = 0, []
    for state, i, j in reversed(steps):
        stream.append(int(j[chosen]))
        chosen, first = int(state[chosen]), int(i[chosen])
    return np.array([first, *reversed(stream)])


def _find_rule(c: AnyArray, p: AnyArray) -> tuple[_Rule, IntArray] | None:
    """Return a rule and a stream that explain all known images, None if none does."""
    for rule in _iterate_rules():
        # Low bits of a few samples rule most of them out for nothing.
        if _follow_stream(rule, c, p, bits=3, count=_SURE) is not None:
            stream = _follow_stream(rule, c, p, bits=8, count=c.shape[1])
            if stream is not None:
                return rule, stream.astype(np.uint8)
    return None


def _join_sums(image: AnyArray) -> AnyArray:
    """Join each sample and the result before it by sums with the same byte, and exclusive-or."""
    stream = probing.draw_noise(probing.make_generator(20), image).reshape(-1)
    results, before = [], 0
    for sample, key in zip(image.reshape(-1).tolist(), stream.tolist(), strict=True):
        before = (sample + key ^ before + key) & 255
        results.append(before)
    return np.array(results, image.dtype).reshape(image.shape)


@contract.attack(
    name="propagation",
    threat="known",
    title="Guess and propagate",
    control=lambda: contract.Target(name="sums joined by exclusive-or", oracle=_join_sums),
    details={"rule": "how a sample follows from results and stream, or null"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Guess a byte of a key stream, and follow what it makes of the next.

    Needs: six known images; a stream that is the same for all

    In short recurrences with carries, such as sums of samples and of a stream that are joined
    by exclusive-or, two known images leave hardly any value of the next byte of the stream for
    each value of the last. The attacker tries several hundred rules in all scan orders and
    guesses one byte; wrong rules and guesses die out, and the rest is the stream.
    """
    if probing.count_bits(plain) != 8:
        raise InvalidImageError(
            "streams of bytes take images of 8 bits a sample",
            hint="convert the picture to 8 bits a sample",
        )
    small = probing.shrink_target(target.oracle, plain, samples=_SAMPLES)
    query, random = probing.Queries(target.oracle), probing.make_generator(21)
    seen = query(small)
    if not probing.is_repeatable(query, small):
        text = "equal images give different results, so no stream is that of the next"
        return probing.report_nothing(seen, small, queries=query.count, text=text, rule=None)
    known = [probing.draw_noise(random, small) for _ in range(_KNOWN)]
    c, p = (
        np.stack([each.reshape(-1) for each in group])
        for group in ([query(image) for image in known], known)
    )
    for name, order in list_both_ways(small.shape).items():
        if (explained := _find_rule(c[:, order], p[:, order])) is not None:
            rule, k = explained
            goal, guess = seen.reshape(-1)[order], np.zeros_like(seen).reshape(-1)
            guess[order[2:]] = rule.plain(
                np.stack([goal[2:], goal[1:-1], goal[:-2]]), k[2:], k[1:-1], k[:-2]
            )
            return probing.judge(
                seen,
                guess.reshape(small.shape),
                small,
                queries=query.count,
                text=f"{rule}, with a stream of k after j, q before c by {name}",
                rule=str(rule),
            )
    text = "no rule explains the known images by one stream"
    return probing.report_nothing(seen, small, queries=query.count, text=text, rule=None)
