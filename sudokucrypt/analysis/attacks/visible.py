"""Find features of a picture that stay visible in its result.

Smooth images agree with each other by chance, so a result that contains an unrelated photograph,
such as a carrier, agrees with any picture. So only the surplus counts: the agreement of a picture
with its own results less its agreement with results of other pictures.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.typing import AnyArray

# A similarity is beyond chance from this many standard deviations: by chance, one of fifty
# similarities reaches them in less than one of a million pictures.
_MIN_DEVIATIONS = 6.0
_BLOCK_SIDE = 8
# All pairs of this number of lowest bit planes are combined.
_PAIRED_PLANE_COUNT = 8
# The numbers of results of the picture and of results of other pictures.
_RESULT_COUNT, _OTHER_RESULT_COUNT = 3, 6
# The number of further results of the picture if the first ones agree with it. Samples of a result
# may depend on each other, as in a ramp with a random start; then three results may agree by
# chance, but twelve do not.
_CONFIRMING_RESULT_COUNT = 9


def _measure_edges(image: AnyArray, levels: int) -> AnyArray:
    """Return the differences of horizontal neighbors modulo the levels, as absolute values."""
    signed_image = image.astype(np.int64)
    steps = (signed_image[:, 1:] - signed_image[:, :-1]) % levels
    return np.asarray(np.minimum(steps, levels - steps))


def _average_blocks(image: AnyArray) -> AnyArray:
    rows, columns = (side // _BLOCK_SIDE for side in image.shape[:2])
    cropped_image = image[: rows * _BLOCK_SIDE, : columns * _BLOCK_SIDE].astype(float)
    return np.asarray(
        cropped_image.reshape(rows, _BLOCK_SIDE, columns, _BLOCK_SIDE, -1).mean(axis=(1, 3))
    )


def _correlate_bits(first: AnyArray, second: AnyArray) -> float:
    """Return the correlation of two arrays of bits, or 0 if one is constant."""
    size, first_one_count, second_one_count = (
        first.size,
        np.count_nonzero(first),
        np.count_nonzero(second),
    )
    common_one_count = np.count_nonzero(first & second)
    variance_product = float(first_one_count * (size - first_one_count)) * float(
        second_one_count * (size - second_one_count)
    )
    return (
        (size * common_one_count - first_one_count * second_one_count)
        / float(np.sqrt(variance_product))
        if variance_product
        else 0.0
    )


def _iterate_similarities(plain: AnyArray, result: AnyArray) -> Iterator[tuple[str, float, int]]:
    """Yield similarities, 0 by chance and 1 for equal images, with name and sample size."""
    depth = probing.count_bits(plain)
    equal_share = float(np.mean(plain == result))
    counts = [np.bincount(each.reshape(-1), minlength=1 << depth) for each in (plain, result)]
    chance_share = float(np.dot(*[count / plain.size for count in counts]))
    if chance_share < 1:
        yield "equal samples", (equal_share - chance_share) / (1 - chance_share), plain.size
    planes = [
        [(each >> number & 1 if depth > 1 else each).astype(bool) for number in range(depth)]
        for each in (plain, result)
    ]
    for number, plane in enumerate(planes[1]):
        yield f"plane {number}", _correlate_bits(planes[0][number], plane), plain.size
        if number < depth - 1:  # a carrier may contain the highest plane in a lower one
            correlation = _correlate_bits(planes[0][-1], plane)
            yield (f"plane {depth - 1} of the picture in plane {number}", correlation, plain.size)
    # The sum cancels a stream that masks both planes.
    for other_plane_number, number in combinations(range(min(depth, _PAIRED_PLANE_COUNT)), 2):
        correlation = _correlate_bits(*(each[other_plane_number] ^ each[number] for each in planes))
        yield f"the sum of planes {other_plane_number} and {number}", correlation, plain.size
    if min(plain.shape[:2]) >= 4 * _BLOCK_SIDE:
        means = _average_blocks(plain), _average_blocks(result)
        yield (
            f"means of {_BLOCK_SIDE} x {_BLOCK_SIDE}",
            probing.correlate_arrays(*means),
            means[0].size,
        )
    if plain.shape[1] > 1:
        edges = _measure_edges(plain, 1 << depth), _measure_edges(result, 1 << depth)
        yield "edges", probing.correlate_arrays(*edges), edges[0].size


def _draw_other_pictures(plain: AnyArray) -> list[AnyArray]:
    """Return pictures of noise, and copies of this picture that are shifted cyclically."""
    generator = probing.make_generator(25)
    noise_pictures = [probing.draw_noise(generator, plain) for _ in range(_OTHER_RESULT_COUNT // 2)]
    shifts = generator.integers(plain.shape[:2], size=(_OTHER_RESULT_COUNT // 2, 2)) // 2 + 1
    # Pictures are shifted by a quarter to three quarters of their sides, so that no part stays
    # near its position.
    shifts = shifts + np.array(plain.shape[:2]) // 4
    return noise_pictures + [np.roll(plain, tuple(shift), (0, 1)) for shift in shifts.tolist()]


def _measure_surpluses(
    plain: AnyArray, results: list[AnyArray], other_results: list[AnyArray]
) -> list[tuple[str, float, int]]:
    """Return the surplus of each similarity of the results over the results of other pictures."""
    rows = [list(_iterate_similarities(plain, result)) for result in results + other_results]
    surpluses = []
    for result_similarities in zip(*rows, strict=True):
        (name, _, size), values = (
            result_similarities[0],
            np.array([similarity for _, similarity, _ in result_similarities]),
        )
        other_values = values[len(results) :]
        excess = values[: len(results)] - other_values.mean()
        # All results of the picture must deviate to the same side, by more than the spread of the
        # results of other pictures.
        least_excess = max(float(excess.min()), float(-excess.max()))
        surpluses.append((name, max(0.0, least_excess - float(np.ptp(other_values))), size))
    return surpluses


def _find_surpluses(
    plain: AnyArray, results: list[AnyArray], other_results: list[AnyArray], mask: AnyArray | None
) -> list[tuple[str, float, int]]:
    """Return the surplus of each similarity; if a mask is given, also after removing the mask."""
    surpluses = _measure_surpluses(plain, results, other_results)
    if mask is not None:
        unmasked_results = [[each ^ mask for each in group] for group in (results, other_results)]
        for name, share, size in _measure_surpluses(plain, *unmasked_results):
            surpluses.append((f"{name} without the mask", share, size))
    return surpluses


def _mask_low_bits(image: AnyArray) -> AnyArray:
    """Mask only the lower half of the bits of each sample."""
    half_bits = probing.count_bits(image) // 2
    mask = probing.draw_noise(probing.make_generator(6), image)
    return np.asarray(image ^ (mask & np.array((1 << half_bits) - 1, image.dtype)))


@contract.attack(
    name="visible",
    threat="known",
    title="What stays visible",
    control=lambda: contract.Target(name="a mask on the low bits", oracle=_mask_low_bits),
    details={"figure": "the feature that agrees most with the picture"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Compare results with their picture, and with other pictures.

    Needs: a known picture with its results, and results of others; salt is not an obstacle

    The attacker compares samples, bit planes, sums of two planes, means of blocks and edges of the
    result with those of the picture, also after removing a mask that the result of black shows.
    Features that agree more than in results of other pictures can be seen without any attack.
    """
    results = contract.query_all(target.oracle, [picture] * _RESULT_COUNT)
    other_results = contract.query_all(target.oracle, _draw_other_pictures(picture))
    black_results = contract.query_all(target.oracle, [np.zeros_like(picture)] * 2)
    # The result of black may show a fixed mask even if results of other pictures always differ.
    has_mask = np.array_equal(black_results[0], black_results[1]) and not np.array_equal(
        results[0], results[1]
    )
    mask = black_results[0] if has_mask else None
    surpluses = _find_surpluses(picture, results, other_results, mask)
    if any(share * np.sqrt(size) > _MIN_DEVIATIONS for _, share, size in surpluses):
        results += contract.query_all(target.oracle, [picture] * _CONFIRMING_RESULT_COUNT)
        surpluses = _find_surpluses(picture, results, other_results, mask)
    # Similarities are compared in standard deviations, since small samples give larger
    # similarities by chance.
    name, share, size = max(surpluses, key=lambda each: each[1] * np.sqrt(each[2]))
    outcome = contract.Outcome.NOTHING
    if share * np.sqrt(size) > _MIN_DEVIATIONS:
        strongest_share = max(
            each[1] for each in surpluses if each[1] * np.sqrt(each[2]) > _MIN_DEVIATIONS
        )
        is_visible = strongest_share >= contract.MIN_BROKEN_SHARE
        outcome = contract.Outcome.BROKEN if is_visible else contract.Outcome.LEAKS
    text = f"{name} of result and picture agree by {share:.4f} more than those of other pictures"
    return contract.Finding(
        outcome=outcome,
        text=text,
        queries=len(results) + len(other_results) + len(black_results),
        recovered=share,
        seen=results[0],
        picture=results[0],
        details={"figure": name},
    )
