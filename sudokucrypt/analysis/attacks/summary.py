"""Attack streams and maps that depend on the image only by a summary, such as its sum."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.affine import combine_by_xor
from sudokucrypt.analysis.attacks.codebook import codebook_attack
from sudokucrypt.analysis.attacks.differential import differential_attack
from sudokucrypt.analysis.attacks.masks import (
    STREAM_FINDERS,
    STREAM_REMOVERS,
    Combination,
    list_combinations,
)
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray

# At most this many samples, since each value of a summary takes one or more queries.
_MAX_SAMPLES = 32 * 32
# At most this many values of a summary are tried. For summaries with more values, such as the
# whole sum, only the right value is queried, and the queries that an attacker needs for the other
# values are added to the count.
_MAX_TRIED_VALUES = 256
# A summary counts as shared if it increases the agreement of results by at least this share.
_MIN_AGREEMENT_INCREASE = 0.1
# The maximum number of detected summaries that are used.
_MAX_TRIED_SUMMARIES = 3

_SetValue = Callable[[AnyArray, int], AnyArray]


def _make_setter(*positions: float) -> _SetValue:
    """Return a function that sets the samples at these positions, 0..1, to the bytes of a value."""

    def set_value(image: AnyArray, value: int) -> AnyArray:
        fitted_image = image.copy()
        for index, position in enumerate(positions):
            fitted_image.reshape(-1)[_find_sample_index(image, position)] = value >> 8 * index & 255
        return fitted_image

    return set_value


def _find_sample_index(image: AnyArray, position: float) -> int:
    return round(position * (image.size - 1))


def _set_sum_mod_256(image: AnyArray, value: int) -> AnyArray:
    fitted_image = image.copy()
    fitted_image.reshape(-1)[_choose_changed_index(image) + 1] += np.array(
        value - int(image.sum(dtype=np.int64)) & 255, image.dtype
    )
    return fitted_image


def _set_exclusive_or(image: AnyArray, value: int) -> AnyArray:
    fitted_image = image.copy()
    fitted_image.reshape(-1)[_choose_changed_index(image) + 1] ^= (
        np.bitwise_xor.reduce(image, axis=None) ^ value
    )
    return fitted_image


def _set_whole_sum(image: AnyArray, value: int) -> AnyArray:
    """Change samples in a fixed order until the sum of the image is `value`."""
    fitted_samples = image.astype(np.int64).reshape(-1)
    missing_sum = value - int(fitted_samples.sum())
    for index in probing.make_generator(12).permutation(fitted_samples.size):
        if missing_sum == 0:
            break
        new_level = min(max(int(fitted_samples[index]) + missing_sum, 0), 255)
        missing_sum -= new_level - int(fitted_samples[index])
        fitted_samples[index] = new_level
    return fitted_samples.astype(image.dtype).reshape(image.shape)


def _set_mean(image: AnyArray, value: int) -> AnyArray:
    return _set_whole_sum(image, value * image.size + image.size // 2)


def _choose_changed_index(image: AnyArray) -> int:
    """Return the index of a sample that may be changed because no summary consists of it."""
    return image.size // 3


@dataclass(frozen=True)
class _SummaryFunctions:
    """Functions that set the value of a summary in an image, compute it, and count the values."""

    set_value: _SetValue
    compute_value: Callable[[AnyArray], int]
    count_values: Callable[[AnyArray], int] = lambda _: 256


def _sum_samples(image: AnyArray) -> int:
    return int(image.sum(dtype=np.int64))


_SUMMARIES: dict[str, _SummaryFunctions] = {
    "the first sample": _SummaryFunctions(_make_setter(0), lambda x: int(x.flat[0])),
    "the last sample": _SummaryFunctions(_make_setter(1), lambda x: int(x.flat[-1])),
    "the middle sample": _SummaryFunctions(
        _make_setter(0.5), lambda x: int(x.flat[_find_sample_index(x, 0.5)])
    ),
    "the first and the last sample": _SummaryFunctions(
        _make_setter(0, 1), lambda x: int(x.flat[0]) | int(x.flat[-1]) << 8, lambda _: 1 << 16
    ),
    "the sum modulo 256": _SummaryFunctions(_set_sum_mod_256, lambda x: _sum_samples(x) % 256),
    "the exclusive-or of all samples": _SummaryFunctions(
        _set_exclusive_or, lambda x: int(np.bitwise_xor.reduce(x, axis=None))
    ),
    "the mean": _SummaryFunctions(_set_mean, lambda x: int(x.mean())),
    "the sum": _SummaryFunctions(_set_whole_sum, _sum_samples, lambda x: 255 * x.size + 1),
}


def _compare_streams(
    query: probing.Queries, set_value: _SetValue, value: int, first: AnyArray, second: AnyArray
) -> Iterator[tuple[float, Combination | None]]:
    """Yield shares of equal samples for images of equal summary: in streams, then in results."""
    first_image, second_image = (set_value(image, value) for image in (first, second))
    first_result, second_result = query(first_image), query(second_image)
    for combination in list_combinations(first):
        find_stream = STREAM_FINDERS[combination]
        yield (
            float(
                np.mean(
                    find_stream(first_result, first_image)
                    == find_stream(second_result, second_image)
                )
            ),
            combination,
        )
    # If map and stream are the same, a few changed samples leave most of a result equal. One
    # changed sample shows this even with a chain, but a mean changes only if many samples do.
    changed_index, bright_level = _choose_changed_index(first), first.dtype.type(192)
    for count in (1, first.size // 16):
        similar_image = first_image.copy()
        changed_samples = similar_image.reshape(-1)[changed_index : changed_index + count]
        changed_samples[:] = changed_samples ^ 90 if count == 1 else changed_samples | bright_level
        yield float(np.mean(query(set_value(similar_image, value)) == first_result)), None


def _mask_by_sum(image: AnyArray) -> AnyArray:
    seed = 100 + int(image.sum(dtype=np.int64)) % 256
    return image ^ probing.draw_noise(probing.make_generator(seed), image)


@contract.attack(
    name="summary",
    threat="chosen",
    title="Shared summary",
    control=lambda: contract.Target(name="a stream keyed by the sum", oracle=_mask_by_sum),
    details={"summary": "the summary that determines stream or map, or null"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Fix the sum, the mean or a sample that a key stream depends on.

    Needs: images of the attacker's choice, of each of 256 values of a summary

    Many schemes make the key stream depend on a sum or a sample of the picture, to prevent attacks
    with chosen images. Images with the same value share the stream. There are 256 streams: the
    attacker obtains all of them and chooses the smoothest picture, or recovers map and mask for
    each value.
    """
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_SAMPLES)
    query, generator = probing.Queries(target.oracle), probing.make_generator()
    target_result = query(small_picture)
    if not probing.is_repeatable(query, picture):
        text = "equal images give different results"
        return probing.report_nothing(
            target_result, small_picture, queries=query.count, text=text, summary=None
        )
    first, second = (probing.draw_noise(generator, small_picture) for _ in range(2))
    unrelated_agreements = list(_compare_streams(query, lambda image, _: image, 0, first, second))
    summaries = dict(_SUMMARIES) if small_picture.dtype == np.uint8 else {}
    agreements: list[tuple[float, str, Combination | None]] = []
    for name, summary in summaries.items():
        value = summary.compute_value(first)
        shares = _compare_streams(query, summary.set_value, value, first, second)
        for (share, combination), (usual_share, _) in zip(
            shares, unrelated_agreements, strict=True
        ):
            agreements.append((share - usual_share, name, combination))
    agreements = [each for each in agreements if each[0] >= _MIN_AGREEMENT_INCREASE]
    # Shared streams are preferred, since images that share a sum modulo 256 may share the sum too.
    agreements.sort(key=lambda each: (round(each[0], 1), each[2] is not None), reverse=True)
    best_finding = probing.report_nothing(
        target_result,
        small_picture,
        queries=query.count,
        text="results of images with the same summary do not agree more than others",
        summary=None,
    )
    tried_names: list[str] = []
    for _, name, combination in agreements:
        if (
            name in tried_names
            or len(tried_names) == _MAX_TRIED_SUMMARIES
            or best_finding.outcome is contract.Outcome.BROKEN
        ):
            continue
        tried_names.append(name)
        text = f"images that share {name} share the secret stream or map"
        if combination is None:
            result = _attack_with_fixed_summary(target.oracle, summaries[name], small_picture, text)
            result = replace(result, queries=query.count + result.queries)
        else:
            guess, queries = _restore_smoothest_picture(
                query, summaries[name], combination, first, target_result, small_picture
            )
            result = probing.judge_guess(
                target_result, guess, small_picture, queries=queries, text=text
            )
        best_finding = max(best_finding, result, key=lambda each: each.recovered)
        best_finding = replace(best_finding, details={"summary": name})
    if tried_names and best_finding.outcome is contract.Outcome.NOTHING:
        # The shared part of the results may show nothing but the summary itself.
        text = (
            f"images that share {' or '.join(tried_names)} share more of their results, but this "
        )
        best_finding = replace(best_finding, text=f"{text}reveals no picture")
    return best_finding


