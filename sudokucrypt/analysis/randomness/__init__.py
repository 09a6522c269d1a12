"""Test whether bits look random: the fifteen tests of NIST SP 800-22 rev. 1a.

Sections are those of L. E. Bassham et al., 2010, doi:10.6028/NIST.SP.800-22r1a. `bits`, `level` and
`enforce_length` are everywhere as in `frequency`. The `reference` is "corrected" for exact
constants, or "sts-2.1.2" for those of the reference program. Whatever takes bits raises
`InvalidParameterError` for what is no bits, and `UnsupportedError` without SciPy.
"""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "analysis.randomness.bits": (
        "BitsLike ByteSource bit_text bits_from_image bits_from_stream packed_bits split_bits"
    ),
    "analysis.randomness.counts": (
        "block_frequency cumulative_sums frequency longest_run random_excursions "
        "random_excursions_variant runs"
    ),
    "analysis.randomness.distances": "universal",
    "analysis.randomness.outcome": "RandomnessResult Reference Verdict",
    "analysis.randomness.patterns": (
        "aperiodic_templates approximate_entropy non_overlapping_templates overlapping_template "
        "serial"
    ),
    "analysis.randomness.structure": "linear_complexity matrix_rank spectral",
    "analysis.randomness.suite": (
        "RandomnessTest SequencesSummary nist_tests run_nist_tests summarise_sequences"
    ),
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.analysis.randomness.bits import BitsLike as BitsLike
    from sudokucrypt.analysis.randomness.bits import ByteSource as ByteSource
    from sudokucrypt.analysis.randomness.bits import bit_text as bit_text
    from sudokucrypt.analysis.randomness.bits import bits_from_image as bits_from_image
    from sudokucrypt.analysis.randomness.bits import bits_from_stream as bits_from_stream
    from sudokucrypt.analysis.randomness.bits import packed_bits as packed_bits
    from sudokucrypt.analysis.randomness.bits import split_bits as split_bits
    from sudokucrypt.analysis.randomness.counts import block_frequency as block_frequency
    from sudokucrypt.analysis.randomness.counts import cumulative_sums as cumulative_sums
    from sudokucrypt.analysis.randomness.counts import frequency as frequency
    from sudokucrypt.analysis.randomness.counts import longest_run as longest_run
    from sudokucrypt.analysis.randomness.counts import random_excursions as random_excursions
    from sudokucrypt.analysis.randomness.counts import (
        random_excursions_variant as random_excursions_variant,
    )
    from sudokucrypt.analysis.randomness.counts import runs as runs
    from sudokucrypt.analysis.randomness.distances import universal as universal
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult as RandomnessResult
    from sudokucrypt.analysis.randomness.outcome import Reference as Reference
    from sudokucrypt.analysis.randomness.outcome import Verdict as Verdict
    from sudokucrypt.analysis.randomness.patterns import aperiodic_templates as aperiodic_templates
    from sudokucrypt.analysis.randomness.patterns import approximate_entropy as approximate_entropy
    from sudokucrypt.analysis.randomness.patterns import (
        non_overlapping_templates as non_overlapping_templates,
    )
    from sudokucrypt.analysis.randomness.patterns import (
        overlapping_template as overlapping_template,
    )
    from sudokucrypt.analysis.randomness.patterns import serial as serial
    from sudokucrypt.analysis.randomness.structure import linear_complexity as linear_complexity
    from sudokucrypt.analysis.randomness.structure import matrix_rank as matrix_rank
    from sudokucrypt.analysis.randomness.structure import spectral as spectral
    from sudokucrypt.analysis.randomness.suite import RandomnessTest as RandomnessTest
    from sudokucrypt.analysis.randomness.suite import SequencesSummary as SequencesSummary
    from sudokucrypt.analysis.randomness.suite import nist_tests as nist_tests
    from sudokucrypt.analysis.randomness.suite import run_nist_tests as run_nist_tests
    from sudokucrypt.analysis.randomness.suite import summarise_sequences as summarise_sequences
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES)
