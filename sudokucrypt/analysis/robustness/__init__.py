"""Measure how much of a picture is restored after its protected form was disturbed."""

from sudokucrypt.analysis.robustness.disturbances import (
    DISTURBANCES,
    Disturbance,
    disturbance,
    expected_figures,
)
from sudokucrypt.analysis.robustness.measuring import (
    DisturbedRun,
    RobustnessFigures,
    measure_robustness,
)

__all__ = [
    "DISTURBANCES",
    "Disturbance",
    "DisturbedRun",
    "RobustnessFigures",
    "disturbance",
    "expected_figures",
    "measure_robustness",
]
