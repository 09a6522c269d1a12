"""How far two cipher images differ whose plain images differ in one pixel: npcr and uaci.

Both compare two *results* for one key. Comparing a plain image with its cipher image under these
names is a common mistake. With the salt fixed they show how far one pixel spreads; with a fresh
salt each time they are as for random images whatever the scheme does, so both rows belong in a
report.
"""

from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.inputs import checked_counts, checked_pair, require
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.results import (
    LEVEL,
    Measurement,
    checked_level,
    normal_measurement,
    normal_quantile,
)
from sudokucrypt.errors import InvalidParameterError

_NOTE = "a pass does not prove security; with a fresh salt any scheme that masks values passes"
_ROUGH = 20
_ROUGH_NOTE = (
    f"fewer than {_ROUGH} equal samples are expected: the normal tail is rough, use tail='binomial'"
)


@metric("differential", "twins", "share of samples that differ", title="NPCR", column="NPCR")
def npcr(
    first: ArrayLike,
    second: ArrayLike,
    *,
    levels: int | None = None,
    level: float = LEVEL,
    tail: Literal["normal", "binomial"] = "normal",
) -> Measurement:
    """Return the share of samples in which two cipher images differ.

    They are the results for two plain images that differ in one pixel, under one key. Small
    figures are rejected; `tail` says whether critical value and p-value are found as in the
    reference or exactly (with SciPy), for small images of many levels.

    Mean of (first != second). For K random samples and F = L - 1 the mean is F / (F + 1) and the
    variance F / ((F + 1)^2 K). A position-only scheme changes one sample: 1 / K.
    Source: Y. Wu, J. P. Noonan, S. Agaian, NPCR and UACI randomness tests for image encryption,
    Journal of Selected Areas in Telecommunications, 2011.

    Examples
    --------
    >>> one = np.zeros((256, 256), dtype=np.uint8)
    >>> result = npcr(one, one + 1)
    >>> result.value, round(result.expected, 6), round(result.lower, 6)
    (1.0, 0.996094, 0.995693)
    """
    one, other, levels = checked_pair(first, second, levels=levels)
    count = int(np.count_nonzero(one != other))
    return share_changed("npcr", count, one.size, levels=levels, level=level, tail=tail, note=_NOTE)


def share_changed(
    name: str,
    changed: int,
    samples: int,
    *,
    levels: int,
    level: float = LEVEL,
    tail: Literal["normal", "binomial"] = "normal",
    note: str = "",
) -> Measurement:
    """Test a number of changed samples as `npcr` does."""
    if tail not in {"normal", "binomial"}:
        raise InvalidParameterError(f"a tail is normal or binomial, not {tail!r}")
    mean = (levels - 1) / levels
    if tail == "normal":
        note = note if samples >= _ROUGH * levels else f"{note}; {_ROUGH_NOTE}"
        value, deviation = changed / samples, sqrt(mean / levels / samples)
        return normal_measurement(name, value, mean, deviation, level, sides="low", note=note)
    binomial = require("scipy.stats").binom(samples, 1 / levels)
    most_equal = int(binomial.isf(checked_level(level)))
    return Measurement(
        name=name,
        value=changed / samples,
        expected=mean,
        lower=(samples - most_equal) / samples,
        p_value=float(binomial.sf(samples - changed - 1)),
        level=level,
        note=note,
    )


@metric(
    "differential",
    "twins",
    "mean difference of samples, as a fraction of the largest one",
    title="UACI",
    column="UACI",
)
def uaci(
    first: ArrayLike, second: ArrayLike, *, levels: int | None = None, level: float = LEVEL
) -> Measurement:
    """Return the mean difference of two cipher images, as a fraction of the largest one.

    Arguments and reference are those of `npcr`; the level counts on both sides.

    Mean of abs(first - second) / F with F = L - 1. For K random samples the mean is
    (F + 2) / (3 F + 3) and the variance (F + 2)(F^2 + 2 F + 3) / (18 (F + 1)^2 K F).
    """
    one, other, levels = checked_pair(first, second, levels=levels)
    difference = int(np.sum(np.maximum(one, other) - np.minimum(one, other), dtype=np.int64))
    mean, deviation = _uaci_moments(one.size, levels)
    value = difference / (one.size * (levels - 1))
    return normal_measurement("uaci", value, mean, deviation, level, note=_NOTE)


def _uaci_moments(samples: int, levels: int) -> tuple[float, float]:
    top = levels - 1
    variance = (top + 2) * (top**2 + 2 * top + 3) / (18 * (top + 1) ** 2 * samples * top)
    return (top + 2) / (3 * top + 3), sqrt(variance)


def npcr_critical(samples: int, *, levels: int = 256, level: float = LEVEL) -> float:
    """Return the npcr below which images of so many samples K are rejected, by the normal tail.

    Mean less z deviations, as in `npcr`, with z the upper quantile of the level. It is a fraction,
    0..1; for K too small for the normal tail it may lie outside.

    Examples
    --------
    >>> round(npcr_critical(512 * 512), 6)
    0.995893
    """
    checked_counts(samples, levels)
    mean = (levels - 1) / levels
    return mean + normal_quantile(checked_level(level)) * sqrt(mean / levels / samples)


def uaci_critical(samples: int, *, levels: int = 256, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of uaci, two fractions, outside which images of K samples are rejected.

    Mean plus and less z deviations, as in `uaci`, with z the upper quantile of half the level.
    """
    checked_counts(samples, levels)
    mean, deviation = _uaci_moments(samples, levels)
    margin = -normal_quantile(checked_level(level) / 2) * deviation
    return mean - margin, mean + margin
