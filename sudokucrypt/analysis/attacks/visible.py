"""What stays visible: one result compared with its picture."""

from collections.abc import Iterator

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.typing import AnyArray

# Deviations beyond which a figure is more than chance: of a dozen figures, less than once in a
# million pictures.
_DEVIATIONS = 6.0
_BLOCK = 8


def _edges(image: AnyArray, levels: int) -> AnyArray:
    """Return how much neighbours in a row differ, around the circle of levels."""
    wide = image.astype(np.int64)
    steps = (wide[:, 1:] - wide[:, :-1]) % levels
    return np.asarray(np.minimum(steps, levels - steps))


def _block_means(image: AnyArray) -> AnyArray:
    rows, columns = (side // _BLOCK for side in image.shape[:2])
    cut = image[: rows * _BLOCK, : columns * _BLOCK].astype(float)
    return np.asarray(cut.reshape(rows, _BLOCK, columns, _BLOCK, -1).mean(axis=(1, 3)))


def _likenesses(plain: AnyArray, seen: AnyArray) -> Iterator[tuple[str, float, int]]:
    """Yield figures that are 0 by chance and 1 for equal images, each with its sample size."""
    depth = probing.bit_count(plain)
    equal = float(np.mean(plain == seen))
    counts = [np.bincount(each.reshape(-1), minlength=1 << depth) for each in (plain, seen)]
    chance = float(np.dot(*[count / plain.size for count in counts]))
    if chance < 1:
        yield "equal samples", (equal - chance) / (1 - chance), plain.size
    for plane in range(depth):
        planes = [each >> plane & 1 if depth > 1 else each for each in (plain, seen)]
        yield f"plane {plane}", abs(probing.correlation(*planes)), plain.size
    if min(plain.shape[:2]) >= 4 * _BLOCK:
        means = _block_means(plain), _block_means(seen)
        yield f"means of {_BLOCK} x {_BLOCK}", abs(probing.correlation(*means)), means[0].size
    if plain.shape[1] > 1:
        steps = _edges(plain, 1 << depth), _edges(seen, 1 << depth)
        yield "edges", abs(probing.correlation(*steps)), steps[0].size


def _high_bits(image: AnyArray) -> AnyArray:
    """Mask the lowest half of the bits only."""
    half = probing.bit_count(image) // 2
    mask = probing.noise(probing.generator(6), image)
    return np.asarray(image ^ (mask & np.array((1 << half) - 1, image.dtype)))


@contract.attack(
    name="visible",
    threat="known",
    title="What stays visible",
    summary="Compare one result with its picture.",
    needs="one known image; salt is no obstacle",
    method="Samples, planes of bits, means of blocks and edges of the result are compared with "
    "those of the picture. What agrees more than by chance can be seen without any attack.",
    control=lambda: contract.Target(name="a mask on the low bits", oracle=_high_bits),
    details={"figure": "what agrees most with the picture, in words"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    seen = contract.query(target.oracle, plain)
    figures = list(_likenesses(plain, seen))
    # Few samples agree by chance more often: figures count in deviations.
    name, share, size = max(figures, key=lambda each: each[1] * np.sqrt(each[2]))
    outcome = contract.Outcome.NOTHING
    if share * np.sqrt(size) > _DEVIATIONS:
        strongest = max(each[1] for each in figures if each[1] * np.sqrt(each[2]) > _DEVIATIONS)
        seen_well = strongest >= contract.BROKEN
        outcome = contract.Outcome.BROKEN if seen_well else contract.Outcome.LEAKS
    text = f"{name} of result and picture agree by {share:.4f}, where 0 is chance"
    return contract.Finding(
        outcome=outcome,
        verdict=contract.verdict_of(outcome, text),
        queries=1,
        recovered=max(0.0, share),
        seen=seen,
        picture=seen,
        details={"figure": name},
    )