def _restore_smoothest_picture(
    query: probing.Queries,
    summary: _SummaryFunctions,
    combination: Combination,
    noise: AnyArray,
    scrambled: AnyArray,
    small_picture: AnyArray,
) -> tuple[AnyArray, int]:
    """Return the smoothest picture among those that the streams give, and the number of queries."""
    guesses, count = [], summary.count_values(small_picture)
    # If there are many values, the attacker would try each; only the right one is run here.
    for value in (
        range(count) if count <= _MAX_TRIED_VALUES else [summary.compute_value(small_picture)]
    ):
        image = summary.set_value(noise, value)
        guesses.append(
            STREAM_REMOVERS[combination](
                scrambled, STREAM_FINDERS[combination](query(image), image)
            )
        )
    return min(guesses, key=probing.measure_roughness), query.count + count - len(guesses)


def _attack_with_fixed_summary(
    oracle: contract.Oracle, summary: _SummaryFunctions, small_picture: AnyArray, text: str
) -> contract.Finding:
    """Attack the scheme with images that have the summary of the picture.

    The attacker would do so for each value; only the right value is run here.
    """
    value = summary.compute_value(small_picture)

    def query_fitted_image(image: AnyArray) -> AnyArray:
        return oracle(summary.set_value(image, value))

    def solve_map() -> contract.Finding:
        target_result = contract.query(oracle, small_picture)
        map_finding = differential_attack(
            query_fitted_image, small_picture.shape, dtype=small_picture.dtype
        )
        return probing.judge_guess(
            target_result,
            map_finding.restore(target_result),
            small_picture,
            queries=map_finding.queries,
            text=text,
        )

    def solve_span() -> contract.Finding:
        return combine_by_xor(
            oracle,
            small_picture,
            lambda image, picture: summary.set_value(image, summary.compute_value(picture)),
            text=text,
        )

    findings = []
    for solve in (
        solve_map,
        lambda: codebook_attack(query_fitted_image, small_picture),
        solve_span,
    ):
        try:
            findings.append(solve())
        except SudokucryptError:  # an attack may refuse the shape or the unit
            continue
        if findings[-1].outcome is contract.Outcome.BROKEN:
            break
    best_finding = max(findings, key=lambda each: each.recovered)
    return replace(best_finding, queries=best_finding.queries * summary.count_values(small_picture))
