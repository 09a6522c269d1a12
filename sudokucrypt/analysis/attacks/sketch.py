"""A sketch of a JPEG from what masking leaves: how much each block holds, and its mean.

The attacker draws a picture of one pixel for each block: of how many coefficients are not zero, of
how many bits are sent, or of means (DC). Where blocks stay in place, the first two show edges and
the third is a thumbnail, regardless of the key.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract
from sudokucrypt.analysis.attacks.jpeg_files import ScrambledJpeg, count_sizes, make_control
from sudokucrypt.images import MAX_PIXELS
from sudokucrypt.typing import AnyArray, IntArray

# How many deviations of chance are no leak: three sketches pass them once in a million attacks.
_DEVIATIONS = 5.2

# Luminance of red, green and blue as JFIF has it (ITU-T T.871).
_LUMINANCE = (0.299, 0.587, 0.114)

BlockMap = NDArray[np.float64]


def sketch_attack(
    oracle: contract.JpegOracle, data: bytes, *, max_pixels: int = MAX_PIXELS
) -> contract.Finding:
    """Draw sketches of a JPEG from its scrambled file.

    Sketches are compared by the ranks of their pixels, which undoes any change of contrast. By
    chance a correlation is below 5.2 deviations, 5.2 / sqrt(blocks - 1), in all but one attack in a
    million; a scheme is broken from 0.2 on, as with pixels of which a fifth is right.

    The `picture` is the sketch that is most like the picture, as large as it. Details are the
    number of `blocks` of the first component, and correlations of ranks without their signs, 0..1:
    `edges`, of the better sketch of edges with the edges of the picture, and `thumbnail`, of the
    means with the picture made smaller; `recovered` is the larger one.

    Source: counts of coefficients that are not zero after W. Li, Y. Yuan, "A leak and its remedy in
    JPEG image encryption", International Journal of Computer Mathematics 84, 2007.

    Raises `UnsupportedError` or `InvalidImageError` if a file is not a JPEG whose coefficients are
    read, or the result has other blocks.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes the bytes of a JPEG file, and returns those of another.
    data : bytes
        The JPEG file that the attacker is after.
    max_pixels : int, default 134217728
        The largest number of pixels of a picture that is read.
    """
    files = ScrambledJpeg.query(oracle, data, max_pixels=max_pixels)
    starts, luminance = files.list_block_starts(), _compute_luminance(files.plain_pixels)
    edges, means = (
        _average_blocks(_measure_steepness(luminance), starts),
        _average_blocks(luminance, starts),
    )
    blocks = files.scrambled.coefficients[0][: len(starts[0]), : len(starts[1])]
    sizes = count_sizes(blocks[..., 1:])
    # Each sketch with what it is a sketch of; signs of the correlation do not count.
    sketches = (
        (np.count_nonzero(sizes, axis=2), edges),
        (sizes.sum(axis=2), edges),
        (blocks[..., 0].astype(np.int64), means),
    )
    alike = [abs(_rank_correlation(sketch, truth)) for sketch, truth in sketches]
    best, limit = max(alike), _DEVIATIONS / sqrt(max(means.size - 1, 1))
    outcome = contract.Outcome.NOTHING
    # Correlations of ranks are normal around 0 with deviation 1 / sqrt(n - 1) by chance.
    if best > limit:
        outcome = contract.Outcome.LEAKS if best < contract.BROKEN else contract.Outcome.BROKEN
    text = (
        f"a sketch of {means.size} blocks correlates {max(alike[:2]):.3f} with the edges of the "
        f"picture, and their means {alike[2]:.3f} with the picture made smaller, where chance "
        f"gives up to {min(limit, 1):.3f}"
    )
    return contract.Finding(
        outcome=outcome,
        text=text,
        recovered=best,
        seen=files.scrambled_pixels,
        picture=files.enlarge(_equalize_gray(sketches[int(np.argmax(alike))][0])),
        details={"blocks": means.size, "edges": max(alike[:2]), "thumbnail": alike[2]},
    )


def _compute_luminance(pixels: AnyArray) -> NDArray[np.float32]:
    """Return the luminance of gray or RGB, and the mean of other channels."""
    channels = np.atleast_3d(pixels)
    count = channels.shape[2]
    weights = _LUMINANCE if count == 3 else (1 / count,) * count
    return np.asarray(channels @ np.array(weights, dtype=np.float32))


def _measure_steepness(luminance: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how much each pixel differs from those below and at the right of it."""
    below = np.abs(np.diff(luminance, axis=0, append=luminance[-1:]))
    return np.asarray(below + np.abs(np.diff(luminance, axis=1, append=luminance[:, -1:])))


def _average_blocks(pixels: NDArray[np.float32], starts: tuple[IntArray, IntArray]) -> BlockMap:
    """Return the mean of each rectangle that begins at these rows and columns."""
    sums = np.add.reduceat(pixels, starts[1], axis=1, dtype=np.float64)
    sums = np.add.reduceat(sums, starts[0], axis=0)
    rows, columns = (
        np.diff(each, append=length) for each, length in zip(starts, pixels.shape, strict=True)
    )
    return np.asarray(sums / np.outer(rows, columns))


def _rank_values(values: AnyArray) -> BlockMap:
    """Return the rank of each value; equal ones share theirs."""
    _, indices, counts = np.unique(values, return_inverse=True, return_counts=True)
    # The mean of the ranks that equal values would share.
    return np.asarray((counts.cumsum() - (counts - 1) / 2)[indices.reshape(values.shape)])


def _rank_correlation(first: AnyArray, second: AnyArray) -> float:
    """Return the correlation of ranks, 0 where all values are equal."""
    mine, theirs = (ranks - ranks.mean() for ranks in (_rank_values(first), _rank_values(second)))
    size = sqrt(float((mine**2).sum() * (theirs**2).sum()))
    return float((mine * theirs).sum()) / size if size else 0.0


def _equalize_gray(sketch: AnyArray) -> AnyArray:
    """Return a sketch whose levels are about equally frequent."""
    ranks = _rank_values(sketch)
    gray: AnyArray = (ranks - ranks.min()) * (255 / max(float(np.ptp(ranks)), 1))
    return gray.astype(np.uint8)


@contract.attack(
    name="sketch",
    title="Sketch",
    control=make_control,
    takes="jpeg",
    details={
        "blocks": "how many blocks there are in the first component",
        "edges": "the correlation of the better sketch of edges with the edges of the picture",
        "thumbnail": "the correlation of the means of blocks with the picture made smaller",
    },
)
def _run(target: contract.JpegTarget, data: bytes, *, max_pixels: int) -> contract.Finding:
    """Draw edges and a thumbnail of a JPEG from what masking leaves.

    Needs: one scrambled JPEG

    The attacker has one result and nothing else, and draws for each block how many coefficients
    are not zero, how many bits are sent, and its mean. Figures are correlations of ranks with
    the picture.
    """
    return sketch_attack(target.oracle, data, max_pixels=max_pixels)
