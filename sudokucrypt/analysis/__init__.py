"""Measure how random an image or a permutation looks, and say what the figures mean."""

from sudokucrypt.analysis.correlation import (
    Direction,
    adjacent_correlation,
    autocorrelation_map,
    correlations,
    scatter_pairs,
    spectrum_magnitude,
)
from sudokucrypt.analysis.differential import npcr, npcr_critical, uaci, uaci_critical
from sudokucrypt.analysis.displacements import DisplacementCounts, displacement, displacement_counts
from sudokucrypt.analysis.entropy import global_entropy, local_entropy
from sudokucrypt.analysis.entropy_law import entropy_moments
from sudokucrypt.analysis.keys import KeyedMap, avalanche, key_sensitivity, key_space_bits
from sudokucrypt.analysis.permutations import (
    cycles,
    fixed_points,
    permutation_statistics,
    rank_correlation,
)
from sudokucrypt.analysis.positions import position_table, position_uniformity
from sudokucrypt.analysis.quality import mse, psnr, ssim
from sudokucrypt.analysis.results import Measurement
from sudokucrypt.analysis.separation import (
    neighbour_separation,
    neighbours_kept,
    serial_correlation,
)
from sudokucrypt.analysis.texture import (
    cooccurrence_features,
    gray_difference,
    gray_difference_degree,
)
from sudokucrypt.analysis.uniformity import bit_plane_balance, chi_square_uniformity, histogram

__all__ = [
    "Direction",
    "DisplacementCounts",
    "KeyedMap",
    "Measurement",
    "adjacent_correlation",
    "autocorrelation_map",
    "avalanche",
    "bit_plane_balance",
    "chi_square_uniformity",
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
    "scatter_pairs",
    "serial_correlation",
    "spectrum_magnitude",
    "ssim",
    "uaci",
    "uaci_critical",
]
