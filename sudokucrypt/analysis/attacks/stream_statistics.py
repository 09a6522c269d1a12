"""Guess samples of streams whose values are biased or depend on their neighbors."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.masks import (
    STREAM_FINDERS,
    STREAM_REMOVERS,
    Combination,
    list_combinations,
)
from sudokucrypt.typing import AnyArray, FloatArray, IntArray

# The number of samples of a stream to learn from, enough for tables of two samples of 8 bits, and
# the number of samples to guess, enough to detect a recovered share of a hundredth.
_TRAINING_SAMPLE_COUNT, _GUESSED_SAMPLE_COUNT = 1 << 16, 1 << 11
# Distances between samples that count as neighbors, since chaotic maps output the values of
# several variables in turn.
_LAGS = (1, 2, 3, 4)
# The number of results of one picture whose likelihoods are combined.
_RESULT_COUNT = 1024
_MAX_SAMPLES = 8 * 8
# The least bias, in standard deviations. A bias that reveals samples in `_RESULT_COUNT` results is
# far larger.
_MIN_BIAS_DEVIATIONS = 20.0
_LEVEL_COUNT = 256


def guess_from_neighbors(
    images: tuple[AnyArray, AnyArray], results: tuple[AnyArray, AnyArray], orders: list[IntArray]
) -> Iterator[contract.Finding]:
    """Yield a finding for each way to predict samples of a stream from their neighbors.

    Of the second image, the attacker knows every second sample, or alternate groups of `lag`.
    """
    for order, combination, lag in product(orders, list_combinations(images[0]), _LAGS):
        training_stream, stream = (
            STREAM_FINDERS[combination](result.reshape(-1)[order], image.reshape(-1)[order])
            for image, result in zip(images, results, strict=True)
        )
        positions = np.arange(3 * lag, len(stream) - 3 * lag)
        positions = positions[positions // lag % 2 == 1][:_GUESSED_SAMPLE_COUNT]
        for name, guess in (
            (
                "the samples next to it",
                _guess_from_two_neighbors(training_stream, stream, positions, lag),
            ),
            (
                "four samples around it",
                _guess_from_four_neighbors(training_stream, stream, positions, lag),
            ),
        ):
            scrambled_samples, plain = (
                each.reshape(-1)[order][positions] for each in (results[1], images[1])
            )
            restored_samples = STREAM_REMOVERS[combination](scrambled_samples, guess)
            text = f"a sample of a stream follows from {name}, {lag} apart"
            yield probing.judge_guess(
                scrambled_samples.reshape(1, -1),
                restored_samples.reshape(1, -1),
                plain.reshape(1, -1),
                queries=2,
                text=text,
                generator=text,
            )


def _guess_from_two_neighbors(
    training_stream: AnyArray, stream: AnyArray, positions: IntArray, lag: int
) -> AnyArray:
    """Return the most frequent sample between each two known neighbors, learned from a stream."""
    pairs = training_stream[:-lag].astype(np.int64) * _LEVEL_COUNT + training_stream[lag:]
    counts = np.bincount(pairs, minlength=_LEVEL_COUNT**2).reshape(_LEVEL_COUNT, _LEVEL_COUNT)
    scores = np.log(counts + 0.5).astype(np.float32)
    pair_scores = scores[stream[positions - lag]] + scores.T[stream[positions + lag]]
    return np.asarray(pair_scores.argmax(axis=1).astype(stream.dtype))


def _guess_from_four_neighbors(
    training_stream: AnyArray, stream: AnyArray, positions: IntArray, lag: int
) -> AnyArray:
    """Return the samples with the same four neighbors in another stream, or 0 if there are none."""

    def encode_contexts(values: AnyArray, middle_positions: IntArray) -> IntArray:
        neighbors = [
            values[middle_positions + step * lag].astype(np.int64) for step in (-3, -1, 1, 3)
        ]
        return np.asarray(sum(neighbor << 8 * index for index, neighbor in enumerate(neighbors)))

    middle_positions = np.arange(3 * lag, len(training_stream) - 3 * lag)
    training_contexts, guessed_contexts = (
        encode_contexts(training_stream, middle_positions),
        encode_contexts(stream, positions),
    )
    order = np.argsort(training_contexts)
    matches = order[
        np.searchsorted(training_contexts[order], guessed_contexts).clip(max=len(order) - 1)
    ]
    return np.where(
        training_contexts[matches] == guessed_contexts,
        training_stream[middle_positions[matches]],
        0,
    ).astype(stream.dtype)


def guess_from_biases(
    oracle: contract.Oracle, picture: AnyArray, image: AnyArray, result: AnyArray
) -> Iterator[contract.Finding]:
    """Yield findings about the likeliest picture, given many results, if stream values are biased.

    `image` is noise, whose `result` shows how often a sample becomes each other value. If a fixed
    mask hides this, results of a black image show it for each position.
    """
    small_picture = probing.shrink_picture(oracle, picture, max_samples=_MAX_SAMPLES)
    tables = list(_find_likelihood_tables(image.reshape(-1), result.reshape(-1)))
    black_counts = _count_result_levels(oracle, np.zeros_like(small_picture))
    is_masked = not tables and _is_uneven(black_counts)
    if not tables and not is_masked:
        return
    counts = _count_result_levels(oracle, small_picture)
    scores = [counts @ table.T for table in tables]
    if is_masked:
        scores += [
            _score_levels_by_position(np.log(black_counts + 0.5), counts, name)
            for name in STREAM_FINDERS
        ]
    for table_scores in scores:
        guess = table_scores.argmax(axis=1).astype(small_picture.dtype).reshape(small_picture.shape)
        text = f"some values of a stream are commoner, so {_RESULT_COUNT} results show the picture"
        yield probing.judge_guess_parts(
            guess, guess, small_picture, queries=2 * _RESULT_COUNT, text=text, generator=text
        )


def _count_result_levels(oracle: contract.Oracle, image: AnyArray) -> IntArray:
    """Count how often each sample of an image becomes each level, in many results."""
    results = np.stack(
        [result.reshape(-1) for result in contract.query_all(oracle, [image] * _RESULT_COUNT)]
    )
    cells = np.arange(image.size) * _LEVEL_COUNT + results
    counts = np.bincount(cells.reshape(-1), minlength=image.size * _LEVEL_COUNT)
    return counts.reshape(image.size, _LEVEL_COUNT)


def _score_levels_by_position(
    black_scores: FloatArray, counts: IntArray, combination: Combination
) -> FloatArray:
    """Return the likelihood of each level at each position, from results of a black image."""
    levels = np.arange(_LEVEL_COUNT, dtype=np.uint8)
    scores = [
        (
            counts
            * black_scores[:, STREAM_FINDERS[combination](levels, np.full_like(levels, level))]
        ).sum(axis=1)
        for level in range(_LEVEL_COUNT)
    ]
    return np.stack(scores, axis=1)


def _find_likelihood_tables(plain: AnyArray, result: AnyArray) -> Iterator[FloatArray]:
    """Yield tables of the log-likelihood that a level becomes another, if counts are uneven."""
    levels = np.arange(_LEVEL_COUNT, dtype=np.uint8)
    for find_stream in STREAM_FINDERS.values():
        counts = np.bincount(find_stream(result, plain), minlength=_LEVEL_COUNT)
        if _is_uneven(counts):
            yield np.log(counts + 0.5)[find_stream(levels, levels[:, None])]
    counts = np.bincount(plain.astype(np.int64) * _LEVEL_COUNT + result, minlength=_LEVEL_COUNT**2)
    # Levels that are common in all results say nothing about the picture, so they are divided out.
    table = counts.reshape(_LEVEL_COUNT, _LEVEL_COUNT)
    expected_counts = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / plain.size
    if _is_uneven(table, expected_counts):
        yield np.log((table + 0.5) / (expected_counts + 0.5))


def _is_uneven(counts: IntArray, expected_counts: FloatArray | None = None) -> bool:
    """Return whether counts deviate far from the expected ones, by default from equal counts."""
    means = np.full(counts.shape, counts.mean()) if expected_counts is None else expected_counts
    is_possible = means > 0
    surplus = float(((counts - means)[is_possible] ** 2 / means[is_possible]).sum()) - counts.size
    return surplus > _MIN_BIAS_DEVIATIONS * float(np.sqrt(2 * counts.size))


def cut_orders(orders: list[IntArray]) -> list[IntArray]:
    """Return scan orders, cut to the number of samples to learn from."""
    return [order[:_TRAINING_SAMPLE_COUNT] for order in orders]
