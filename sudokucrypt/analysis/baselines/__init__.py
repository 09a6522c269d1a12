"""Scramblers from the literature: for tables and as targets of attacks, not for protection."""

from sudokucrypt.analysis.baselines.arnold import ArnoldMap
from sudokucrypt.analysis.baselines.baker import BakerMap
from sudokucrypt.analysis.baselines.baseline import Baseline
from sudokucrypt.analysis.baselines.catalogue import BASELINES
from sudokucrypt.analysis.baselines.fibonacci import Fibonacci, FibonacciPCode
from sudokucrypt.analysis.baselines.gray_code import GrayCode
from sudokucrypt.analysis.baselines.hilbert import HilbertScan
from sudokucrypt.analysis.baselines.logistic import LogisticSort
from sudokucrypt.analysis.baselines.shuffles import BlockShuffle, RowColumnShuffle, UniformShuffle

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
]
