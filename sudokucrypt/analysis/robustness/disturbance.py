"""What a disturbance is: its name, its strengths, what it does, and what theory says of it."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log10, nan, sqrt
from statistics import fmean
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.analysis.metrics.uniformity import histogram
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, RandomSource

# For each level, the mean and the mean square of what becomes of a sample of it.
LevelMoments: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


class ApplyDisturbance(Protocol):
    """What a disturbance does to an image, see `Disturbance`."""

    def __call__(
        self, image: AnyArray, strength: float, /, *, source: RandomSource, levels: int
    ) -> AnyArray:
        """Return a disturbed image of the same shape and dtype."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Disturbance:
    """A disturbance as commands and reports take it.

    `name` is used everywhere, such as "salt-and-pepper"; `meaning` says in a phrase what it does.
    `unit` is what a strength is, such as "share of samples", from `least` to `most`, and `usual`
    are the strengths that are measured, the mildest first.

    `apply` takes an image of uint8 or uint16 and a strength, and as options `source`, which makes
    the random choices, and `levels`. It returns an image of the same shape and dtype, and raises
    `UnsupportedError` for images that it is not defined for.

    `moments` takes the number of levels and a strength and returns `LevelMoments`, if all samples
    of one level fare alike wherever a uniform permutation has put them.
    """

    name: str
    meaning: str
    unit: str
    least: float
    most: float
    usual: tuple[float, ...]
    apply: ApplyDisturbance
    moments: Callable[[int, float], LevelMoments] | None = None

    def label(self, strength: float) -> str:
        """Return its name and a strength, such as "jpeg 50"; alone if there is one strength."""
        return self.name if self.least == self.most else f"{self.name} {strength:g}"

    def checked(self, strength: float) -> float:
        """Return a strength, or raise `InvalidParameterError` if it is out of range."""
        if not self.least <= strength <= self.most:
            raise InvalidParameterError(
                f"the strength of {self.name} is {self.least:g} to {self.most:g}, not {strength:g}",
                hint=f"it is the {self.unit}",
            )
        return strength

    def disturbed(
        self,
        image: AnyArray,
        strength: float,
        *,
        levels: int | None = None,
        source: RandomSource | None = None,
    ) -> AnyArray:
        """Return a disturbed image, of the shape and dtype of this one."""
        pixels, levels = checked_image(image, levels=levels)
        draws = seeded_draws(0) if source is None else source
        made = self.apply(pixels, self.checked(strength), source=draws, levels=levels)
        if made.shape != pixels.shape or made.dtype != pixels.dtype:
            raise InvalidImageError(
                f"{self.name} made {made.shape} of {made.dtype} from {pixels.shape} of "
                f"{pixels.dtype}",
                hint="a disturbance keeps shape and dtype",
            )
        return made.astype(image.dtype, copy=False)


DISTURBANCES = Registry(
    Disturbance,
    called="a disturbance",
    group="sudokucrypt.disturbances",
    package="sudokucrypt.analysis.robustness",
)
"""Every disturbance, by name."""


def disturbance(
    name: str, meaning: str, **fields: Any
) -> Callable[[ApplyDisturbance], ApplyDisturbance]:
    """Return a decorator that registers a function as the `apply` of a `Disturbance`.

    Parameters
    ----------
    name : str
        The name that commands and reports use, such as "salt-and-pepper".
    meaning : str
        What the disturbance does, as a phrase.
    **fields : Any
        Other fields of `Disturbance`: `unit`, `least`, `most` and `usual` are required.
    """

    def decorate(apply: ApplyDisturbance) -> ApplyDisturbance:
        DISTURBANCES.register(Disturbance(name=name, meaning=meaning, apply=apply, **fields))
        return apply

    return decorate


class Expected(NamedTuple):
    """What theory says of a restored picture."""

    psnr: float
    correlation: float


def expected_figures(
    plain: NamedImage, disturbance: Disturbance, strength: float
) -> Expected | None:
    """Return what is expected where a uniform permutation protects; None if theory has no word.

    PSNR, in decibels, is that of the mean squared error expected, and the correlation is that of
    the moments expected, the mean over the channels that are not constant.

    Parameters
    ----------
    plain : NamedImage
        The plain picture.
    disturbance : Disturbance
        What happens to the protected picture.
    strength : float
        How much of it, in the unit of the disturbance.

    Examples
    --------
    >>> from sudokucrypt.analysis import specimens
    >>> black = specimens(32)[0]
    >>> round(expected_figures(black, DISTURBANCES["salt-and-pepper"], 0.2).psnr, 6)
    10.0
    """
    if disturbance.moments is None:
        return None
    levels = np.arange(plain.levels, dtype=np.float64)
    means, squares = disturbance.moments(plain.levels, disturbance.checked(strength))
    errors, correlations = [], []
    for channel in plain.channels:
        shares = histogram(channel, levels=plain.levels) / channel.size

        def mean(figures: NDArray[np.float64], shares: NDArray[np.float64] = shares) -> float:
            return float(shares @ figures)

        errors.append(mean(squares - 2 * levels * means + levels**2))
        # After a uniform permutation every position is equally likely, so moments over levels are
        # enough.
        spread = mean(levels**2) - mean(levels) ** 2
        after = mean(squares) - mean(means) ** 2
        if np.count_nonzero(shares) > 1 and after > 0:
            both = mean(levels * means) - mean(levels) * mean(means)
            correlations.append(both / sqrt(spread * after))
    error = fmean(errors)
    return Expected(
        psnr=10 * log10((plain.levels - 1) ** 2 / error) if error > 0 else inf,
        correlation=fmean(correlations) if correlations else nan,
    )
