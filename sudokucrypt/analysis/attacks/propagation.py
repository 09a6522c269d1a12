"""Guess and propagate: find the bytes of a key stream one by one in recurrences with carries.

In (a + x) ^ (b + y) = c, two known results leave about one y for each x. So a guess of one byte of
the stream gives the next ones, and wrong guesses soon lead to contradictions.
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

# At most this many samples, since all values of a key byte are followed for each of them.
_MAX_SAMPLES = 16 * 16
_KNOWN_IMAGES = 6
# The number of samples that test a rule: a wrong one fails after a sample or two.
_TESTED_SAMPLES = 6

# Takes the previous result q, a byte k of the stream and its previous byte j.
_Term = Callable[[AnyArray, AnyArray, AnyArray], AnyArray]

# Terms that a rule may subtract from a sample.
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
    """A rule for a plain sample, ``p = (c first a) second b``, applied once or `twice`."""

    a: str
    first: str
    b: str
    second: str
    twice: bool = False

    def apply_once(self, c: AnyArray, q: AnyArray, k: AnyArray, j: AnyArray) -> AnyArray:
        """Apply the rule once; q is the result before c."""
        inner = _OPERATIONS[self.first](c, _TERMS[self.a](q, k, j))
        return _OPERATIONS[self.second](inner, _TERMS[self.b](q, k, j))

    def compute_sample(self, c: AnyArray, k: AnyArray, j: AnyArray, i: AnyArray) -> AnyArray:
        """Return the plain sample for three successive results, the last first, and three bytes."""
        sample = self.apply_once(c[0], c[1], k, j)
        if not self.twice:
            return sample
        previous = self.apply_once(c[1], c[2], j, i)
        inner = _OPERATIONS[self.first](sample, _TERMS[self.a](previous, k, j))
        return _OPERATIONS[self.second](inner, _TERMS[self.b](previous, k, j))

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
    """Return `count` bytes of a stream that explain all known images, or None if there are none.

    Results `c` and plain samples `p` have shape (images, samples). Only their lowest `bits` are
    compared, which do not depend on higher ones. The first two bytes are unconfirmed guesses.
    """
    levels, low_mask = 1 << bits, np.uint8((1 << bits) - 1)
    i, j = (each.astype(np.uint8).reshape(-1) for each in np.indices((levels, levels)))
    if not rule.twice:  # a rule that is applied once depends on only one previous byte
        i, j = i[:levels], j[:levels]
    keys = np.arange(levels, dtype=np.uint8)
    steps = [(np.arange(len(j)), i, j)]
    for index in range(2, count):
        state, k = np.indices((len(j), levels)).reshape(2, -1)
        for results, plain in zip(c, p, strict=True):
            guess = rule.compute_sample(
                results[[index, index - 1, index - 2]], keys[k], j[state], i[state]
            )
            # A rule without a byte of the key gives the same guess for all states.
            is_right = np.broadcast_to((guess ^ plain[index]) & low_mask == 0, k.shape)
            state, k = state[is_right], k[is_right]
        previous_bytes = j[state].astype(np.int64) << 8 if rule.twice else 0
        distinct = np.unique(previous_bytes | k, return_index=True)[1]
        if not 0 < len(distinct) <= levels**2:
            return None
        state, k = state[distinct], k[distinct]
        i, j = j[state], keys[k]
        steps.append((state, i, j))
    state_index, stream = 0, []
    for state, i, j in reversed(steps):
        stream.append(int(j[state_index]))
        state_index, first = int(state[state_index]), int(i[state_index])
    return np.array([first, *reversed(stream)])


def _find_rule(c: AnyArray, p: AnyArray) -> tuple[_Rule, IntArray] | None:
    """Return a rule and a stream that explain all known images, or None if there is none."""
    for rule in _iterate_rules():
        # The low bits of a few samples exclude most rules at little cost.
        if _follow_stream(rule, c, p, bits=3, count=_TESTED_SAMPLES) is not None:
            stream = _follow_stream(rule, c, p, bits=8, count=c.shape[1])
            if stream is not None:
                return rule, stream.astype(np.uint8)
    return None


def _join_sums(image: AnyArray) -> AnyArray:
    """Add a key byte to each sample and the previous result, and combine both by exclusive-or."""
    stream = probing.draw_noise(probing.make_generator(20), image).reshape(-1)
    results, previous = [], 0
    for sample, key in zip(image.reshape(-1).tolist(), stream.tolist(), strict=True):
        previous = (sample + key ^ previous + key) & 255
        results.append(previous)
    return np.array(results, image.dtype).reshape(image.shape)


@contract.attack(
    name="propagation",
    threat="known",
    title="Guess and propagate",
    control=lambda: contract.Target(name="sums joined by exclusive-or", oracle=_join_sums),
    details={"rule": "the rule by which a sample depends on results and stream, or null"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Guess a byte of a key stream, and derive the next bytes from it.

    Needs: six known images; a stream that is the same for all

    In short recurrences with carries, such as exclusive-or of sums of samples and key bytes, two
    known images leave hardly any value of the next key byte for each value of the previous one.
    The attacker tries several hundred rules in all scan orders and guesses one byte; wrong rules
    and guesses lead to contradictions, and the right ones give the stream.
    """
    if probing.count_bits(plain) != 8:
        raise InvalidImageError(
            "the attack on streams of bytes takes images of 8 bits per sample",
            hint="convert the picture to 8 bits per sample",
        )
    small_picture = probing.shrink_target(target.oracle, plain, samples=_MAX_SAMPLES)
    query, random = probing.Queries(target.oracle), probing.make_generator(21)
    target_result = query(small_picture)
    if not probing.is_repeatable(query, small_picture):
        text = "equal images give different results, so every image has its own stream"
        return probing.report_nothing(
            target_result, small_picture, queries=query.count, text=text, rule=None
        )
    known_images = [probing.draw_noise(random, small_picture) for _ in range(_KNOWN_IMAGES)]
    c, p = (
        np.stack([each.reshape(-1) for each in group])
        for group in ([query(image) for image in known_images], known_images)
    )
    for name, order in list_both_ways(small_picture.shape).items():
        if (rule_and_stream := _find_rule(c[:, order], p[:, order])) is not None:
            rule, k = rule_and_stream
            results, guess = (
                target_result.reshape(-1)[order],
                np.zeros_like(target_result).reshape(-1),
            )
            guess[order[2:]] = rule.compute_sample(
                np.stack([results[2:], results[1:-1], results[:-2]]), k[2:], k[1:-1], k[:-2]
            )
            return probing.judge(
                target_result,
                guess.reshape(small_picture.shape),
                small_picture,
                queries=query.count,
                text=f"{rule}, with a stream of k after j, q before c by {name}",
                rule=str(rule),
            )
    text = "no rule explains the known images by one stream"
    return probing.report_nothing(
        target_result, small_picture, queries=query.count, text=text, rule=None
    )
