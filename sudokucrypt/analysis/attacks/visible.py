"""What stays visible: results of a picture agree with it more than results of other pictures do.

Smooth images agree with each other by chance, so a result that contains a photograph of its own,
such as a carrier, agrees with any other photograph. Only the surplus over other pictures counts.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.typing import AnyArray

# Deviations beyond which a figure is more than chance: of fifty figures, less than once in a
# million pictures.
_DEVIATIONS = 6.0
_BLOCK = 8
# The planes of which all pairs are joined.
_PAIRED = 8
# Results of the picture, and results of other pictures, that are compared.
_RESULTS, _OTHERS = 3, 6
# More results of the picture, if these agree: samples of one result may depend on each other, such
# as those of a ramp with a random start, and three of them agree by chance then, twelve do not.
_CONFIRMING = 9


def _edges(image: AnyArray, levels: int) -> AnyArray:
    """Return how much neighbors in a row differ, around the circle of levels."""
    wide = image.astype(np.int64)
    steps = (wide[:, 1:] - wide[:, :-1]) % levels
    return np.asarray(np.minimum(steps, levels - steps))


def _block_means(image: AnyArray) -> AnyArray:
    rows, columns = (side // _BLOCK for side in image.shape[:2])
    cut = image[: rows * _BLOCK, : columns * _BLOCK].astype(float)
    return np.asarray(cut.reshape(rows, _BLOCK, columns, _BLOCK, -1).mean(axis=(1, 3)))


def _bit_correlation(first: AnyArray, second: AnyArray) -> float:
    """Return the correlation of bits from counts, 0 where one array is constant."""
    size, ones, others = first.size, np.count_nonzero(first), np.count_nonzero(second)
    both = np.count_nonzero(first & second)
    spread = float(ones * (size - ones)) * float(others * (size - others))
    return (size * both - ones * others) / float(np.sqrt(spread)) if spread else 0.0


def _likenesses(plain: AnyArray, seen: AnyArray) -> Iterator[tuple[str, float, int]]:
    """Yield figures that are 0 by chance and 1 for equal images, each with its sample size."""
    depth = probing.bit_count(plain)
    equal = float(np.mean(plain == seen))
    counts = [np.bincount(each.reshape(-1), minlength=1 << depth) for each in (plain, seen)]
    chance = float(np.dot(*[count / plain.size for count in counts]))
    if chance < 1:
        yield "equal samples", (equal - chance) / (1 - chance), plain.size
    planes = [
        [(each >> n & 1 if depth > 1 else each).astype(bool) for n in range(depth)]
        for each in (plain, seen)
    ]
    for n, plane in enumerate(planes[1]):
        yield f"plane {n}", _bit_correlation(planes[0][n], plane), plain.size
        if n < depth - 1:  # where a carrier hides it
            alike = _bit_correlation(planes[0][-1], plane)
            yield f"plane {depth - 1} of the picture in plane {n}", alike, plain.size
    for m, n in combinations(range(min(depth, _PAIRED)), 2):  # one stream on two planes
        alike = _bit_correlation(*(parts[m] ^ parts[n] for parts in planes))
        yield f"the sum of planes {m} and {n}", alike, plain.size
    if min(plain.shape[:2]) >= 4 * _BLOCK:
        means = _block_means(plain), _block_means(seen)
        yield f"means of {_BLOCK} x {_BLOCK}", probing.correlation(*means), means[0].size
    if plain.shape[1] > 1:
        steps = _edges(plain, 1 << depth), _edges(seen, 1 << depth)
        yield "edges", probing.correlation(*steps), steps[0].size


def _other_pictures(plain: AnyArray) -> list[AnyArray]:
    """Return pictures of noise, and of the parts of this picture in other places."""
    random = probing.generator(25)
    others = [probing.noise(random, plain) for _ in range(_OTHERS // 2)]
    steps = random.integers(plain.shape[:2], size=(_OTHERS // 2, 2)) // 2 + 1
    # From a quarter to three quarters of the sides: nothing stays near its place.
    steps = steps + np.array(plain.shape[:2]) // 4
    return others + [np.roll(plain, tuple(step), (0, 1)) for step in steps.tolist()]


def _surplus(
    plain: AnyArray, results: list[AnyArray], others: list[AnyArray]
) -> list[tuple[str, float, int]]:
    """Return by how much each figure of all results exceeds the figures of other pictures."""
    rows = [list(_likenesses(plain, seen)) for seen in results + others]
    surplus = []
    for figures in zip(*rows, strict=True):
        (name, _, size), values = figures[0], np.array([figure for _, figure, _ in figures])
        rest = values[len(results) :]
        above = values[: len(results)] - rest.mean()
        # All results of the picture must lie on one side, farther than others lie apart.
        least = max(float(above.min()), float(-above.max()))
        surplus.append((name, max(0.0, least - float(np.ptp(rest))), size))
    return surplus


def _find_figures(
    plain: AnyArray, results: list[AnyArray], others: list[AnyArray], mask: AnyArray | None
) -> list[tuple[str, float, int]]:
    """Return the surplus of each figure, also without a mask."""
    figures = _surplus(plain, results, others)
    if mask is not None:
        stripped = [[each ^ mask for each in group] for group in (results, others)]
        for name, share, size in _surplus(plain, *stripped):
            figures.append((f"{name} without the mask", share, size))
    return figures


def _high_bits(image: AnyArray) -> AnyArray:
    """Mask the lowest half of the bits only."""
    half = probing.bit_count(image) // 2
    mask = probing.noise(probing.generator(6), image)
    return np.asarray(image ^ (mask & np.array((1 << half) - 1, image.dtype)))


@contract.attack(
    name="visible",
    threat="known",
    title="What stays visible",
    control=lambda: contract.Target(name="a mask on the low bits", oracle=_high_bits),
    details={"figure": "what agrees most with the picture, in words"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Compare results with their picture, and with other pictures.

    Needs: a known picture with its results, and results of others; salt is no obstacle

    Samples, planes of bits and sums of two, means of blocks and edges of the result are compared
    with those of the picture, also without a mask that the result of black shows. What agrees
    more than results of other pictures do can be seen without any attack.
    """
    results = contract.query_all(target.oracle, [plain] * _RESULTS)
    others = contract.query_all(target.oracle, _other_pictures(plain))
    black = contract.query_all(target.oracle, [np.zeros_like(plain)] * 2)
    # A mask that black shows, though the results of other pictures are always new.
    has_mask = np.array_equal(black[0], black[1]) and not np.array_equal(results[0], results[1])
    mask = black[0] if has_mask else None
    figures = _find_figures(plain, results, others, mask)
    if any(share * np.sqrt(size) > _DEVIATIONS for _, share, size in figures):
        results += contract.query_all(target.oracle, [plain] * _CONFIRMING)
        figures = _find_figures(plain, results, others, mask)
    # Few samples agree by chance more often: figures count in deviations.
    name, share, size = max(figures, key=lambda each: each[1] * np.sqrt(each[2]))
    outcome = contract.Outcome.NOTHING
    if share * np.sqrt(size) > _DEVIATIONS:
        strongest = max(each[1] for each in figures if each[1] * np.sqrt(each[2]) > _DEVIATIONS)
        seen_well = strongest >= contract.BROKEN
        outcome = contract.Outcome.BROKEN if seen_well else contract.Outcome.LEAKS
    text = f"{name} of result and picture agree by {share:.4f} more than those of other pictures"
    return contract.Finding(
        outcome=outcome,
        text=text,
        queries=len(results) + len(others) + len(black),
        recovered=share,
        seen=results[0],
        picture=results[0],
        details={"figure": name},
    )
