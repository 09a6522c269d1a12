"""Scramblers from the literature: for tables and as targets of attacks, not for protection."""

from sudokucrypt.analysis.baselines.baseline import BASELINES, Baseline, register_baseline
from sudokucrypt.analysis.baselines.orbits import ArnoldMap, BakerMap, LogisticSort
from sudokucrypt.analysis.baselines.orders import (
    BlockShuffle,
    Fibonacci,
    FibonacciPCode,
    GrayCode,
    HilbertScan,
    RowColumnShuffle,
    UniformShuffle,
)

__all__ = [
    "BASELINES",
    "ArnoldMap",
    "BakerMap",
    "Baseline",
    "BlockShuffle",
    "Fibonacci",
    "FibonacciPCode",
    "GrayCode",
    "HilbertScan",
    "LogisticSort",
    "RowColumnShuffle",
    "UniformShuffle",
    "register_baseline",
]
