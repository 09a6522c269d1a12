"""Shared summaries: streams and maps that depend on a sum or a sample of the image only."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.affine import combine_by_xor
from sudokucrypt.analysis.attacks.codebook import codebook_attack
from sudokucrypt.analysis.attacks.differential import differential_attack
from sudokucrypt.analysis.attacks.masks import FINDERS, REMOVERS, Combination, list_combinations
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray

# All values of a summary are tried, with a query or more for each.
_SAMPLES = 32 * 32
# A summary of more values, such as the whole sum, is not tried out: its own value is used.
_VALUES = 256
# How much more of a result must agree between images that share a summary.
_MORE = 0.1
# How many of the summaries that show are followed up.
_TRIED = 3

_Fit = Callable[[AnyArray, int], AnyArray]


def _make_setter(*positions: float) -> _Fit:
    """Return how samples at these parts of an image are given a value, byte by byte."""

    def fit(image: AnyArray, value: int) -> AnyArray:
        fitted = image.copy()
        for index, position in enumerate(positions):
            fitted.reshape(-1)[_find_index(image, position)] = value >> 8 * index & 255
        return fitted

    return fit


def _find_index(image: AnyArray, position: float) -> int:
    return round(position * (image.size - 1))


def _set_sum(image: AnyArray, value: int) -> AnyArray:
    fitted = image.copy()
    fitted.reshape(-1)[_choose_changed_index(image) + 1] += np.array(
        value - int(image.sum(dtype=np.int64)) & 255, image.dtype
    )
    return fitted


def _set_parity(image: AnyArray, value: int) -> AnyArray:
    fitted = image.copy()
    fitted.reshape(-1)[_choose_changed_index(image) + 1] ^= (
        np.bitwise_xor.reduce(image, axis=None) ^ value
    )
    return fitted


def _set_whole_sum(image: AnyArray, value: int) -> AnyArray:
    """Raise or lower as many samples as it takes, the same ones each time."""
    fitted = image.astype(np.int64).reshape(-1)
    missing = value - int(fitted.sum())
    for index in probing.make_generator(12).permutation(fitted.size):
        if missing == 0:
            break
        changed = min(max(int(fitted[index]) + missing, 0), 255)
        missing -= changed - int(fitted[index])
        fitted[index] = changed
    return fitted.astype(image.dtype).reshape(image.shape)


def _set_mean(image: AnyArray, value: int) -> AnyArray:
    return _set_whole_sum(image, value * image.size + image.size // 2)


def _choose_changed_index(image: AnyArray) -> int:
    """Return the index of the sample that is changed, which no summary takes."""
    return image.size // 3


@dataclass(frozen=True)
class _Summary:
    """How an image is given a value of a summary, what that of an image is, and how many exist."""

    fit: _Fit
    of: Callable[[AnyArray], int]
    values: Callable[[AnyArray], int] = lambda _: 256


def _sum(image: AnyArray) -> int:
    return int(image.sum(dtype=np.int64))


_SUMMARIES: dict[str, _Summary] = {
    "the first sample": _Summary(_make_setter(0), lambda x: int(x.flat[0])),
    "the last sample": _Summary(_make_setter(1), lambda x: int(x.flat[-1])),
    "the middle sample": _Summary(_make_setter(0.5), lambda x: int(x.flat[_find_index(x, 0.5)])),
    "the first and the last sample": _Summary(
        _make_setter(0, 1), lambda x: int(x.flat[0]) | int(x.flat[-1]) << 8, lambda _: 1 << 16
    ),
    "the sum modulo 256": _Summary(_set_sum, lambda x: _sum(x) % 256),
    "the exclusive-or of all samples": _Summary(
        _set_parity, lambda x: int(np.bitwise_xor.reduce(x, axis=None))
    ),
    "the mean": _Summary(_set_mean, lambda x: int(x.mean())),
    "the sum": _Summary(_set_whole_sum, _sum, lambda x: 255 * x.size + 1),
}


def _compare_streams(
    query: probing.Queries, fit: _Fit, value: int, first: AnyArray, second: AnyArray
) -> Iterator[tuple[float, Combination | None]]:
    """Yield how alike streams, and then results, are for two images of one summary."""
    x, y = (fit(image, value) for image in (first, second))
    seen, other = query(x), query(y)
    for combination in list_combinations(first):
        find = FINDERS[combination]
        yield float(np.mean(find(seen, x) == find(other, y))), combination
    # What a few changed samples do not touch stays, as long as map and stream do. One sample shows
    # that where samples are chained, too; many are needed to change a mean.
    spot, bright = _choose_changed_index(first), first.dtype.type(192)
    for count in (1, first.size // 16):
        near = x.copy()
        part = near.reshape(-1)[spot : spot + count]
        part[:] = part ^ 90 if count == 1 else part | bright
        yield float(np.mean(query(fit(near, value)) == seen)), None


def _mask_by_sum(image: AnyArray) -> AnyArray:
    seed = 100 + int(image.sum(dtype=np.int64)) % 256
    return image ^ probing.draw_noise(probing.make_generator(seed), image)


@contract.attack(
    name="summary",
    threat="chosen",
    title="Shared summary",
    control=lambda: contract.Target(name="a stream keyed by the sum", oracle=_mask_by_sum),
    details={"summary": "which summary decides, in words, or null"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Fix the sum, the mean or a sample that a key stream depends on.

    Needs: images of the attacker's choice, of each of 256 values of a summary

    Many schemes make the key stream depend on a sum or a sample of the picture, to stop chosen
    images. Images that share it share the stream. There are 256 streams: the attacker has them
    all and takes the smoothest picture, or recovers map and mask for each value.
    """
    small = probing.shrink_target(target.oracle, plain, samples=_SAMPLES)
    query, random = probing.Queries(target.oracle), probing.make_generator()
    seen = query(small)
    if not probing.is_repeatable(query, plain):
        text = "equal images give different results"
        return probing.report_nothing(seen, small, queries=query.count, text=text, summary=None)
    first, second = (probing.draw_noise(random, small) for _ in range(2))
    free = list(_compare_streams(query, lambda image, _: image, 0, first, second))
    known = dict(_SUMMARIES) if small.dtype == np.uint8 else {}
    ranked: list[tuple[float, str, Combination | None]] = []
    for name, summary in known.items():
        value = summary.of(first)
        shares = _compare_streams(query, summary.fit, value, first, second)
        for (share, combination), (usual, _) in zip(shares, free, strict=True):
            ranked.append((share - usual, name, combination))
    ranked = [each for each in ranked if each[0] >= _MORE]
    # Shared streams are the surer sign: a sum may stay the same where one modulo 256 does.
    ranked.sort(key=lambda each: (round(each[0], 1), each[2] is not None), reverse=True)
    best = probing.report_nothing(
        seen,
        small,
        queries=query.count,
        text="images of one summary do not share more of their results",
        summary=None,
    )
    tried: list[str] = []
    for _, name, combination in ranked:
        if name in tried or len(tried) == _TRIED or best.outcome is contract.Outcome.BROKEN:
            continue
        tried.append(name)
        text = f"images that share {name} share what is secret"
        if combination is None:
            result = _attack_with_fixed_summary(target.oracle, known[name], small, text)
            result = replace(result, queries=query.count + result.queries)
        else:
            guess, queries = _restore_smoothest(query, known[name], combination, first, seen, small)
            result = probing.judge(seen, guess, small, queries=queries, text=text)
        best = max(best, result, key=lambda each: each.recovered)
        best = replace(best, details={"summary": name})
    if tried and best.outcome is contract.Outcome.NOTHING:
        # What is shared may be the part of a result that depends on nothing else.
        text = f"images that share {' or '.join(tried)} share more of their results, but that "
        best = replace(best, text=f"{text}gives no picture away")
    return best


