"""Measure how random an image or a permutation looks, and say what the figures mean."""

from sudokucrypt.analysis.attacking import AttackFigures, AttackRun, run_attack
from sudokucrypt.analysis.attacks import ATTACKS
from sudokucrypt.analysis.baselines import BASELINES
from sudokucrypt.analysis.comparison import ComparedRun, ComparisonFigures, compare_schemes
from sudokucrypt.analysis.image_figures import ImageFigures, measure_image
from sudokucrypt.analysis.images import NamedImage, specimens
from sudokucrypt.analysis.metrics.correlation import (
    Direction,
    adjacent_correlation,
    autocorrelation_map,
    correlations,
    scatter_pairs,
    spectrum_magnitude,
)
from sudokucrypt.analysis.metrics.differential import npcr, npcr_critical, uaci, uaci_critical
from sudokucrypt.analysis.metrics.entropy import global_entropy, local_entropy
from sudokucrypt.analysis.metrics.entropy_law import entropy_moments
from sudokucrypt.analysis.metrics.keys import KeyedMap, avalanche, key_sensitivity, key_space_bits
from sudokucrypt.analysis.metrics.metric import METRICS, Metric
from sudokucrypt.analysis.metrics.permutations import (
    cycles,
    fixed_points,
    permutation_statistics,
    rank_correlation,
)
from sudokucrypt.analysis.metrics.positions import (
    DisplacementCounts,
    displacement,
    displacement_counts,
    position_table,
    position_uniformity,
)
from sudokucrypt.analysis.metrics.quality import mse, psnr, ssim
from sudokucrypt.analysis.metrics.separation import (
    neighbour_separation,
    neighbours_kept,
    serial_correlation,
)
from sudokucrypt.analysis.metrics.texture import (
    cooccurrence_features,
    gray_difference,
    gray_difference_degree,
)
from sudokucrypt.analysis.metrics.uniformity import (
    bit_plane_balance,
    chi_square_uniformity,
    histogram,
)
from sudokucrypt.registry import Registry
from sudokucrypt.analysis.results import Measurement
from sudokucrypt.analysis.schemes import Keyed, Run, Scheme, report_key, scheme_from_function
from sudokucrypt.analysis.security import SecurityFigures, Series, measure_security

__all__ = [
    "ATTACKS",
    "BASELINES",
    "METRICS",
    "AttackFigures",
    "AttackRun",
    "ComparedRun",
    "ComparisonFigures",
    "Direction",
    "DisplacementCounts",
    "ImageFigures",
    "Keyed",
    "KeyedMap",
    "Measurement",
    "Metric",
    "NamedImage",
    "Registry",
    "Run",
    "Scheme",
    "SecurityFigures",
    "Series",
    "adjacent_correlation",
    "autocorrelation_map",
    "avalanche",
    "bit_plane_balance",
    "chi_square_uniformity",
    "compare_schemes",
    "cooccurrence_features",
    "correlations",
    "cycles",
    "displacement",
    "displacement_counts",
    "entropy_moments",
    "fixed_points",
    "global_entropy",
    "gray_difference",
    "gray_difference_degree",
    "histogram",
    "key_sensitivity",
    "key_space_bits",
    "local_entropy",
    "measure_image",
    "measure_security",
    "mse",
    "neighbour_separation",
    "neighbours_kept",
    "npcr",
    "npcr_critical",
    "permutation_statistics",
    "position_table",
    "position_uniformity",
    "psnr",
    "rank_correlation",
    "report_key",
    "run_attack",
    "scatter_pairs",
    "scheme_from_function",
    "serial_correlation",
    "specimens",
    "spectrum_magnitude",
    "ssim",
    "uaci",
    "uaci_critical",
]
