"""Disturb protected pictures, restore them, and measure how much of each is restored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any, Literal, TypeAlias

from sudokucrypt.analysis.images import NamedImage, thin_out
from sudokucrypt.analysis.inputs import check_image_pair
from sudokucrypt.analysis.metrics.metric import METRICS
from sudokucrypt.analysis.progress import StepCounter, run_guarded
from sudokucrypt.analysis.robustness.disturbances import (
    DISTURBANCES,
    Disturbance,
    ExpectedFigures,
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

# The outcome: a restored picture, the refusal of a scheme that detects changes, or no measurement.
RobustnessOutcome: TypeAlias = Literal["restored", "refused", "not measured"]

# The maximum side of previews, since a page of a report shows many.
_PREVIEW_SIDE = 192
_METRIC_NAMES = ("psnr", "ssim", "plain_correlation")


@dataclass(frozen=True, eq=False, kw_only=True)
class DisturbedRun:
    """The result of one disturbance of one picture.

    `note` says why nothing was restored. `psnr` in decibels, `ssim` and `correlation` compare the
    restored picture with the plain one, and are NaN if nothing was restored. `expected` are the
    expected values for a scheme that only moves samples, if they are known. `preview` is the
    restored picture, shrunk to at most 192 pixels a side.
    """

    picture: NamedImage
    disturbance: Disturbance
    strength: float
    outcome: RobustnessOutcome
    note: str = ""
    psnr: float = nan
    ssim: float = nan
    correlation: float = nan
    expected: ExpectedFigures | None = None
    preview: AnyArray | None = None

    @property
    def label(self) -> str:
        """The name of the disturbance with its strength."""
        return self.disturbance.label(self.strength)


@dataclass(frozen=True, eq=False, kw_only=True)
class RobustnessFigures:
    """Measurements of one scheme: the runs of all disturbances, grouped by picture."""

    scheme: MeasuredScheme
    pictures: tuple[NamedImage, ...]
    runs: tuple[DisturbedRun, ...]

    @property
    def detects(self) -> bool:
        """Whether the scheme refuses changed pictures, and restores all others exactly."""
        has_refusal = any(run.outcome == "refused" for run in self.runs)
        return has_refusal and all(
            run.psnr == inf for run in self.runs if run.outcome == "restored"
        )


def measure_robustness(
    scheme: MeasuredScheme,
    pictures: Sequence[NamedImage],
    *,
    disturbances: Mapping[str, Sequence[float]] | None = None,
    timeout: float | None = None,
    progress: ProgressCallback | None = None,
) -> RobustnessFigures:
    """Disturb and restore the results of a scheme for pictures, under one key without salt.

    The disturbance "none", the undisturbed picture, is always the first. The same random choices
    are made for each picture and scheme. A scheme that detects a change refuses the picture. A
    scheme that does not take a picture, has no inverse or refuses its own result is not measured.
    `InvalidParameterError` is raised for unknown disturbances and strengths out of range.

    Parameters
    ----------
    scheme : MeasuredScheme
        The scheme.
    pictures : sequence of NamedImage
        The pictures, one or more.
    disturbances : mapping of str to sequence of float, optional
        Strengths by the names in `DISTURBANCES`; an empty sequence means the usual ones. By
        default all disturbances.
    timeout : float, optional
        The seconds after which a scheme is stopped on a picture and not measured; by default there
        is no limit.
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
    trials = _list_trials(disturbances)
    steps = StepCounter(len(pictures) * len(trials), progress)

    def measure_picture(picture: NamedImage) -> list[DisturbedRun]:
        try:
            rows = run_guarded(
                lambda: _measure_trials(scheme, picture, trials),
                foreign=bool(scheme.code),
                limit=timeout,
            )
        except SudokucryptError as error:
            rows = len(trials) * [{"outcome": "not measured", "note": str(error)}]
        return [
            DisturbedRun(picture=picture, disturbance=disturbance, strength=strength, **row)
            for (disturbance, strength), row in zip(trials, rows, strict=True)
        ]

    return RobustnessFigures(
        scheme=scheme,
        pictures=tuple(pictures),
        runs=tuple(
            steps.count_step(run) for picture in pictures for run in measure_picture(picture)
        ),
    )


def _list_trials(
    requested_strengths: Mapping[str, Sequence[float]] | None,
) -> list[tuple[Disturbance, float]]:
    """Return each disturbance with each of its strengths."""
    strengths_by_name = (
        dict.fromkeys(DISTURBANCES, ()) if requested_strengths is None else requested_strengths
    )
    unknown_names = [name for name in strengths_by_name if name not in DISTURBANCES]
    if unknown_names:
        raise InvalidParameterError(
            f"there is no disturbance {unknown_names[0]!r}",
            hint=f"choose from {', '.join(DISTURBANCES)}",
        )
    return [
        (DISTURBANCES[name], DISTURBANCES[name].check_strength(strength))
        for name, strengths in {"none": (), **strengths_by_name}.items()
        for strength in strengths or DISTURBANCES[name].usual
    ]


def _measure_trials(
    scheme: MeasuredScheme, picture: NamedImage, trials: list[tuple[Disturbance, float]]
) -> list[dict[str, Any]]:
    """Return the fields of `DisturbedRun` for each disturbance of one picture."""
    key = report_key(0)
    pixels, undo = scheme.fixed(picture.pixels, key)
    if undo is None:
        raise UnsupportedError("the scheme has no inverse")
    levels = picture.with_pixels(pixels).levels
    rows: list[dict[str, Any]] = []
    for disturbance, strength in trials:
        try:
            # Every scheme gets the same random disturbances, so that only the schemes differ.
            restored_pixels = undo(key, disturbance.disturb(pixels, strength, levels=levels))
            check_image_pair(picture.pixels, restored_pixels, levels=picture.levels)
        except DecryptionError as error:
            # A refusal shows that a scheme detects changes, unless it refuses even its own result.
            if disturbance.name == "none":
                raise
            rows.append({"outcome": "refused", "note": str(error)})
            continue
        except SudokucryptError as error:
            rows.append({"outcome": "not measured", "note": str(error)})
            continue
        values = {
            each.name: each.value
            for name in _METRIC_NAMES
            for each in METRICS[name].measure_named(
                picture.pixels, restored_pixels, levels=picture.levels
            )
        }
        expected = expected_figures(picture, disturbance, strength) if scheme.moves_only else None
        rows.append(
            {
                "outcome": "restored",
                "psnr": values["psnr"],
                "ssim": values["ssim"],
                "correlation": values["plain_correlation"],
                "expected": expected,
                "preview": thin_out(restored_pixels, side=_PREVIEW_SIDE).copy(),
            }
        )
    return rows
