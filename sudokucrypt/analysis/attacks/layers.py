"""Undo masks and substitutions that are fixed, in schemes whose moves change with each image."""

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing, unit_maps
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray

_MAX_SAMPLES = 32 * 32
# The least share of samples of the test image that must be decoded to one of its two levels.
_MIN_DECODED_SHARE = 0.9
# The two levels of the image that tests the tables, and the share of samples with the second level.
_TEST_LEVELS, _SECOND_LEVEL_SHARE = (5, 200), 0.25


def _make_control_scheme() -> contract.Oracle:
    """Return a scheme that shuffles the rows of each image anew, and then adds one fixed mask."""
    generator = probing.make_generator(33)

    def run_scheme(image: AnyArray) -> AnyArray:
        moved_image = image[generator.permutation(len(image))]
        return np.asarray(moved_image ^ probing.draw_noise(probing.make_generator(31), image))

    return run_scheme


@contract.attack(
    name="layers",
    threat="chosen",
    title="Fixed layers",
    control=lambda: contract.Target(
        name="one mask on rows in new orders", oracle=_make_control_scheme()
    ),
    details={"shown": "the share of samples whose values are decoded, 0..1"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Remove fixed masks and tables, even if the moves of samples always change.

    Needs: an image of each level of the attacker's choice, and some other images

    Moving the samples of a constant image does not change it. If results of constant images never
    change, but results of other images do, they show the result of each level at each position, and
    so undo any mask or table. The remaining picture is only moved, and shows the values of every
    picture, like a scrambled picture.
    """
    if probing.count_bits(picture) > 8:
        raise InvalidImageError(
            "a table for samples of 65536 levels takes too many images",
            hint="convert the picture to 8 bits per sample",
        )
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_SAMPLES)
    query, levels = probing.Queries(target.oracle), 1 << probing.count_bits(small_picture)
    target_result = query(small_picture)

    def query_level_image(level: int) -> AnyArray:
        return query(np.full_like(small_picture, level))

    def report_failure(text: str) -> contract.Finding:
        return probing.report_nothing(
            target_result, small_picture, queries=query.count, text=text, shown=0.0
        )

    # The tested image is noise: the rows of a picture may all be equal, which would hide their
    # order.
    if probing.is_repeatable(query, probing.draw_noise(probing.make_generator(32), small_picture)):
        return report_failure("equal images give equal results, so no layer changes")
    if not all(
        np.array_equal(query_level_image(level), query_level_image(level)) for level in (0, 1)
    ):
        return report_failure("even constant images give different results")
    if unit_maps.keeps_units(target.oracle, small_picture, "sample"):
        return report_failure("samples keep their values, so there is no layer to remove")
    tables = np.full((small_picture.size, levels), -1)
    for level in range(levels):
        tables[
            np.arange(small_picture.size), query_level_image(level).reshape(-1).view(np.uint8)
        ] = level

    def decode(image: AnyArray) -> AnyArray:
        return tables[np.arange(small_picture.size), image.reshape(-1).view(np.uint8)]

    test_levels = tuple(level % levels for level in _TEST_LEVELS) if levels > 2 else (0, 1)
    has_second_level = probing.make_generator(32).random(small_picture.shape) < _SECOND_LEVEL_SHARE
    decoded_test_image = decode(
        query(
            np.where(has_second_level, test_levels[1], test_levels[0]).astype(small_picture.dtype)
        )
    )
    test_level_share = float(np.isin(decoded_test_image, test_levels).mean())
    second_share_is_right = (
        abs(float(np.mean(decoded_test_image == test_levels[1])) - float(has_second_level.mean()))
        < 1 - _MIN_DECODED_SHARE
    )
    if (
        test_level_share < _MIN_DECODED_SHARE
        or not second_share_is_right
        or (levels == 2 and abs(float(has_second_level.mean()) - 0.5) < 0.1)
    ):
        return report_failure(
            f"tables of constant images decode {test_level_share:.4f} of the samples of others"
        )
    decoded_picture = (
        np.maximum(decode(target_result), 0)
        .astype(small_picture.dtype)
        .reshape(small_picture.shape)
    )
    return contract.Finding(
        outcome=contract.Outcome.BROKEN,
        text=f"the values of {test_level_share:.4f} of the samples are decoded, after removing a "
        "fixed layer",
        queries=query.count,
        recovered=0.0,
        seen=target_result,
        picture=decoded_picture,
        plain=small_picture,
        details={"shown": test_level_share},
    )
