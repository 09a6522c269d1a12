"""Disturb protected pictures, restore them, and measure how much of each is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any, Literal, TypeAlias

from sudokucrypt.analysis.images import NamedImage, thin
from sudokucrypt.analysis.inputs import checked_pair
from sudokucrypt.analysis.metrics.metric import METRICS
from sudokucrypt.analysis.progress import Steps, run_guarded
from sudokucrypt.analysis.robustness.disturbances import (
    DISTURBANCES,
    Disturbance,
    Expected,
    expected_figures,
)
from sudokucrypt.analysis.schemes import MeasuredScheme, report_key
from sudokucrypt.errors import (
    DecryptionError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.typing import AnyArray, ProgressCallback

# The outcome: a picture, the refusal of a scheme that detects changes, or neither.
LeftOver: TypeAlias = Literal["restored", "refused", "not measured"]

# Many previews are on one page of a report, side by side.
_PREVIEW = 192
_FIGURES = ("psnr", "ssim", "plain_correlation")


@dataclass(frozen=True, eq=False, kw_only=True)
class DisturbedRun:
    """One disturbance of one picture.

    `note` says why nothing was restored. `psnr` in decibels, `ssim` and `correlation` compare what
    was restored with the plain picture, and are NaN if nothing was; `expected` is what theory says
    of a scheme that moves samples, where it does. `preview` is what was restored, thinned out to
    192 pixels a side at most.
    """

    picture: NamedImage
    disturbance: Disturbance
    strength: float
    outcome: LeftOver
    note: str = ""
    psnr: float = nan
    ssim: float = nan
    correlation: float = nan
    expected: Expected | None = None
    preview: AnyArray | None = None

    @property
    def label(self) -> str:
        """The disturbance and its strength."""
        return self.disturbance.label(self.strength)


@dataclass(frozen=True, eq=False, kw_only=True)
class RobustnessFigures:
    """Measurements of one scheme: a run for each disturbance of the first picture, and so on."""

    scheme: MeasuredScheme
    pictures: tuple[NamedImage, ...]
    runs: tuple[DisturbedRun, ...]

    @property
    def detects(self) -> bool:
        """Whether the scheme refuses what has changed, and restores the rest exactly."""
        refused = any(run.outcome == "refused" for run in self.runs)
        return refused and all(run.psnr == inf for run in self.runs if run.outcome == "restored")


def measure_robustness(
    scheme: MeasuredScheme,
    pictures: Sequence[NamedImage],
    *,
    disturbances: Mapping[str, Sequence[float]] | None = None,
    timeout: float | None = None,
    progress: ProgressCallback | None = None,
) -> RobustnessFigures:
    """Disturb what a scheme makes of pictures under one key, without salt, and restore it.

    `disturbances` are names of `DISTURBANCES` and strengths, by default all of them; without a
    strength the usual ones are taken, and "none", the undisturbed picture, always comes first. The
    same random choices are made for each picture and scheme. A scheme that detects the change
    refuses; one that does not take a picture, has no inverse or refuses its own result is not
    measured. `InvalidParameterError` is raised for disturbances and strengths that there are not.

    Parameters
    ----------
    scheme : MeasuredScheme
        The scheme.
    pictures : sequence of NamedImage
        The pictures, one or more.
    disturbances : mapping of str to sequence of float, optional
        The strengths by the names of `DISTURBANCES`; an empty sequence stands for the usual ones.
        By default all disturbances.
    timeout : float, optional
        The seconds after which a scheme is stopped on one picture, which is not measured then; by
        default there is no limit.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES, specimens
    >>> result = measure_robustness(
    ...     BASELINES["uniform"], specimens(64)[-1:], disturbances={"crop": [0.25]}
    ... )
    >>> [(run.label, round(run.correlation, 1)) for run in result.runs]
    [('none', 1.0), ('crop 0.25', 0.4)]
    """
    doses = _list_doses(disturbances)
    steps = Steps(len(pictures) * len(doses), progress)

    def measure(picture: NamedImage) -> list[DisturbedRun]:
        try:
            rows = run_guarded(
                lambda: _rows(scheme, picture, doses), foreign=bool(scheme.code), limit=timeout
            )
        except SudokucryptError as error:
            rows = len(doses) * [{"outcome": "not measured", "note": str(error)}]
        return [
            DisturbedRun(picture=picture, disturbance=disturbance, strength=strength, **row)
            for (disturbance, strength), row in zip(doses, rows, strict=True)
        ]

    return RobustnessFigures(
        scheme=scheme,
        pictures=tuple(pictures),
        runs=tuple(steps.after(run) for picture in pictures for run in measure(picture)),
    )


def _list_doses(wanted: Mapping[str, Sequence[float]] | None) -> list[tuple[Disturbance, float]]:
    """Return each disturbance with each strength."""
    chosen = dict.fromkeys(DISTURBANCES, ()) if wanted is None else wanted
    unknown = [name for name in chosen if name not in DISTURBANCES]
    if unknown:
        raise InvalidParameterError(
            f"there is no disturbance {unknown[0]!r}",
            hint=f"choose from {', '.join(DISTURBANCES)}",
        )
    return [
        (DISTURBANCES[name], DISTURBANCES[name].checked(strength))
        for name, strengths in {"none": (), **chosen}.items()
        for strength in strengths or DISTURBANCES[name].usual
    ]


def _rows(
    scheme: MeasuredScheme, picture: NamedImage, doses: list[tuple[Disturbance, float]]
) -> list[dict[str, Any]]:
    """Return what each disturbance leaves of one picture, as fields of `DisturbedRun`."""
    key = report_key(0)
    pixels, undo = scheme.fixed(picture.pixels, key)
    if undo is None:
        raise UnsupportedError("the scheme has no inverse")
    levels = picture.made_into(pixels).levels
    rows: list[dict[str, Any]] = []
    for disturbance, strength in doses:
        try:
            # The same random choices for each scheme: differences between schemes are their own.
            restored = undo(key, disturbance.disturbed(pixels, strength, levels=levels))
            checked_pair(picture.pixels, restored, levels=picture.levels)
        except DecryptionError as error:
            # Refusing is what authentication is for, and no failure of the measurement; but what
            # takes not even its own result back detects nothing.
            if disturbance.name == "none":
                raise
            rows.append({"outcome": "refused", "note": str(error)})
            continue
        except SudokucryptError as error:
            rows.append({"outcome": "not measured", "note": str(error)})
            continue
        figures = {
            each.name: each.value
            for name in _FIGURES
            for each in METRICS[name].take(picture.pixels, restored, levels=picture.levels)
        }
        expected = expected_figures(picture, disturbance, strength) if scheme.moves_only else None
        rows.append(
            {
                "outcome": "restored",
                "psnr": figures["psnr"],
                "ssim": figures["ssim"],
                "correlation": figures["plain_correlation"],
                "expected": expected,
                "preview": thin(restored, side=_PREVIEW).copy(),
            }
        )
    return rows