def _restore_smoothest(
    query: probing.Queries,
    summary: _Summary,
    combination: Combination,
    first: AnyArray,
    seen: AnyArray,
    small: AnyArray,
) -> tuple[AnyArray, int]:
    """Return the smoothest picture that the stream of any value gives, and the images it took."""
    guesses, values = [], summary.values(small)
    # Where there are many values, the attacker tries each, and the right one is run.
    for value in range(values) if values <= _VALUES else [summary.of(small)]:
        image = summary.fit(first, value)
        guesses.append(REMOVERS[combination](seen, FINDERS[combination](query(image), image)))
    return min(guesses, key=probing.measure_roughness), query.count + values - len(guesses)


def _attack_with_fixed_summary(
    oracle: contract.Oracle, summary: _Summary, small: AnyArray, text: str
) -> contract.Finding:
    """Attack the scheme while the summary stays that of the picture.

    The attacker does so for each value; the right one is run.
    """
    value = summary.of(small)

    def query_fitted(image: AnyArray) -> AnyArray:
        return oracle(summary.fit(image, value))

    def solve_map() -> contract.Finding:
        seen = contract.query(oracle, small)
        behind = differential_attack(query_fitted, small.shape, dtype=small.dtype)
        return probing.judge(seen, behind.restore(seen), small, queries=behind.queries, text=text)

    def solve_span() -> contract.Finding:
        return combine_by_xor(
            oracle, small, lambda x, like: summary.fit(x, summary.of(like)), text=text
        )

    findings = []
    for work in (solve_map, lambda: codebook_attack(query_fitted, small), solve_span):
        try:
            findings.append(work())
        except SudokucryptError:  # of shapes or units that an attack does not take
            continue
        if findings[-1].outcome is contract.Outcome.BROKEN:
            break
    best = max(findings, key=lambda each: each.recovered)
    return replace(best, queries=best.queries * summary.values(small))
