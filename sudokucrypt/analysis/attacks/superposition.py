"""Break schemes that are linear over the reals: signal transforms and compressive sensing."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.typing import AnyArray

# The maximum number of samples. Each sample takes two images, and is an unknown in the
# least-squares problem.
_MAX_UNKNOWNS = 256
# The offset from middle gray, as a share of the levels, in images that measure a column of the
# matrix. The offset is large, since results are rounded.
_GRAY_OFFSET_SHARE = 0.35
# The attack continues from this linearity. The scheme is broken from this correlation, and leaks
# from this number of standard deviations of the correlation.
_MIN_LINEARITY = 0.5
_BROKEN_CORRELATION = 0.5
_MIN_LEAK_DEVIATIONS = 6.0


def _center_values(differences: NDArray[np.float64], levels: int) -> NDArray[np.float64]:
    return (differences + levels / 2) % levels - levels / 2


def _measure_linearity(query: probing.Queries, template: AnyArray, levels: int) -> float:
    """Return the share, 0..1, of a result's change that two other changes of results predict."""
    generator = probing.make_generator()
    base_image = generator.uniform(0.375, 0.625, template.shape) * levels
    first, second = (generator.uniform(-0.15, 0.15, template.shape) * levels for _ in range(2))
    images = [np.rint(each) for each in (base_image, base_image + first, base_image + second)]
    # The exact sum of the rounded images, so that rounding does not look like nonlinearity.
    images.append(images[1] + images[2] - images[0])
    results = [query(each.astype(template.dtype)).astype(float) for each in images]
    unexplained_variance = _center_values(
        results[1] + results[2] - results[0] - results[3], levels
    ).var()
    total_variance = _center_values(results[3] - results[0], levels).var()
    return max(0.0, 1 - float(unexplained_variance / total_variance)) if total_variance else 0.0


@lru_cache(maxsize=4)
def _draw_rotation(side: int) -> NDArray[np.float64]:
    """Return a random orthogonal matrix."""
    return np.linalg.qr(probing.make_generator(4).normal(size=(side, side)))[0]


def _transform_image(image: AnyArray) -> AnyArray:
    """Transform rows and columns by orthogonal matrices, with half the contrast."""
    transformed_image = (image - 128.0) / 2
    for axis in (0, 1):
        transformed_image = np.moveaxis(
            np.tensordot(_draw_rotation(image.shape[axis]), transformed_image, (1, axis)), 0, axis
        )
    return np.clip(np.rint(transformed_image + 128), 0, 255).astype(image.dtype)


@contract.attack(
    name="superposition",
    title="Superposition",
    control=lambda: contract.Target(name="an orthogonal transform", oracle=_transform_image),
    details={"linearity": "the share of the change of a result that two others predict, 0..1"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Solve for the picture as linear equations over real numbers.

    Needs: two images of the attacker's choice for each sample of a small picture

    The attacker tests whether the sum of two changes of the image changes the result by the sum of
    its changes. If so, two images for each sample measure how results depend on it, and least
    squares give the picture. The recovered share is the correlation with the picture.
    """
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_UNKNOWNS)
    query, levels = probing.Queries(target.oracle), 1 << probing.count_bits(picture)
    target_result, linearity = query(small_picture), 0.0
    if levels > 2:
        linearity = _measure_linearity(query, picture, levels)
    if linearity < _MIN_LINEARITY:
        text = f"{linearity:.4f} of a change follows from two others"
        return probing.report_nothing(
            target_result, small_picture, queries=query.count, text=text, linearity=linearity
        )
    middle_gray_samples = np.full(small_picture.size, levels // 2)
    base_result = (
        query(middle_gray_samples.astype(small_picture.dtype).reshape(small_picture.shape))
        .reshape(-1)
        .astype(float)
    )
    columns = []
    for index in range(small_picture.size):
        column = np.zeros(small_picture.size)
        for step in (int(_GRAY_OFFSET_SHARE * levels), -int(_GRAY_OFFSET_SHARE * levels)):
            image = middle_gray_samples.copy()
            image[index] += step
            result = query(image.astype(small_picture.dtype).reshape(small_picture.shape)).reshape(
                -1
            )
            column += _center_values(result - base_result, levels) / step / 2
        columns.append(column)
    target_change = _center_values(target_result.reshape(-1) - base_result, levels)
    # Small singular values are ignored, since rounding errors dominate their directions.
    solution = (
        np.linalg.lstsq(np.stack(columns, axis=1), target_change, rcond=1e-3)[0] + levels // 2
    )
    guess = (
        np.clip(np.rint(solution), 0, levels - 1)
        .astype(small_picture.dtype)
        .reshape(small_picture.shape)
    )
    correlation = probing.correlate_arrays(guess, small_picture)
    outcome = contract.Outcome.NOTHING
    if correlation > _MIN_LEAK_DEVIATIONS / np.sqrt(small_picture.size):
        outcome = (
            contract.Outcome.BROKEN
            if correlation >= _BROKEN_CORRELATION
            else contract.Outcome.LEAKS
        )
    text = f"{linearity:.4f} of a change follows from two others; the picture is restored with a "
    text += f"correlation of {correlation:.4f}"
    return contract.Finding(
        outcome=outcome,
        text=text,
        queries=query.count,
        recovered=max(0.0, correlation),
        seen=target_result,
        picture=guess,
        plain=small_picture,
        details={"linearity": linearity},
    )
