"""Schemes to compare with: for tables and as targets of attacks, never for protection.

Some are limits of what is possible, and the others are from the literature. `BASELINES` holds all
of them; the ciphers that follow one paper step by step state their `basis`.
"""

from sudokucrypt.analysis.baselines.contract import (
    BASELINES,
    Baseline,
    GrayCipher,
    PixelMap,
    register_baseline,
    scheme_from_baseline,
)
from sudokucrypt.analysis.baselines.moving import (
    ArnoldMap,
    BakerMap,
    BitShuffle,
    BlockShuffle,
    ContentKeyedShuffle,
    Fibonacci,
    FibonacciPCode,
    GrayCode,
    HilbertScan,
    LogisticSort,
    RowColumnShuffle,
    UniformShuffle,
)
from sudokucrypt.analysis.baselines.substituting import (
    ChainAdd,
    ChainXor,
    ColorEncryptThenCompress,
    DnaCoding,
    ExtendedLearnable,
    GrayEncryptThenCompress,
    Learnable,
    LogisticSubstitution,
    SBox,
)

__all__ = [
    "BASELINES",
    "ArnoldMap",
    "BakerMap",
    "Baseline",
    "BitShuffle",
    "BlockShuffle",
    "ChainAdd",
    "ChainXor",
    "ColorEncryptThenCompress",
    "ContentKeyedShuffle",
    "DnaCoding",
    "ExtendedLearnable",
    "Fibonacci",
    "FibonacciPCode",
    "GrayCipher",
    "GrayCode",
    "GrayEncryptThenCompress",
    "HilbertScan",
    "Learnable",
    "LogisticSort",
    "LogisticSubstitution",
    "PixelMap",
    "RowColumnShuffle",
    "SBox",
    "UniformShuffle",
    "register_baseline",
    "scheme_from_baseline",
]
