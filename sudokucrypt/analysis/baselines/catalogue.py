"""All schemes for comparison, with the parameters that tables use."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sudokucrypt.analysis.baselines.arnold import ArnoldMap
from sudokucrypt.analysis.baselines.baker import BakerMap
from sudokucrypt.analysis.baselines.fibonacci import Fibonacci, FibonacciPCode
from sudokucrypt.analysis.baselines.gray_code import GrayCode
from sudokucrypt.analysis.baselines.hilbert import HilbertScan
from sudokucrypt.analysis.baselines.logistic import LogisticSort
from sudokucrypt.analysis.baselines.shuffles import BlockShuffle, RowColumnShuffle, UniformShuffle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.analysis.baselines.baseline import Baseline

_ALL: tuple[Baseline, ...] = (
    ArnoldMap(),
    BakerMap(),
    Fibonacci(),
    FibonacciPCode(),
    GrayCode(),
    HilbertScan(),
    LogisticSort(),
    RowColumnShuffle(),
    BlockShuffle(),
    UniformShuffle(),
)

BASELINES: Mapping[str, Baseline] = MappingProxyType({scheme.name: scheme for scheme in _ALL})
"""One of each scheme with its default parameters, by name; the uniform shuffle comes last."""
