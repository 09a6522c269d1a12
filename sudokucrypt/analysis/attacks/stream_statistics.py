"""Streams whose values, or whose neighbors, are not as independent as those of a good generator."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.masks import FINDERS, REMOVERS, Combination, list_combinations
from sudokucrypt.typing import AnyArray, FloatArray, IntArray

# Samples of a stream that are learned from, and samples that are guessed: enough for tables of two
# samples of 8 bits, and for a share of a hundredth.
_LEARNED, _GUESSED = 1 << 16, 1 << 11
# How far a sample is from its neighbors: chaotic maps of several variables give them in turns.
_LAGS = (1, 2, 3, 4)
# Results of one picture whose likelihoods are joined.
_RESULTS = 1024
_SAMPLES = 8 * 8
# A bias that shows a sample in that many results is beyond that many deviations by far.
_DEVIATIONS = 20.0
_LEVELS = 256


def guess_from_neighbors(
    images: tuple[AnyArray, AnyArray], results: tuple[AnyArray, AnyArray], orders: list[IntArray]
) -> Iterator[contract.Finding]:
    """Yield how well samples of a stream follow from their neighbors, learned from another stream.

    Of the second image the attacker knows every second sample, or pairs, and so on.
    """
    for order, combination, lag in product(orders, list_combinations(images[0]), _LAGS):
        learned, stream = (
            FINDERS[combination](result.reshape(-1)[order], image.reshape(-1)[order])
            for image, result in zip(images, results, strict=True)
        )
        places = np.arange(3 * lag, len(stream) - 3 * lag)
        places = places[places // lag % 2 == 1][:_GUESSED]
        for name, guess in (
            ("the samples next to it", _guess_by_pairs(learned, stream, places, lag)),
            ("four samples around it", _guess_by_fours(learned, stream, places, lag)),
        ):
            hidden, plain = (each.reshape(-1)[order][places] for each in (results[1], images[1]))
            shown = REMOVERS[combination](hidden, guess)
            text = f"a sample of a stream follows from {name}, {lag} apart"
            yield probing.judge(
                hidden.reshape(1, -1),
                shown.reshape(1, -1),
                plain.reshape(1, -1),
                queries=2,
                text=text,
                generator=text,
            )


def _guess_by_pairs(learned: AnyArray, stream: AnyArray, places: IntArray, lag: int) -> AnyArray:
    """Return the likeliest samples between two others, as pairs were in another stream."""
    pairs = learned[:-lag].astype(np.int64) * _LEVELS + learned[lag:]
    counts = np.bincount(pairs, minlength=_LEVELS**2).reshape(_LEVELS, _LEVELS)
    scores = np.log(counts + 0.5).astype(np.float32)
    both = scores[stream[places - lag]] + scores.T[stream[places + lag]]
    return np.asarray(both.argmax(axis=1).astype(stream.dtype))


def _guess_by_fours(learned: AnyArray, stream: AnyArray, places: IntArray, lag: int) -> AnyArray:
    """Return the samples that four others were around in another stream, 0 where they were not."""

    def find_contexts(values: AnyArray, middles: IntArray) -> IntArray:
        around = [values[middles + step * lag].astype(np.int64) for step in (-3, -1, 1, 3)]
        return np.asarray(sum(part << 8 * index for index, part in enumerate(around)))

    middles = np.arange(3 * lag, len(learned) - 3 * lag)
    known, wanted = find_contexts(learned, middles), find_contexts(stream, places)
    order = np.argsort(known)
    found = order[np.searchsorted(known[order], wanted).clip(max=len(order) - 1)]
    return np.where(known[found] == wanted, learned[middles[found]], 0).astype(stream.dtype)


def guess_from_biases(
    oracle: contract.Oracle, plain: AnyArray, image: AnyArray, result: AnyArray
) -> Iterator[contract.Finding]:
    """Yield the likeliest picture behind many results, where values of a stream are not alike.

    `image` is one of noise, whose result shows how often a sample becomes each other one. Results
    of black show how often that is at each place, where a mask hides it.
    """
    small = probing.shrink_target(oracle, plain, samples=_SAMPLES)
    tables = list(_find_tables(image.reshape(-1), result.reshape(-1)))
    black = _count_results(oracle, np.zeros_like(small))
    masked = not tables and _is_uneven(black)
    if not tables and not masked:
        return
    counts = _count_results(oracle, small)
    scores = [counts @ table.T for table in tables]
    if masked:
        scores += [_score_by_place(np.log(black + 0.5), counts, name) for name in FINDERS]
    for each in scores:
        guess = each.argmax(axis=1).astype(small.dtype).reshape(small.shape)
        text = f"some values of a stream are commoner, so {_RESULTS} results show what is behind"
        yield probing.judge_parts(
            guess, guess, small, queries=2 * _RESULTS, text=text, generator=text
        )


def _count_results(oracle: contract.Oracle, image: AnyArray) -> IntArray:
    """Return how often each sample of an image becomes each level, in many results."""
    results = np.stack(
        [result.reshape(-1) for result in contract.query_all(oracle, [image] * _RESULTS)]
    )
    places = np.arange(image.size) * _LEVELS + results
    counts = np.bincount(places.reshape(-1), minlength=image.size * _LEVELS)
    return counts.reshape(image.size, _LEVELS)


def _score_by_place(black: FloatArray, counts: IntArray, name: Combination) -> FloatArray:
    """Return how likely each level is at each place, by how likely each result of black is."""
    levels = np.arange(_LEVELS, dtype=np.uint8)
    scores = [
        (counts * black[:, FINDERS[name](levels, np.full_like(levels, level))]).sum(axis=1)
        for level in range(_LEVELS)
    ]
    return np.stack(scores, axis=1)


def _find_tables(plain: AnyArray, seen: AnyArray) -> Iterator[FloatArray]:
    """Yield logarithms of how likely each sample becomes each other one, where that differs."""
    levels = np.arange(_LEVELS, dtype=np.uint8)
    for finder in FINDERS.values():
        counts = np.bincount(finder(seen, plain), minlength=_LEVELS)
        if _is_uneven(counts):
            yield np.log(counts + 0.5)[finder(levels, levels[:, None])]
    counts = np.bincount(plain.astype(np.int64) * _LEVELS + seen, minlength=_LEVELS**2)
    # That some results are commoner than others, regardless of the picture, shows nothing of it.
    whole = counts.reshape(_LEVELS, _LEVELS)
    expected = whole.sum(axis=1, keepdims=True) * whole.sum(axis=0) / plain.size
    if _is_uneven(whole, expected):
        yield np.log((whole + 0.5) / (expected + 0.5))


def _is_uneven(counts: IntArray, expected: FloatArray | None = None) -> bool:
    """Return whether counts are far from those expected, by default from equal ones."""
    mean = np.full(counts.shape, counts.mean()) if expected is None else expected
    there = mean > 0
    surplus = float(((counts - mean)[there] ** 2 / mean[there]).sum()) - counts.size
    return surplus > _DEVIATIONS * float(np.sqrt(2 * counts.size))


def take_first(orders: list[IntArray]) -> list[IntArray]:
    """Return orders of as many samples as are learned from."""
    return [order[:_LEARNED] for order in orders]
