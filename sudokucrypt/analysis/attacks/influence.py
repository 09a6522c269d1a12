"""Influence: which bits of an image each sample of the result depends on, and what they are."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.inputs import optional_library
from sudokucrypt.typing import AnyArray, IntArray

# One query for each bit of each sample: the picture must be small.
_SAMPLES = 16 * 16
# Bits whose values are tried together, all groups of them at once.
_TOGETHER = 16
# After that many images what came back is enough to see the picture, or never will be.
_IMAGES = 12_000

_Influence = NDArray[np.bool_]


def _find_influences(query: probing.Queries, like: AnyArray) -> _Influence:
    """Return which bits change which samples of the result, of shape (bits, samples)."""
    base = probing.draw_noise(probing.make_generator(14), like)
    seen, changes = query(base), []
    for index in range(like.size):
        for bit in range(probing.count_bits(like)):
            image = base.copy()
            image.reshape(-1)[index] ^= np.array(1 << bit, like.dtype)
            changes.append((query(image) != seen).reshape(-1))
    return np.array(changes)


@dataclass(eq=False)
class _Groups:
    """Bits that can be tried next, and the samples that depend on no others, with their groups.

    `rank` counts the bits of each group from 0.
    """

    bits: IntArray
    group: IntArray
    rank: IntArray
    samples: IntArray
    group_of_sample: IntArray

    def value(self, index: int) -> _Influence:
        """Return the bits, if those of each group are the digits of a number."""
        return (index >> self.rank & 1).astype(bool)

    def find_right(self, right: _Influence) -> _Influence:
        """Return for each bit whether all samples of its group are right."""
        wrong = self.group_of_sample[~right[self.samples]]
        return np.asarray(np.bincount(wrong, minlength=len(right))[self.group] == 0)

    def remove(self, settled: _Influence) -> "_Groups":
        """Return the groups of the other bits."""
        left = np.isin(self.group_of_sample, self.group[~settled])
        return _Groups(
            self.bits[~settled],
            self.group[~settled],
            self.rank[~settled],
            self.samples[left],
            self.group_of_sample[left],
        )


def _find_next_groups(unknown: _Influence, depth: int) -> _Groups:
    """Return the groups of fewest bits; none if too many would have to be tried together."""
    with optional_library("scipy"):
        from scipy.sparse import bmat, csr_matrix
        from scipy.sparse.csgraph import connected_components

    counts = unknown.sum(axis=0)
    least = int(counts[counts > 0].min(initial=_TOGETHER + 1))
    ready = (counts > 0) & (counts <= max(least, depth)) & (least <= _TOGETHER)
    samples, bits = np.flatnonzero(ready), np.flatnonzero(unknown[:, ready].any(axis=1))
    links = csr_matrix(unknown[np.ix_(bits, samples)])
    labels = connected_components(bmat([[None, links], [links.T, None]]), directed=False)[1]
    group, group_of_sample = np.split(labels, [len(bits)])
    order = np.argsort(group, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order)) - np.searchsorted(group[order], group[order])
    groups = _Groups(bits, group, rank, samples, group_of_sample)
    return groups.remove(np.bincount(group)[group] > _TOGETHER) if len(bits) else groups


def _join_bits(bits: _Influence, like: AnyArray) -> AnyArray:
    """Return the image of all bits, those of a sample side by side, the lowest first."""
    values = bits.reshape(like.size, -1) @ (1 << np.arange(bits.size // like.size))
    return np.asarray(values.astype(like.dtype).reshape(like.shape))


def _follow(query: probing.Queries, seen: AnyArray, links: _Influence) -> tuple[AnyArray, int]:
    """Return the picture as far as groups of few bits give it, and how many steps that took.

    Each value of the bits of a group is tried until the samples are right that depend on these and
    on what is known. What the groups give is known in the next step.
    """
    guess, unknown, steps = np.zeros(len(links), bool), links.copy(), 0
    depth, goal = probing.count_bits(seen), seen.reshape(-1)
    while query.count < _IMAGES:
        groups = _find_next_groups(unknown, depth)
        if not len(groups.bits):
            break
        steps += 1
        for value in range(1 << int(groups.rank.max()) + 1):
            guess[groups.bits] = groups.value(value)
            settled = groups.find_right(query(_join_bits(guess, seen)).reshape(-1) == goal)
            if settled.any():
                unknown[groups.bits[settled]] = False
                groups = groups.remove(settled)
                if not len(groups.bits):
                    break
        # Something else changes those for which no value fits.
        unknown[:, groups.samples] = False
    return _join_bits(guess, seen), steps


@lru_cache(maxsize=4)
def _factorize(count: int) -> IntArray:
    return probing.make_generator(11).permutation(count)


def _feed_rows_forward(image: AnyArray) -> AnyArray:
    """Turn rows around, and put a stream on each that follows from all rows before."""
    rows = image[::-1].reshape(len(image), -1).astype(np.int64)
    before = np.cumsum(rows.sum(axis=1)) - rows.sum(axis=1)
    stream = before[:, None] * _factorize(rows.shape[1]) >> 3
    return np.asarray((rows ^ stream).astype(image.dtype).reshape(image.shape))


@contract.attack(
    name="influence",
    threat="adaptive",
    title="Influence",
    control=lambda: contract.Target(name="a stream of what came before", oracle=_feed_rows_forward),
    details={"steps": "how many times what was known made further bits known"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Find what each sample of a result depends on, and try its values.

    Needs: images of the attacker's choice after the result of a small picture is known

    Each bit of an image is changed, which shows the samples of the result that it changes.
    Where a sample depends on few bits, or on few that are not known yet, all their values are
    tried until the sample is that of the result. So substitutions of small blocks fall, and
    everything that goes once over the samples, in any order and by any rule.
    """
    small = probing.shrink_target(target.oracle, plain, samples=_SAMPLES)
    query = probing.Queries(target.oracle)
    seen = query(small)
    if not probing.is_repeatable(query, plain):
        text = "equal images give different results"
        return probing.report_nothing(seen, small, queries=query.count, text=text, steps=0)
    links, depth = _find_influences(query, small), probing.count_bits(small)
    finding = probing.report_nothing(
        seen,
        small,
        queries=query.count,
        text="each sample of a result depends on many bits",
        steps=0,
    )
    # A single change may be without effect: the bits of a sample stand for each other, unless bits
    # go different ways.
    whole = links.reshape(small.size, depth, -1).any(axis=1).repeat(depth, axis=0)
    for each in (whole, links):
        guess, steps = _follow(query, seen, each)
        if steps:
            text = "samples of results depend on few unknown bits, found in "
            text += contract.count_text(steps, "step")
            finding = probing.judge(seen, guess, small, queries=query.count, text=text, steps=steps)
        if finding.outcome is contract.Outcome.BROKEN:
            break
    return finding
