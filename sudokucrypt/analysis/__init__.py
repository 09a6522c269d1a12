"""Measure how random an image or a permutation looks, and say what the figures mean.

Arguments of one name are alike wherever they occur:

- images are array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16, with a sample;
- ``levels`` L says that samples are 0..L-1; by default there are as many as the dtype has;
- ``level`` is the level of significance of each test, two-sided unless a function says otherwise;
- permutations are array_like of shape (N,), dtype integer, and say where each of N units lands;
- ``source`` makes random choices, by default ``seeded_draws(0)``: the same ones each time;
- ``progress`` is called with how many steps are done, and of how many.

Functions raise `InvalidImageError` for images that they do not take or that do not fit together,
`InvalidParameterError` for other arguments out of range, and `UnsupportedError` where they need
SciPy or scikit-image and it is not installed.
"""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "analysis.attacking": "AttackFigures AttackRun run_attack run_jpeg_attack",
    "analysis.attacks": "ATTACKS",
    "analysis.baselines": "BASELINES",
    "analysis.comparison": "ComparedRun ComparisonFigures compare_schemes protected_twins",
    "analysis.image_figures": "ImageFigures measure_image",
    "analysis.images": "NamedImage NamedJpeg specimens",
    "analysis.literature": "LITERATURE",
    "analysis.metrics.correlation": (
        "Direction adjacent_correlation autocorrelation_map correlations scatter_pairs "
        "spectrum_magnitude"
    ),
    "analysis.metrics.deviation": (
        "histogram_variance irregular_deviation mae maximum_deviation plain_correlation "
        "uniform_deviation"
    ),
    "analysis.metrics.entropy": "entropy_moments global_entropy local_entropy",
    "analysis.metrics.keys": "avalanche key_sensitivity key_space_bits",
    "analysis.metrics.metric": "METRICS Metric",
    "analysis.metrics.permutations": (
        "cycles fixed_points neighbour_separation neighbours_kept permutation_statistics "
        "rank_correlation serial_correlation"
    ),
    "analysis.metrics.positions": (
        "DisplacementCounts displacement displacement_counts position_table position_uniformity"
    ),
    "analysis.metrics.quality": "mse nbcr npcr npcr_critical psnr ssim uaci uaci_critical",
    "analysis.metrics.texture": "cooccurrence_features gray_difference gray_difference_degree",
    "analysis.metrics.uniformity": "bit_plane_balance chi_square_uniformity histogram",
    "analysis.results": "Measurement",
    "analysis.robustness": (
        "DISTURBANCES Disturbance DisturbedRun RobustnessFigures measure_robustness"
    ),
    "analysis.schemes": (
        "JpegScheme Keyed KeyedMap MeasuredScheme SchemeResult report_key scheme_from_function"
    ),
    "analysis.security": "SecurityFigures Series measure_security",
    "analysis.speed": "LARGEST_SIDE Speed measure_speed",
    "registry": "Registry",
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.analysis.attacking import AttackFigures as AttackFigures
    from sudokucrypt.analysis.attacking import AttackRun as AttackRun
    from sudokucrypt.analysis.attacking import run_attack as run_attack
    from sudokucrypt.analysis.attacking import run_jpeg_attack as run_jpeg_attack
    from sudokucrypt.analysis.attacks import ATTACKS as ATTACKS
    from sudokucrypt.analysis.baselines import BASELINES as BASELINES
    from sudokucrypt.analysis.comparison import ComparedRun as ComparedRun
    from sudokucrypt.analysis.comparison import ComparisonFigures as ComparisonFigures
    from sudokucrypt.analysis.comparison import compare_schemes as compare_schemes
    from sudokucrypt.analysis.comparison import protected_twins as protected_twins
    from sudokucrypt.analysis.image_figures import ImageFigures as ImageFigures
    from sudokucrypt.analysis.image_figures import measure_image as measure_image
    from sudokucrypt.analysis.images import NamedImage as NamedImage
    from sudokucrypt.analysis.images import NamedJpeg as NamedJpeg
    from sudokucrypt.analysis.images import specimens as specimens
    from sudokucrypt.analysis.literature import LITERATURE as LITERATURE
    from sudokucrypt.analysis.metrics.correlation import Direction as Direction
    from sudokucrypt.analysis.metrics.correlation import (
        adjacent_correlation as adjacent_correlation,
    )
    from sudokucrypt.analysis.metrics.correlation import autocorrelation_map as autocorrelation_map
    from sudokucrypt.analysis.metrics.correlation import correlations as correlations
    from sudokucrypt.analysis.metrics.correlation import scatter_pairs as scatter_pairs
    from sudokucrypt.analysis.metrics.correlation import spectrum_magnitude as spectrum_magnitude
    from sudokucrypt.analysis.metrics.deviation import histogram_variance as histogram_variance
    from sudokucrypt.analysis.metrics.deviation import irregular_deviation as irregular_deviation
    from sudokucrypt.analysis.metrics.deviation import mae as mae
    from sudokucrypt.analysis.metrics.deviation import maximum_deviation as maximum_deviation
    from sudokucrypt.analysis.metrics.deviation import plain_correlation as plain_correlation
    from sudokucrypt.analysis.metrics.deviation import uniform_deviation as uniform_deviation
    from sudokucrypt.analysis.metrics.entropy import entropy_moments as entropy_moments
    from sudokucrypt.analysis.metrics.entropy import global_entropy as global_entropy
    from sudokucrypt.analysis.metrics.entropy import local_entropy as local_entropy
    from sudokucrypt.analysis.metrics.keys import avalanche as avalanche
    from sudokucrypt.analysis.metrics.keys import key_sensitivity as key_sensitivity
    from sudokucrypt.analysis.metrics.keys import key_space_bits as key_space_bits
    from sudokucrypt.analysis.metrics.metric import METRICS as METRICS
    from sudokucrypt.analysis.metrics.metric import Metric as Metric
    from sudokucrypt.analysis.metrics.permutations import cycles as cycles
    from sudokucrypt.analysis.metrics.permutations import fixed_points as fixed_points
    from sudokucrypt.analysis.metrics.permutations import (
        neighbour_separation as neighbour_separation,
    )
    from sudokucrypt.analysis.metrics.permutations import neighbours_kept as neighbours_kept
    from sudokucrypt.analysis.metrics.permutations import (
        permutation_statistics as permutation_statistics,
    )
    from sudokucrypt.analysis.metrics.permutations import rank_correlation as rank_correlation
    from sudokucrypt.analysis.metrics.permutations import serial_correlation as serial_correlation
    from sudokucrypt.analysis.metrics.positions import DisplacementCounts as DisplacementCounts
    from sudokucrypt.analysis.metrics.positions import displacement as displacement
    from sudokucrypt.analysis.metrics.positions import displacement_counts as displacement_counts
    from sudokucrypt.analysis.metrics.positions import position_table as position_table
    from sudokucrypt.analysis.metrics.positions import position_uniformity as position_uniformity
    from sudokucrypt.analysis.metrics.quality import mse as mse
    from sudokucrypt.analysis.metrics.quality import nbcr as nbcr
    from sudokucrypt.analysis.metrics.quality import npcr as npcr
    from sudokucrypt.analysis.metrics.quality import npcr_critical as npcr_critical
    from sudokucrypt.analysis.metrics.quality import psnr as psnr
    from sudokucrypt.analysis.metrics.quality import ssim as ssim
    from sudokucrypt.analysis.metrics.quality import uaci as uaci
    from sudokucrypt.analysis.metrics.quality import uaci_critical as uaci_critical
    from sudokucrypt.analysis.metrics.texture import cooccurrence_features as cooccurrence_features
    from sudokucrypt.analysis.metrics.texture import gray_difference as gray_difference
    from sudokucrypt.analysis.metrics.texture import (
        gray_difference_degree as gray_difference_degree,
    )
    from sudokucrypt.analysis.metrics.uniformity import bit_plane_balance as bit_plane_balance
    from sudokucrypt.analysis.metrics.uniformity import (
        chi_square_uniformity as chi_square_uniformity,
    )
    from sudokucrypt.analysis.metrics.uniformity import histogram as histogram
    from sudokucrypt.analysis.results import Measurement as Measurement
    from sudokucrypt.analysis.robustness import DISTURBANCES as DISTURBANCES
    from sudokucrypt.analysis.robustness import Disturbance as Disturbance
    from sudokucrypt.analysis.robustness import DisturbedRun as DisturbedRun
    from sudokucrypt.analysis.robustness import RobustnessFigures as RobustnessFigures
    from sudokucrypt.analysis.robustness import measure_robustness as measure_robustness
    from sudokucrypt.analysis.schemes import JpegScheme as JpegScheme
    from sudokucrypt.analysis.schemes import Keyed as Keyed
    from sudokucrypt.analysis.schemes import KeyedMap as KeyedMap
    from sudokucrypt.analysis.schemes import MeasuredScheme as MeasuredScheme
    from sudokucrypt.analysis.schemes import SchemeResult as SchemeResult
    from sudokucrypt.analysis.schemes import report_key as report_key
    from sudokucrypt.analysis.schemes import scheme_from_function as scheme_from_function
    from sudokucrypt.analysis.security import SecurityFigures as SecurityFigures
    from sudokucrypt.analysis.security import Series as Series
    from sudokucrypt.analysis.security import measure_security as measure_security
    from sudokucrypt.analysis.speed import LARGEST_SIDE as LARGEST_SIDE
    from sudokucrypt.analysis.speed import Speed as Speed
    from sudokucrypt.analysis.speed import measure_speed as measure_speed
    from sudokucrypt.registry import Registry as Registry
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)
