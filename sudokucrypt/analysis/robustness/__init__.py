"""What is left of pictures whose protected form was disturbed on its way, and then restored."""

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
