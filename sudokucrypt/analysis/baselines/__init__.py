"""Scramblers from the literature: for tables and as targets of attacks, not for protection."""

from sudokucrypt.analysis.baselines.baseline import (
    BASELINES,
    Baseline,
    Scrambler,
    register_baseline,
)
from sudokucrypt.analysis.baselines.chained import ChainAdd, ChainXor, ContentKeyedShuffle
from sudokucrypt.analysis.baselines.compressible import (
    ColorEtc,
    ExtendedLearnable,
    GrayEtc,
    Learnable,
)
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
from sudokucrypt.analysis.baselines.substitutions import BitShuffle, DnaCoding, SBox

__all__ = [
    "BASELINES",
    "ArnoldMap",
    "BakerMap",
    "Baseline",
    "BitShuffle",
    "BlockShuffle",
    "ChainAdd",
    "ChainXor",
    "ColorEtc",
    "ContentKeyedShuffle",
    "DnaCoding",
    "ExtendedLearnable",
    "Fibonacci",
    "FibonacciPCode",
    "GrayCode",
    "GrayEtc",
    "HilbertScan",
    "Learnable",
    "LogisticSort",
    "RowColumnShuffle",
    "SBox",
    "Scrambler",
    "UniformShuffle",
    "register_baseline",
]
