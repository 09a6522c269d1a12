from sudokucrypt.analysis.randomness.bit_patterns import aperiodic_templates as aperiodic_templates
from sudokucrypt.analysis.randomness.bit_patterns import approximate_entropy as approximate_entropy
from sudokucrypt.analysis.randomness.bit_patterns import (
    non_overlapping_templates as non_overlapping_templates,
)
from sudokucrypt.analysis.randomness.bit_patterns import (
    overlapping_template as overlapping_template,
)
from sudokucrypt.analysis.randomness.bit_patterns import serial as serial
from sudokucrypt.analysis.randomness.bit_sequences import BitsLike as BitsLike
from sudokucrypt.analysis.randomness.bit_sequences import ByteSource as ByteSource
from sudokucrypt.analysis.randomness.bit_sequences import RandomnessResult as RandomnessResult
from sudokucrypt.analysis.randomness.bit_sequences import Reference as Reference
from sudokucrypt.analysis.randomness.bit_sequences import Verdict as Verdict
from sudokucrypt.analysis.randomness.bit_sequences import bit_text as bit_text
from sudokucrypt.analysis.randomness.bit_sequences import bits_from_image as bits_from_image
from sudokucrypt.analysis.randomness.bit_sequences import bits_from_stream as bits_from_stream
from sudokucrypt.analysis.randomness.bit_sequences import packed_bits as packed_bits
from sudokucrypt.analysis.randomness.bit_sequences import split_bits as split_bits
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
from sudokucrypt.analysis.randomness.rank_and_spectrum import linear_complexity as linear_complexity
from sudokucrypt.analysis.randomness.rank_and_spectrum import matrix_rank as matrix_rank
from sudokucrypt.analysis.randomness.rank_and_spectrum import spectral as spectral
from sudokucrypt.analysis.randomness.suite import RandomnessTest as RandomnessTest
from sudokucrypt.analysis.randomness.suite import SequencesSummary as SequencesSummary
from sudokucrypt.analysis.randomness.suite import nist_tests as nist_tests
from sudokucrypt.analysis.randomness.suite import run_nist_tests as run_nist_tests
from sudokucrypt.analysis.randomness.suite import summarize_sequences as summarize_sequences

__all__: list[str]
