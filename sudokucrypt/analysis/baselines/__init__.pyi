from sudokucrypt.analysis.baselines.contract import BASELINES as BASELINES
from sudokucrypt.analysis.baselines.contract import Baseline as Baseline
from sudokucrypt.analysis.baselines.contract import GrayCipher as GrayCipher
from sudokucrypt.analysis.baselines.contract import PixelMap as PixelMap
from sudokucrypt.analysis.baselines.contract import register_baseline as register_baseline
from sudokucrypt.analysis.baselines.moving import ArnoldMap as ArnoldMap
from sudokucrypt.analysis.baselines.moving import BakerMap as BakerMap
from sudokucrypt.analysis.baselines.moving import BitShuffle as BitShuffle
from sudokucrypt.analysis.baselines.moving import BlockShuffle as BlockShuffle
from sudokucrypt.analysis.baselines.moving import ContentKeyedShuffle as ContentKeyedShuffle
from sudokucrypt.analysis.baselines.moving import Fibonacci as Fibonacci
from sudokucrypt.analysis.baselines.moving import FibonacciPCode as FibonacciPCode
from sudokucrypt.analysis.baselines.moving import GrayCode as GrayCode
from sudokucrypt.analysis.baselines.moving import HilbertScan as HilbertScan
from sudokucrypt.analysis.baselines.moving import LogisticSort as LogisticSort
from sudokucrypt.analysis.baselines.moving import RowColumnShuffle as RowColumnShuffle
from sudokucrypt.analysis.baselines.moving import Tomato as Tomato
from sudokucrypt.analysis.baselines.moving import UniformShuffle as UniformShuffle
from sudokucrypt.analysis.baselines.substituting import ChainAdd as ChainAdd
from sudokucrypt.analysis.baselines.substituting import ChainXor as ChainXor
from sudokucrypt.analysis.baselines.substituting import (
    ColorEncryptThenCompress as ColorEncryptThenCompress,
)
from sudokucrypt.analysis.baselines.substituting import DnaCoding as DnaCoding
from sudokucrypt.analysis.baselines.substituting import ExtendedLearnable as ExtendedLearnable
from sudokucrypt.analysis.baselines.substituting import (
    GrayEncryptThenCompress as GrayEncryptThenCompress,
)
from sudokucrypt.analysis.baselines.substituting import Learnable as Learnable
from sudokucrypt.analysis.baselines.substituting import LogisticSubstitution as LogisticSubstitution
from sudokucrypt.analysis.baselines.substituting import SBox as SBox

__all__: list[str]
