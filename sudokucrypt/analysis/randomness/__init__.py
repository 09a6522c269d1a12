"""Test whether bits look random: the fifteen tests of NIST SP 800-22 rev. 1a."""

from sudokucrypt.analysis.randomness.bits import (
    BitsLike,
    ByteSource,
    bit_text,
    bits_from_image,
    bits_from_stream,
    packed_bits,
    split_bits,
)
from sudokucrypt.analysis.randomness.counts import block_frequency, frequency, longest_run, runs
from sudokucrypt.analysis.randomness.outcome import RandomnessResult, Reference, Verdict
from sudokucrypt.analysis.randomness.patterns import approximate_entropy, serial, universal
from sudokucrypt.analysis.randomness.structure import linear_complexity, matrix_rank, spectral
from sudokucrypt.analysis.randomness.suite import (
    RandomnessTest,
    SequencesSummary,
    nist_tests,
    run_nist_tests,
    summarise_sequences,
)
from sudokucrypt.analysis.randomness.templates import (
    aperiodic_templates,
    non_overlapping_templates,
    overlapping_template,
)
from sudokucrypt.analysis.randomness.walks import (
    cumulative_sums,
    random_excursions,
    random_excursions_variant,
)

__all__ = [
    "BitsLike",
    "ByteSource",
    "RandomnessResult",
    "RandomnessTest",
    "Reference",
    "SequencesSummary",
    "Verdict",
    "aperiodic_templates",
    "approximate_entropy",
    "bit_text",
    "bits_from_image",
    "bits_from_stream",
    "block_frequency",
    "cumulative_sums",
    "frequency",
    "linear_complexity",
    "longest_run",
    "matrix_rank",
    "nist_tests",
    "non_overlapping_templates",
    "overlapping_template",
    "packed_bits",
    "random_excursions",
    "random_excursions_variant",
    "run_nist_tests",
    "runs",
    "serial",
    "spectral",
    "split_bits",
    "summarise_sequences",
    "universal",
]
