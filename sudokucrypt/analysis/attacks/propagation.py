"""Guess and propagate: recover a key stream byte by byte from recurrences with carries.

In (a + x) ^ (b + y) = c, two known results leave about one y for each x. So a guess of one byte of
the stream gives the next ones, and wrong guesses soon lead to contradictions.
Source of the idea: C. Li, Y. Liu, T. Xie, M. Z. Q. Chen, 2013, arXiv:1211.3553.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.scan_orders import list_two_way_orders
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray, IntArray

# At most this many samples, since all values of a key byte are followed for each of them.
_MAX_SAMPLES = 16 * 16
_KNOWN_IMAGE_COUNT = 6
# The number of samples that test a rule: a wrong one fails after a sample or two.
_TESTED_SAMPLE_COUNT = 6

# A function of the previous result q, a byte k of the stream, and the byte j before k.
_Term = Callable[[AnyArray, AnyArray, AnyArray], AnyArray]

# Terms that a rule may remove from a sample, by exclusive-or or by subtraction.
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
    """Two operations, each applied once or twice, that give a plain sample from its result."""

    first_term: str
    first_operation: str
    second_term: str
    second_operation: str
    is_applied_twice: bool = False

    def apply_once(
        self, result: AnyArray, previous_result: AnyArray, key: AnyArray, previous_key: AnyArray
    ) -> AnyArray:
        """Apply the rule once to a result, given the result before it."""
        inner_value = _OPERATIONS[self.first_operation](
            result, _TERMS[self.first_term](previous_result, key, previous_key)
        )
        return _OPERATIONS[self.second_operation](
            inner_value, _TERMS[self.second_term](previous_result, key, previous_key)
        )

    def compute_sample(
        self, results: AnyArray, key: AnyArray, previous_key: AnyArray, older_key: AnyArray
    ) -> AnyArray:
        """Return the plain sample from three results and three stream bytes, the latest first."""
        first_sample = self.apply_once(results[0], results[1], key, previous_key)
        if not self.is_applied_twice:
            return first_sample
        previous_sample = self.apply_once(results[1], results[2], previous_key, older_key)
        combined_value = _OPERATIONS[self.first_operation](
            first_sample, _TERMS[self.first_term](previous_sample, key, previous_key)
        )
        return _OPERATIONS[self.second_operation](
            combined_value, _TERMS[self.second_term](previous_sample, key, previous_key)
        )

    def __str__(self) -> str:
        first = f"c {self.first_operation} {self.first_term}"
        return (
            f"p = ({first}) {self.second_operation} {self.second_term}"
            + ", twice" * self.is_applied_twice
        )


def _iterate_rules() -> Iterator[_Rule]:
    """Yield the rules to try, the simple ones first."""
    for is_applied_twice in (False, True):
        for first_term, first_operation, second_term, second_operation in product(
            _TERMS, _OPERATIONS, _TERMS, _OPERATIONS
        ):
            yield _Rule(
                first_term, first_operation, second_term, second_operation, is_applied_twice
            )


def _find_stream_bytes(
    rule: _Rule, results: AnyArray, plain_samples: AnyArray, *, bits: int, count: int
) -> IntArray | None:
    """Return `count` stream bytes that explain all known images, or None if no stream does.

    `results` and `plain_samples` have shape (images, samples). Only their lowest `bits` are
    compared, which do not depend on higher ones. The first two bytes are unconfirmed guesses.
    """
    levels, low_bits_mask = 1 << bits, np.uint8((1 << bits) - 1)
    older_keys, previous_keys = (
        each.astype(np.uint8).reshape(-1) for each in np.indices((levels, levels))
    )
    if not rule.is_applied_twice:  # a rule that is applied once depends on only one previous byte
        older_keys, previous_keys = older_keys[:levels], previous_keys[:levels]
    key_bytes = np.arange(levels, dtype=np.uint8)
    state_history = [(np.arange(len(previous_keys)), older_keys, previous_keys)]
    for index in range(2, count):
        state_indices, key_indices = np.indices((len(previous_keys), levels)).reshape(2, -1)
        for known_result, known_samples in zip(results, plain_samples, strict=True):
            guesses = rule.compute_sample(
                known_result[[index, index - 1, index - 2]],
                key_bytes[key_indices],
                previous_keys[state_indices],
                older_keys[state_indices],
            )
            # A rule without a byte of the key gives the same guess for all states.
            is_right = np.broadcast_to(
                (guesses ^ known_samples[index]) & low_bits_mask == 0, key_indices.shape
            )
            state_indices, key_indices = state_indices[is_right], key_indices[is_right]
        previous_bytes = (
            previous_keys[state_indices].astype(np.int64) << 8 if rule.is_applied_twice else 0
        )
        distinct_indices = np.unique(previous_bytes | key_indices, return_index=True)[1]
        if not 0 < len(distinct_indices) <= levels**2:
            return None
        state_indices, key_indices = state_indices[distinct_indices], key_indices[distinct_indices]
        older_keys, previous_keys = previous_keys[state_indices], key_bytes[key_indices]
        state_history.append((state_indices, older_keys, previous_keys))
    state_index, stream = 0, []
    for state_indices, older_keys, previous_keys in reversed(state_history):
        stream.append(int(previous_keys[state_index]))
        state_index, first_byte = int(state_indices[state_index]), int(older_keys[state_index])
    return np.array([first_byte, *reversed(stream)])


def _find_rule(results: AnyArray, plain_samples: AnyArray) -> tuple[_Rule, IntArray] | None:
    """Return a rule and a stream that explain all known images, or None if there is none."""
    for rule in _iterate_rules():
        # The low bits of a few samples exclude most rules at little cost.
        if (
            _find_stream_bytes(rule, results, plain_samples, bits=3, count=_TESTED_SAMPLE_COUNT)
            is not None
        ):
            stream = _find_stream_bytes(
                rule, results, plain_samples, bits=8, count=results.shape[1]
            )
            if stream is not None:
                return rule, stream.astype(np.uint8)
    return None


def _join_sums(image: AnyArray) -> AnyArray:
    """Add a key byte to each sample and to the previous result; join both by exclusive-or."""
    stream = probing.draw_noise(probing.make_generator(20), image).reshape(-1)
    results, previous_result = [], 0
    for sample, key in zip(image.reshape(-1).tolist(), stream.tolist(), strict=True):
        previous_result = (sample + key ^ previous_result + key) & 255
        results.append(previous_result)
    return np.array(results, image.dtype).reshape(image.shape)


@contract.attack(
    name="propagation",
    threat="known",
    title="Guess and propagate",
    control=lambda: contract.Target(name="sums joined by exclusive-or", oracle=_join_sums),
    details={"rule": "the rule by which a sample depends on results and stream, or null"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Guess a byte of a key stream, and derive the next bytes from it.

    Needs: six known images; a stream that is the same for all

    In short recurrences with carries, such as exclusive-or of sums of samples and key bytes, two
    known images leave hardly any value of the next key byte for each value of the previous one.
    The attacker tries several hundred rules in all scan orders and guesses one byte; wrong rules
    and guesses lead to contradictions, and the right ones give the stream.
    """
    if probing.count_bits(picture) != 8:
        raise InvalidImageError(
            "the attack on streams of bytes takes images of 8 bits per sample",
            hint="convert the picture to 8 bits per sample",
        )
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_SAMPLES)
    query, generator = probing.Queries(target.oracle), probing.make_generator(21)
    target_result = query(small_picture)
    if not probing.is_repeatable(query, small_picture):
        text = "equal images give different results, so every image has its own stream"
        return probing.report_nothing(
            target_result, small_picture, queries=query.count, text=text, rule=None
        )
    known_images = [probing.draw_noise(generator, small_picture) for _ in range(_KNOWN_IMAGE_COUNT)]
    known_results, known_samples = (
        np.stack([each.reshape(-1) for each in group])
        for group in ([query(image) for image in known_images], known_images)
    )
    for name, order in list_two_way_orders(small_picture.shape).items():
        if (
            rule_and_stream := _find_rule(known_results[:, order], known_samples[:, order])
        ) is not None:
            rule, stream = rule_and_stream
            results, guess = (
                target_result.reshape(-1)[order],
                np.zeros_like(target_result).reshape(-1),
            )
            guess[order[2:]] = rule.compute_sample(
                np.stack([results[2:], results[1:-1], results[:-2]]),
                stream[2:],
                stream[1:-1],
                stream[:-2],
            )
            return probing.judge_guess(
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
