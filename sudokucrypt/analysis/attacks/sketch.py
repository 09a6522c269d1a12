"""Draw a sketch of a JPEG from properties of blocks that masking keeps.

The attacker draws one pixel for each block: its number of nonzero coefficients, its coded size, or
its mean (DC). If blocks stay in place, the first two sketches show edges and the third is a
thumbnail, whatever the key is.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract
from sudokucrypt.analysis.attacks.jpeg_files import (
    ScrambledJpeg,
    compute_size_classes,
    make_control_target,
)
from sudokucrypt.images import MAX_PIXELS
from sudokucrypt.typing import AnyArray, IntArray

# A correlation of up to this many standard deviations counts as chance. By chance, one of three
# sketches exceeds this limit in one of a million attacks.
_MAX_CHANCE_DEVIATIONS = 5.2

# Weights of red, green and blue in the luminance of JFIF (ITU-T T.871).
_LUMINANCE_WEIGHTS = (0.299, 0.587, 0.114)

BlockMap = NDArray[np.float64]


def sketch_attack(
    oracle: contract.JpegOracle, data: bytes, *, max_pixels: int = MAX_PIXELS
) -> contract.Finding:
    """Draw sketches of a JPEG from its scrambled file.

    Sketches are compared by the ranks of their pixels, since a scheme may change the contrast. By
    chance a correlation is below 5.2 deviations, 5.2 / sqrt(blocks - 1), in all but one attack in a
    million; a scheme is broken from 0.2 on, as if a fifth of the pixels were right.

    The `picture` is the most similar sketch, in the size of the picture. Details are the number of
    `blocks` of the first component, and absolute correlations of ranks, 0..1: `edges`, the
    correlation of the better sketch of edges with the edges of the picture, and `thumbnail`, the
    correlation of the means with the reduced picture; `recovered` is the larger one.

    Source: counts of nonzero coefficients after W. Li, Y. Yuan, "A leak and its remedy in
    JPEG image encryption", International Journal of Computer Mathematics 84, 2007.

    Raises `UnsupportedError` or `InvalidImageError` if the coefficients of a file cannot be read,
    or if the result has other blocks.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes the bytes of a JPEG file, and returns those of another.
    data : bytes
        The JPEG file that the attacker is after.
    max_pixels : int, default 134217728
        The largest number of pixels of a picture that is read.
    """
    jpeg_pair = ScrambledJpeg.query(oracle, data, max_pixels=max_pixels)
    starts, luminance = jpeg_pair.list_block_starts(), _compute_luminance(jpeg_pair.plain_pixels)
    edge_means, block_means = (
        _average_blocks(_measure_steepness(luminance), starts),
        _average_blocks(luminance, starts),
    )
    blocks = jpeg_pair.scrambled_file.coefficients[0][: len(starts[0]), : len(starts[1])]
    sizes = compute_size_classes(blocks[..., 1:])
    # Each sketch is paired with the true values that it approximates. The sign of the correlation
    # does not matter.
    sketches = (
        (np.count_nonzero(sizes, axis=2), edge_means),
        (sizes.sum(axis=2), edge_means),
        (blocks[..., 0].astype(np.int64), block_means),
    )
    correlations = [abs(_correlate_ranks(sketch, true_values)) for sketch, true_values in sketches]
    best_correlation, chance_limit = (
        max(correlations),
        _MAX_CHANCE_DEVIATIONS / sqrt(max(block_means.size - 1, 1)),
    )
    outcome = contract.Outcome.NOTHING
    # By chance, rank correlations are normally distributed around 0 with deviation 1 / sqrt(n - 1).
    if best_correlation > chance_limit:
        outcome = (
            contract.Outcome.LEAKS
            if best_correlation < contract.MIN_BROKEN_SHARE
            else contract.Outcome.BROKEN
        )
    text = (
        f"a sketch of {block_means.size} blocks correlates {max(correlations[:2]):.3f} with the "
        f"edges of the picture, and their means {correlations[2]:.3f} with the reduced picture, "
        f"where chance gives up to {min(chance_limit, 1):.3f}"
    )
    return contract.Finding(
        outcome=outcome,
        text=text,
        recovered=best_correlation,
        seen=jpeg_pair.scrambled_pixels,
        picture=jpeg_pair.enlarge_values(_equalize_gray(sketches[int(np.argmax(correlations))][0])),
        details={
            "blocks": block_means.size,
            "edges": max(correlations[:2]),
            "thumbnail": correlations[2],
        },
    )


def _compute_luminance(pixels: AnyArray) -> NDArray[np.float32]:
    """Return the luminance of RGB pixels, or the mean of all channels of other pixels."""
    channels = np.atleast_3d(pixels)
    count = channels.shape[2]
    weights = _LUMINANCE_WEIGHTS if count == 3 else (1 / count,) * count
    return np.asarray(channels @ np.array(weights, dtype=np.float32))


def _measure_steepness(luminance: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the sum of the differences of each pixel to its lower and right neighbors."""
    downward_differences = np.abs(np.diff(luminance, axis=0, append=luminance[-1:]))
    return np.asarray(
        downward_differences + np.abs(np.diff(luminance, axis=1, append=luminance[:, -1:]))
    )


def _average_blocks(pixels: NDArray[np.float32], starts: tuple[IntArray, IntArray]) -> BlockMap:
    """Return the mean of each rectangle that begins at these rows and columns."""
    sums = np.add.reduceat(pixels, starts[1], axis=1, dtype=np.float64)
    sums = np.add.reduceat(sums, starts[0], axis=0)
    rows, columns = (
        np.diff(each, append=length) for each, length in zip(starts, pixels.shape, strict=True)
    )
    return np.asarray(sums / np.outer(rows, columns))


def _rank_values(values: AnyArray) -> BlockMap:
    """Return the rank of each value; equal values have their mean rank."""
    _, indices, counts = np.unique(values, return_inverse=True, return_counts=True)

    return np.asarray((counts.cumsum() - (counts - 1) / 2)[indices.reshape(values.shape)])


def _correlate_ranks(first: AnyArray, second: AnyArray) -> float:
    """Return the correlation of ranks, or 0 if all values of an array are equal."""
    first_ranks, second_ranks = (
        ranks - ranks.mean() for ranks in (_rank_values(first), _rank_values(second))
    )
    norm_product = sqrt(float((first_ranks**2).sum() * (second_ranks**2).sum()))
    return float((first_ranks * second_ranks).sum()) / norm_product if norm_product else 0.0


def _equalize_gray(sketch: AnyArray) -> AnyArray:
    """Return a gray image of a sketch in which levels are about equally frequent."""
    ranks = _rank_values(sketch)
    gray_image: AnyArray = (ranks - ranks.min()) * (255 / max(float(np.ptp(ranks)), 1))
    return gray_image.astype(np.uint8)


@contract.attack(
    name="sketch",
    title="Sketch",
    control=make_control_target,
    takes="jpeg",
    details={
        "blocks": "the number of blocks of the first component",
        "edges": "the correlation of the better sketch of edges with the edges of the picture",
        "thumbnail": "the correlation of the means of blocks with the reduced picture",
    },
)
def _run_attack(target: contract.JpegTarget, data: bytes, *, max_pixels: int) -> contract.Finding:
    """Draw edges and a thumbnail of a JPEG from properties of blocks that masking keeps.

    Needs: one scrambled JPEG

    The attacker has only one result, and draws for each block its number of nonzero coefficients,
    its coded size, and its mean. The recovered share is a correlation of ranks with the picture.
    """
    return sketch_attack(target.oracle, data, max_pixels=max_pixels)
