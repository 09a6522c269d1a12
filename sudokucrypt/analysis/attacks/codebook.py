"""The codebook: images of one level each show what becomes of every sample, wherever it goes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks import attack, tracing, unit_maps
from sudokucrypt.analysis.baselines import SBox, UniformShuffle
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

# Most levels of a sample: each takes an image.
_LEVELS = 256

_CHANGED = 1 / 16
# If this share of changed samples changes more than that of others, no codebook is made.
_SPREAD = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class CodebookResult(attack.AttackResult):
    """What the attack found.

    `spread` is the share of samples of a result that change if one sample in 16 of the image does.
    If it shows that samples depend on many others, the attack goes no further, and `sources` and
    `decoded` are empty. `decoded` is what the codebook makes of the picture, and ``sources[i]`` is
    the sample that position i of it holds, -1 if unknown. `picture` is both together. `recovered`
    is as in `RecoveredMap`.
    """

    queries: int
    spread: float
    decoded: AnyArray
    sources: IntArray
    picture: AnyArray


def codebook_attack(oracle: attack.Oracle, picture: ArrayLike) -> CodebookResult:
    """Decode each sample by the results of constant images, and recover the map behind.

    The attacker has the result of `picture`, of at most 256 levels, and queries an image for each
    level. Where each sample of a result depends on one sample of the image only, one of these
    results agrees with it: no substitution, however it depends on the position and the key,
    withstands that, be it a fixed S-box, a mask, or k - p. What was decoded may have moved, which
    is left to `chosen_plaintext_attack`. For levels that one result shares, the highest is taken.
    Two images tell first whether a sample depends on others.
    Source: R. Rhouma, S. Belghith, 2008, doi:10.1016/j.physleta.2008.07.057.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import SBox
    >>> waves = np.uint8(np.add.outer(np.arange(32), np.arange(32)) ** 2 % 256)
    >>> result = codebook_attack(SBox().scramble, waves)
    >>> result.recovered, bool((result.picture == waves).all())
    (1.0, True)
    """
    target = np.asarray(picture)
    units = unit_maps.ImageUnits.like(target, "sample")
    if units.levels > _LEVELS:
        raise InvalidImageError(
            f"a codebook of {units.levels} levels takes as many images, which is too many",
            hint="convert the picture to 8 bits a sample",
        )
    seen, spread = attack.query(oracle, target), _spread(oracle, target)
    # Under diffusion a codebook of 256 images would find nothing: two images say so.
    if spread > _SPREAD:
        text = f"one sample in 16 changes {spread:.4f} of the result, so samples depend on others"
        return CodebookResult(
            queries=2,
            spread=spread,
            decoded=target[:0],
            sources=np.empty(0, dtype=np.int64),
            picture=seen,
            recovered=0.0,
            outcome=attack.Outcome.NOTHING,
            verdict=attack.verdict_of(attack.Outcome.NOTHING, text),
        )
    plan = tracing.Tracing(units)
    results = [*attack.query_all(oracle, plan.images), seen]
    # The target is decoded with the images of the map, so that each level is queried once.
    *plains, decoded = _decoded(oracle, results, units.levels)
    recovered_map = plan.recovered_map(plains, "the codebook")
    return CodebookResult(
        queries=2 + units.levels + len(plan.chosen),
        spread=spread,
        decoded=decoded,
        sources=recovered_map.sources,
        picture=recovered_map.restore(decoded),
        recovered=recovered_map.recovered,
        outcome=recovered_map.outcome,
        verdict=recovered_map.verdict,
    )


def _spread(oracle: attack.Oracle, target: AnyArray) -> float:
    """Return the share of samples of the result that changes if few samples of an image do."""
    image, steps = unit_maps.random_images(target.shape, 2, dtype=target.dtype)
    indices = seeded_draws(1).permutations([image.size])[: max(1, int(image.size * _CHANGED))]
    changed = image.copy()
    changed.reshape(-1)[indices] ^= np.maximum(steps.reshape(-1)[indices], image.dtype.type(1))
    first, second = attack.query_all(oracle, (image, changed))
    return float((first != second).mean())


def _decoded(oracle: attack.Oracle, results: Sequence[AnyArray], levels: int) -> AnyArray:
    """Return for each sample of some results the level whose constant image gives it there."""
    stack = np.stack(results)
    plain = np.zeros_like(stack)
    # The book is asked level by level: all of it would take 256 times the memory.
    for level in range(levels):
        book = attack.query(oracle, np.full(stack.shape[1:], level, dtype=stack.dtype))
        np.copyto(plain, np.array(level, dtype=stack.dtype), where=stack == book)
    return plain


def _substituted_shuffle(image: AnyArray) -> AnyArray:
    return SBox().scramble(UniformShuffle().scramble(image))


@attack.attack(
    name="codebook",
    title="Codebook",
    summary="Decode samples by the results of constant images.",
    needs="an image of the attacker's choice for each level, 256 at most",
    method="The attacker has a constant image of each level scrambled. Where a sample of the "
    "result depends on one sample of the image only, these results decode it; what has moved is "
    "found as with chosen plaintext.",
    control=lambda: attack.Target(name="one map and one S-box", oracle=_substituted_shuffle),
    details={
        "spread": "the share of samples of the result that change if one sample in 16 of the image "
        "does",
    },
)
def _run(target: attack.Target, plain: AnyArray) -> attack.Finding:
    result = codebook_attack(target.oracle, plain)
    seen = attack.query(target.oracle, plain)
    return result.finding(seen, result.picture, queries=result.queries)
