"""Schemes that are linear over the reals: transforms of signals, and compressive sensing."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.typing import AnyArray

# Two images for each unknown, and least squares of that size.
_UNKNOWNS = 256
# Steps of the images that measure a column, around a middle gray: large, as results are rounded.
_STEP = 0.35
# From this share of the movement on that follows from two others, columns are measured.
_LINEAR = 0.5
_SEEN = 0.5
_DEVIATIONS = 6.0


def _center_values(difference: NDArray[np.float64], levels: int) -> NDArray[np.float64]:
    return (difference + levels / 2) % levels - levels / 2


def _measure_linearity(query: probing.Queries, like: AnyArray, levels: int) -> float:
    """Return how much of a result's movement is the sum of the movements of two others, 0..1."""
    random = probing.make_generator()
    base = random.uniform(0.375, 0.625, like.shape) * levels
    first, second = (random.uniform(-0.15, 0.15, like.shape) * levels for _ in range(2))
    images = [np.rint(each) for each in (base, base + first, base + second)]
    # Exactly the sum of the rounded ones, so that rounding does not count against the scheme.
    images.append(images[1] + images[2] - images[0])
    seen = [query(each.astype(like.dtype)).astype(float) for each in images]
    left = _center_values(seen[1] + seen[2] - seen[0] - seen[3], levels).var()
    moved = _center_values(seen[3] - seen[0], levels).var()
    return max(0.0, 1 - float(left / moved)) if moved else 0.0


@lru_cache(maxsize=4)
def _draw_rotation(side: int) -> NDArray[np.float64]:
    """Return a random orthogonal matrix."""
    return np.linalg.qr(probing.make_generator(4).normal(size=(side, side)))[0]


def _rotate(image: AnyArray) -> AnyArray:
    """Transform rows and columns by orthogonal matrices, at half of the contrast."""
    rotated = (image - 128.0) / 2
    for axis in (0, 1):
        rotated = np.moveaxis(
            np.tensordot(_draw_rotation(image.shape[axis]), rotated, (1, axis)), 0, axis
        )
    return np.clip(np.rint(rotated + 128), 0, 255).astype(image.dtype)


@contract.attack(
    name="superposition",
    title="Superposition",
    control=lambda: contract.Target(name="an orthogonal transform", oracle=_rotate),
    details={"linearity": "how much of the movement of a result follows from two others, 0..1"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Solve for the picture as linear equations over real numbers.

    Needs: two images of the attacker's choice for each sample of a small picture

    The attacker tests whether the result moves by the sum of two movements if the image does.
    If so, two images a sample measure how results depend on it, and least squares give the
    picture; the figure is the correlation with it.
    """
    small = probing.shrink_target(target.oracle, plain, samples=_UNKNOWNS)
    query, levels = probing.Queries(target.oracle), 1 << probing.count_bits(plain)
    seen, share = query(small), 0.0
    if levels > 2:
        share = _measure_linearity(query, plain, levels)
    if share < _LINEAR:
        text = f"{share:.4f} of a movement follows from two others"
        return probing.report_nothing(seen, small, queries=query.count, text=text, linearity=share)
    middle = np.full(small.size, levels // 2)
    base = query(middle.astype(small.dtype).reshape(small.shape)).reshape(-1).astype(float)
    columns = []
    for index in range(small.size):
        column = np.zeros(small.size)
        for step in (int(_STEP * levels), -int(_STEP * levels)):
            image = middle.copy()
            image[index] += step
            result = query(image.astype(small.dtype).reshape(small.shape)).reshape(-1)
            column += _center_values(result - base, levels) / step / 2
        columns.append(column)
    right = _center_values(seen.reshape(-1) - base, levels)
    # Directions that rounding swamps would be filled with noise.
    solution = np.linalg.lstsq(np.stack(columns, axis=1), right, rcond=1e-3)[0] + levels // 2
    guess = np.clip(np.rint(solution), 0, levels - 1).astype(small.dtype).reshape(small.shape)
    alike = probing.correlate(guess, small)
    outcome = contract.Outcome.NOTHING
    if alike > _DEVIATIONS / np.sqrt(small.size):
        outcome = contract.Outcome.BROKEN if alike >= _SEEN else contract.Outcome.LEAKS
    text = f"{share:.4f} of a movement follows from two others; the picture comes back with a "
    text += f"correlation of {alike:.4f}"
    return contract.Finding(
        outcome=outcome,
        text=text,
        queries=query.count,
        recovered=max(0.0, alike),
        seen=seen,
        picture=guess,
        plain=small,
        details={"linearity": share},
    )
