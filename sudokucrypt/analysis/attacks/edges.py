"""How well the edges of picture blocks fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudokucrypt.typing import AnyArray

_TINY = 1e-9


def edge_costs(blocks: AnyArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what it costs to put one block to the right of another, and below it.

    Parameters
    ----------
    blocks : ndarray of shape (n, b, b, C)
        At least two blocks of two pixels a side.

    Returns
    -------
    tuple of two ndarray of shape (n, n), dtype float64
        Entry (i, j) is for block j to the right of block i, and for j below i; infinite for
        i = j. Costs are relative: below 1 if there is no better neighbour on either side.

    Notes
    -----
    Mahalanobis gradient compatibility: the step across the joint is compared, pixel by pixel, with
    mean and covariance of the steps just before it in either block, so that shading may go on but
    not break. Each cost is divided by the smallest other one of its row and of its column.

    References
    ----------
    A. C. Gallagher, Jigsaw puzzles with pieces of unknown orientation, 2012,
    doi:10.1109/CVPR.2012.6247699.
    """
    pixels = blocks.astype(np.float64)
    turned = pixels.swapaxes(1, 2)
    return _relative(_right_costs(pixels)), _relative(_right_costs(turned))


def _right_costs(blocks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of both directions: from left to right, and mirrored."""
    onward = _one_way(blocks)
    back = _one_way(blocks[:, :, ::-1])
    return onward + back.T


def _one_way(blocks: NDArray[np.float64]) -> NDArray[np.float64]:
    first, last = blocks[:, :, 0], blocks[:, :, -1]
    steps = last - blocks[:, :, -2]
    channels = blocks.shape[-1]
    # Steps of size 0 and 1 in every direction keep the covariance of smooth edges regular.
    unit = np.eye(channels)
    usual = np.concatenate([np.zeros((1, channels)), unit, -unit])
    costs = np.empty((len(blocks), len(blocks)))
    for number, step in enumerate(steps):
        seen = np.concatenate([step, usual])
        spread = np.cov(seen, rowvar=False).reshape(channels, channels)
        whitening = np.linalg.cholesky(np.linalg.inv(spread))
        gaps = (first - (last[number] + step.mean(axis=0))) @ whitening
        costs[number] = np.einsum("nbc,nbc->n", gaps, gaps)
    return costs


def _relative(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    np.fill_diagonal(costs, np.inf)
    others = np.minimum(_least_other(costs), _least_other(costs.T).T)
    relative: NDArray[np.float64] = (costs + _TINY) / (others + _TINY)
    return relative


def _least_other(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each entry the smallest other one of its row."""
    least, second = np.partition(costs, 1, axis=1)[:, :2].T
    others: NDArray[np.float64] = np.where(costs == least[:, None], second[:, None], least[:, None])
    return others
