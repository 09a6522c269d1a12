"""What is left of pictures whose protected form was disturbed on its way, and then restored."""

# The order in which these modules register disturbances is that of reports.
from sudokucrypt.analysis.robustness import noise as noise
from sudokucrypt.analysis.robustness import services as services
from sudokucrypt.analysis.robustness.disturbance import (
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
