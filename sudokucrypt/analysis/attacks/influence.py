"""Find the bits of an image on which each sample of a result depends, and try their values."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.inputs import require_library
from sudokucrypt.typing import AnyArray, IntArray

# At most this many samples, since each of their bits takes a query.
_MAX_SAMPLES = 16 * 16
# The maximum number of bits in a group. Each query tries one value of every group at the same
# time.
_MAX_GROUP_BITS = 16
# The attack stops after this many images: more would hardly add to the recovered part.
_MAX_QUERIES = 12_000

_BitMask = NDArray[np.bool_]


def _find_influences(query: probing.Queries, template: AnyArray) -> _BitMask:
    """Return which bits change which samples of the result, as a mask of shape (bits, samples)."""
    base_image = probing.draw_noise(probing.make_generator(14), template)
    result, changes = query(base_image), []
    for index in range(template.size):
        for bit in range(probing.count_bits(template)):
            image = base_image.copy()
            image.reshape(-1)[index] ^= np.array(1 << bit, template.dtype)
            changes.append((query(image) != result).reshape(-1))
    return np.array(changes)


@dataclass(eq=False)
class _Groups:
    """Groups of bits to try next, and the samples that depend only on one of these groups.

    `bits` and `samples` are indices, `group_of_bit` and `group_of_sample` the numbers of their
    groups, and `rank_in_group` is the position of a bit in its group, from 0.
    """

    bits: IntArray
    group_of_bit: IntArray
    rank_in_group: IntArray
    samples: IntArray
    group_of_sample: IntArray

    def list_bit_values(self, index: int) -> _BitMask:
        """Return the bits of an image in which each group has the binary digits of `index`."""
        return (index >> self.rank_in_group & 1).astype(bool)

    def find_right_bits(self, is_right: _BitMask) -> _BitMask:
        """Return for each bit whether all samples of its group are right."""
        wrong_groups = self.group_of_sample[~is_right[self.samples]]
        return np.asarray(
            np.bincount(wrong_groups, minlength=len(is_right))[self.group_of_bit] == 0
        )

    def remove_bits(self, mask: _BitMask) -> "_Groups":
        """Return the groups without the bits of a mask."""
        is_kept = np.isin(self.group_of_sample, self.group_of_bit[~mask])
        return _Groups(
            self.bits[~mask],
            self.group_of_bit[~mask],
            self.rank_in_group[~mask],
            self.samples[is_kept],
            self.group_of_sample[is_kept],
        )


def _find_next_groups(unknown_influences: _BitMask, depth: int) -> _Groups:
    """Return the groups with the fewest bits, or no groups if all have too many bits."""
    with require_library("scipy"):
        from scipy.sparse import bmat, csr_matrix
        from scipy.sparse.csgraph import connected_components

    bit_counts = unknown_influences.sum(axis=0)
    least_bit_count = int(bit_counts[bit_counts > 0].min(initial=_MAX_GROUP_BITS + 1))
    is_solvable = (
        (bit_counts > 0)
        & (bit_counts <= max(least_bit_count, depth))
        & (least_bit_count <= _MAX_GROUP_BITS)
    )
    samples, bits = (
        np.flatnonzero(is_solvable),
        np.flatnonzero(unknown_influences[:, is_solvable].any(axis=1)),
    )
    influence_matrix = csr_matrix(unknown_influences[np.ix_(bits, samples)])
    group_labels = connected_components(
        bmat([[None, influence_matrix], [influence_matrix.T, None]]), directed=False
    )[1]
    group_of_bit, group_of_sample = np.split(group_labels, [len(bits)])
    order = np.argsort(group_of_bit, kind="stable")
    rank_in_group = np.empty_like(order)
    rank_in_group[order] = np.arange(len(order)) - np.searchsorted(
        group_of_bit[order], group_of_bit[order]
    )
    groups = _Groups(bits, group_of_bit, rank_in_group, samples, group_of_sample)
    return (
        groups.remove_bits(np.bincount(group_of_bit)[group_of_bit] > _MAX_GROUP_BITS)
        if len(bits)
        else groups
    )


def _join_bits(bits: _BitMask, template: AnyArray) -> AnyArray:
    """Return the image with these bits; bits of a sample are adjacent, the lowest first."""
    values = bits.reshape(template.size, -1) @ (1 << np.arange(bits.size // template.size))
    return np.asarray(values.astype(template.dtype).reshape(template.shape))


def _solve_groups(
    query: probing.Queries, target_result: AnyArray, influences: _BitMask
) -> tuple[AnyArray, int]:
    """Return the picture, with samples that depend on few bits recovered, and the number of steps.

    In each step, all values of the bits of a group are tried until the samples that depend only on
    these and on known bits are right. Then these bits are known in the next step.
    """
    guessed_bits, unknown_influences, steps = np.zeros(len(influences), bool), influences.copy(), 0
    depth, target_samples = probing.count_bits(target_result), target_result.reshape(-1)
    while query.count < _MAX_QUERIES:
        groups = _find_next_groups(unknown_influences, depth)
        if not len(groups.bits):
            break
        steps += 1
        for bit_pattern in range(1 << int(groups.rank_in_group.max()) + 1):
            guessed_bits[groups.bits] = groups.list_bit_values(bit_pattern)
            is_solved_bit = groups.find_right_bits(
                query(_join_bits(guessed_bits, target_result)).reshape(-1) == target_samples
            )
            if is_solved_bit.any():
                unknown_influences[groups.bits[is_solved_bit]] = False
                groups = groups.remove_bits(is_solved_bit)
                if not len(groups.bits):
                    break
        # Samples for which no value fits also depend on something else, and are given up.
        unknown_influences[:, groups.samples] = False
    return _join_bits(guessed_bits, target_result), steps


@lru_cache(maxsize=4)
def _draw_permutation(count: int) -> IntArray:
    return probing.make_generator(11).permutation(count)


def _feed_rows_forward(image: AnyArray) -> AnyArray:
    """Reverse the order of rows, and mask each by a stream that depends on all previous rows."""
    rows = image[::-1].reshape(len(image), -1).astype(np.int64)
    previous_sums = np.cumsum(rows.sum(axis=1)) - rows.sum(axis=1)
    stream = previous_sums[:, None] * _draw_permutation(rows.shape[1]) >> 3
    return np.asarray((rows ^ stream).astype(image.dtype).reshape(image.shape))


@contract.attack(
    name="influence",
    threat="adaptive",
    title="Influence",
    control=lambda: contract.Target(
        name="a stream of the samples before", oracle=_feed_rows_forward
    ),
    details={"steps": "the number of steps, each of which used the bits found before"},
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Find the bits on which each sample of a result depends, and try their values.

    Needs: images of the attacker's choice after the result of a small picture is known

    The attacker changes each bit of an image, which shows the samples of the result that depend on
    it. If a sample depends on few unknown bits, all their values are tried until the sample has its
    value in the result. This breaks substitutions of small blocks, and all schemes that process the
    samples once, in any order and by any rule.
    """
    small_picture = probing.shrink_picture(target.oracle, picture, max_samples=_MAX_SAMPLES)
    query = probing.Queries(target.oracle)
    target_result = query(small_picture)
    if not probing.is_repeatable(query, picture):
        text = "equal images give different results"
        return probing.report_nothing(
            target_result, small_picture, queries=query.count, text=text, steps=0
        )
    influences, depth = _find_influences(query, small_picture), probing.count_bits(small_picture)
    finding = probing.report_nothing(
        target_result,
        small_picture,
        queries=query.count,
        text="each sample of a result depends on many bits",
        steps=0,
    )
    # A single change may have no effect by chance, so the bits of a sample are first treated as
    # connected. In the second attempt bits are treated separately, for schemes that move bits.
    merged_influences = (
        influences.reshape(small_picture.size, depth, -1).any(axis=1).repeat(depth, axis=0)
    )
    for tried_influences in (merged_influences, influences):
        guess, steps = _solve_groups(query, target_result, tried_influences)
        if steps:
            text = "samples of results depend on few unknown bits, found in "
            text += contract.format_count(steps, "step")
            finding = probing.judge_guess(
                target_result, guess, small_picture, queries=query.count, text=text, steps=steps
            )
        if finding.outcome is contract.Outcome.BROKEN:
            break
    return finding
