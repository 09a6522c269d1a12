"""Help attacks with many queries: count queries, shrink pictures, and score reconstructions."""

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

# Sides of shrunk pictures. They are powers of two, so that schemes that need blocks or squares
# accept them.
_SHRUNK_SIDES = (64, 32, 16, 8, 4)
# The number of results that are compared. If four blocks are shuffled, all of them stay in place
# in one of 24 random results, but in six results less often than once in 10^8.
_COMPARED_RESULT_COUNT = 6
# Above this share of one level, a constant guess would look like a recovered picture.
_MAX_LEVEL_SHARE = 0.5


class Queries:
    """A scheme under one key that counts its queries."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle, self.count = oracle, 0

    def __call__(self, image: AnyArray) -> AnyArray:
        """Return the result for an image, and count the query."""
        self.count += 1
        return query(self._oracle, image)


def make_generator(seed: int = 0) -> np.random.Generator:
    """Return the random generator of an attack, which depends only on the seed."""
    return np.random.Generator(np.random.PCG64(seed))


def draw_noise(generator: np.random.Generator, template: AnyArray) -> AnyArray:
    """Return an image of uniform random samples with the shape and dtype of another image."""
    level_bound = np.iinfo(template.dtype).max + 1 if template.dtype != np.bool_ else 2
    return generator.integers(0, level_bound, template.shape).astype(template.dtype)


def count_bits(image: AnyArray) -> int:
    """Return the number of bits of a sample: 1, 8 or 16."""
    return 1 if image.dtype == np.bool_ else 8 * image.itemsize


def shrink_picture(
    oracle: Oracle,
    picture: AnyArray,
    *,
    max_samples: int,
    smallest_side: int = 8,
    max_level_share: float = _MAX_LEVEL_SHARE,
) -> AnyArray:
    """Return the picture, shrunk to at most `max_samples` samples.

    If the scheme takes no such picture, up to four times as many samples are allowed. A picture in
    which more than a share of `max_level_share` of the samples have one level is replaced by noise,
    since guesses would be right by chance. If the scheme takes none of these pictures, its error is
    raised.
    """
    refusal: Exception | None = None
    changes_noise = not _leaves_noise_unchanged(oracle, picture)
    for image in _iterate_shrunk_pictures(picture, max_samples, smallest_side):
        try:
            # A picture of one block that moves as a whole shows nothing about the scheme.
            if _leaves_noise_unchanged(oracle, image) and changes_noise:
                continue
        except Exception as error:  # a scheme from another package may raise any error
            refusal = error
            continue
        largest_level_share = np.unique(image, return_counts=True)[1].max() / image.size
        return (
            draw_noise(make_generator(1), image) if largest_level_share > max_level_share else image
        )
    raise refusal or UnsupportedError("the picture is too large for this attack")


def _leaves_noise_unchanged(oracle: Oracle, template: AnyArray) -> bool:
    """Return whether noise is unchanged in several results; in one, blocks may stay by chance."""
    image = draw_noise(make_generator(1), template)
    return all(np.array_equal(query(oracle, image), image) for _ in range(_COMPARED_RESULT_COUNT))


def is_repeatable(queries: "Queries", picture: AnyArray) -> bool:
    """Return whether a picture always has the same result."""
    return np.array_equal(queries(picture), queries(picture))


def _iterate_shrunk_pictures(
    picture: AnyArray, max_samples: int, smallest_side: int
) -> Iterator[AnyArray]:
    """Yield shrunk pictures of up to `max_samples`, then larger ones, then the whole picture."""
    shorter_side, samples_per_pixel = min(picture.shape[:2]), picture[0, 0].size
    sides = [side for side in _SHRUNK_SIDES if smallest_side <= side <= shorter_side]
    small_sides = [side for side in sides if side**2 * samples_per_pixel <= max_samples]
    large_sides = [
        side for side in sides if max_samples < side**2 * samples_per_pixel <= 4 * max_samples
    ]
    for side in small_sides + large_sides:
        step = shorter_side // side
        # The picture keeps every n-th pixel, since means would have levels that the picture lacks.
        yield np.ascontiguousarray(picture[::step, ::step][:side, :side])
    if picture.size <= 4 * max_samples:
        yield picture


def judge_guess(
    target_result: AnyArray,
    guess: AnyArray,
    plain: AnyArray,
    *,
    queries: int,
    text: str,
    **details: object,
) -> Finding:
    """Return the finding of an attack from the share of right samples in its guess.

    `text` says how the guess was made; the share is appended to it.
    """
    recovered_share = float(np.mean(guess == plain))
    levels = 1 << count_bits(plain)
    level_shares = [
        np.bincount(each.reshape(-1), minlength=levels) / each.size for each in (guess, plain)
    ]
    chance_share = float(np.dot(*level_shares))
    outcome = judge_share(recovered_share, chance=chance_share, trials=plain.size)
    size = " x ".join(map(str, plain.shape))
    text_with_share = (
        f"{text}: {recovered_share:.4f} of the samples of a picture of {size} were restored"
    )
    return Finding(
        outcome=outcome,
        text=f"{text_with_share} (by chance {chance_share:.4f})",
        queries=queries,
        recovered=recovered_share,
        seen=target_result,
        picture=guess,
        plain=plain,
        details=details,
    )


def judge_guess_parts(
    target_result: AnyArray,
    guess: AnyArray,
    plain: AnyArray,
    *,
    queries: int,
    text: str,
    **details: object,
) -> Finding:
    """Judge a guess like `judge_guess`; if whole samples are wrong, judge its high or low bits."""
    half_bits = count_bits(plain) // 2
    sample_parts = [("", plain, guess)]
    if half_bits:
        sample_parts += [
            ("the high bits of ", plain >> half_bits, guess >> half_bits),
            ("the low bits of ", plain & (1 << half_bits) - 1, guess & (1 << half_bits) - 1),
        ]
    for part_text, true_part, guessed_part in sample_parts:
        finding = judge_guess(
            target_result, guessed_part, true_part, queries=queries, text=text, **details
        )
        if finding.outcome is not Outcome.NOTHING:
            text = f"{text}: {part_text}{finding.recovered:.4f} of the samples were restored"
            return replace(finding, text=text, picture=guess, plain=plain)
    return finding


def report_nothing(
    target_result: AnyArray, plain: AnyArray, *, queries: int, text: str, **details: object
) -> Finding:
    """Return the finding of an attack that found nothing; `text` is the reason."""
    return Finding(
        outcome=Outcome.NOTHING,
        text=text,
        queries=queries,
        recovered=0.0,
        seen=target_result,
        picture=target_result,
        plain=plain,
        details=details,
    )


def correlate_arrays(first: AnyArray, second: AnyArray) -> float:
    """Return the correlation of two arrays of one shape, or 0 if one of them is constant."""
    first_values, second_values = (each.astype(float).reshape(-1) for each in (first, second))
    first_values, second_values = (
        first_values - first_values.mean(),
        second_values - second_values.mean(),
    )
    norm_product = float(np.sqrt((first_values @ first_values) * (second_values @ second_values)))
    return float(first_values @ second_values) / norm_product if norm_product else 0.0


def measure_roughness(image: AnyArray) -> float:
    """Return the mean difference of neighboring samples: small in pictures, large in noise."""
    signed_image = image.astype(np.int64)
    return sum(float(np.abs(np.diff(signed_image, axis=axis)).mean()) for axis in (0, 1))
