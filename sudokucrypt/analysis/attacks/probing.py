"""Helpers of attacks with many queries: counting, small pictures, and scoring."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sudokucrypt.analysis.attacks.contract import (
    Finding,
    Oracle,
    Outcome,
    judge_share,
    query,
)
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.typing import AnyArray

# Powers of two, which block schemes and square maps take.
_SIDES = (64, 32, 16, 8)
# Four blocks stay where they are in one of 24 moves, and in all of these less than once in 10^8.
_PASSES = 6
# From this share of one level on, a guess of that level would pass for a recovered picture.
_FLAT = 0.5


class Queries:
    """A scheme under one key that counts the images it is asked for."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle, self.count = oracle, 0

    def __call__(self, image: AnyArray) -> AnyArray:
        """Return the result for an image, and count it."""
        self.count += 1
        return query(self._oracle, image)


def make_generator(seed: int = 0) -> np.random.Generator:
    """Return the random numbers of an attack, the same ones for a seed."""
    return np.random.Generator(np.random.PCG64(seed))


def draw_noise(random: np.random.Generator, like: AnyArray) -> AnyArray:
    """Return an image of uniform samples, of the shape and dtype of another."""
    top = np.iinfo(like.dtype).max + 1 if like.dtype != np.bool_ else 2
    return random.integers(0, top, like.shape).astype(like.dtype)


def count_bits(image: AnyArray) -> int:
    """Return how many bits a sample has: 1, 8 or 16."""
    return 1 if image.dtype == np.bool_ else 8 * image.itemsize


def shrink_target(
    oracle: Oracle, picture: AnyArray, *, samples: int, flat: float = _FLAT
) -> AnyArray:
    """Return the picture, or one made smaller, of `samples` samples at most.

    Where the scheme takes no smaller one, four times as many will do. A picture of hardly more than
    one level is replaced by noise, of which no guess is right by chance: from a share of `flat` of
    the samples on. Raises what the scheme raised, if it takes none of these pictures.
    """
    refusal: Exception | None = None
    moved = not _passes_noise(oracle, picture)
    for image in _iterate_reductions(picture, samples):
        try:
            # Of one large block that moves as a whole nothing can be learnt.
            if _passes_noise(oracle, image) and moved:
                continue
        except Exception as error:  # somebody's scheme may raise whatever it likes
            refusal = error
            continue
        share = np.unique(image, return_counts=True)[1].max() / image.size
        return draw_noise(make_generator(1), image) if share > flat else image
    raise refusal or UnsupportedError("the picture is too large for this attack")


def _passes_noise(oracle: Oracle, like: AnyArray) -> bool:
    """Return whether noise comes out as it was, each time: few blocks may stay once by chance."""
    image = draw_noise(make_generator(1), like)
    return all(np.array_equal(query(oracle, image), image) for _ in range(_PASSES))


def is_repeatable(queries: "Queries", picture: AnyArray) -> bool:
    """Return whether a picture has one result, so that what was learnt holds for the next image."""
    return np.array_equal(queries(picture), queries(picture))


def _iterate_reductions(picture: AnyArray, samples: int) -> Iterator[AnyArray]:
    """Yield square pictures, the largest first, then a larger one, and last the whole picture."""
    shortest, channels = min(picture.shape[:2]), picture[0, 0].size
    sides = [side for side in _SIDES if side <= shortest]
    small = [side for side in sides if side**2 * channels <= samples]
    large = [side for side in sides if samples < side**2 * channels <= 4 * samples]
    for side in small + large:
        step = shortest // side
        # Every n-th sample: a mean would have fewer levels than the picture.
        yield np.ascontiguousarray(picture[::step, ::step][:side, :side])
    if picture.size <= 4 * samples:
        yield picture


def judge(
    seen: AnyArray, guess: AnyArray, plain: AnyArray, *, queries: int, text: str, **details: object
) -> Finding:
    """Return how much of the plain picture was recovered.

    `text` says how it was recovered; the share of right samples is joined to it.
    """
    right = float(np.mean(guess == plain))
    levels = 1 << count_bits(plain)
    counts = [
        np.bincount(each.reshape(-1), minlength=levels) / each.size for each in (guess, plain)
    ]
    chance = float(np.dot(*counts))
    outcome = judge_share(right, chance=chance, trials=plain.size)
    size = " x ".join(map(str, plain.shape))
    words = f"{text}: {right:.4f} of the samples of a picture of {size} came back"
    return Finding(
        outcome=outcome,
        text=f"{words} (by chance {chance:.4f})",
        queries=queries,
        recovered=right,
        seen=seen,
        picture=guess,
        plain=plain,
        details=details,
    )


def judge_parts(
    seen: AnyArray, guess: AnyArray, plain: AnyArray, *, queries: int, text: str, **details: object
) -> Finding:
    """Do as `judge`, and if whole samples do not show, for the high or the low half of the bits."""
    half = count_bits(plain) // 2
    parts = [("", plain, guess)]
    if half:
        parts += [
            ("the high bits of ", plain >> half, guess >> half),
            ("the low bits of ", plain & (1 << half) - 1, guess & (1 << half) - 1),
        ]
    for part, true, found in parts:
        finding = judge(seen, found, true, queries=queries, text=text, **details)
        if finding.outcome is not Outcome.NOTHING:
            text = f"{text}: {part}{finding.recovered:.4f} of the samples came back"
            return replace(finding, text=text, picture=guess, plain=plain)
    return finding


def report_nothing(
    seen: AnyArray, plain: AnyArray, *, queries: int, text: str, **details: object
) -> Finding:
    """Return that an attack has found nothing, and why."""
    return Finding(
        outcome=Outcome.NOTHING,
        text=text,
        queries=queries,
        recovered=0.0,
        seen=seen,
        picture=seen,
        plain=plain,
        details=details,
    )


def correlate(first: AnyArray, second: AnyArray) -> float:
    """Return the correlation of two arrays of one shape, 0 where one of them is constant."""
    x, y = (each.astype(float).reshape(-1) for each in (first, second))
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale else 0.0


def measure_roughness(image: AnyArray) -> float:
    """Return how much neighbors differ on average: little in pictures, much in noise."""
    wide = image.astype(np.int64)
    return sum(float(np.abs(np.diff(wide, axis=axis)).mean()) for axis in (0, 1))
