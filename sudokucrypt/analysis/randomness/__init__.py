"""Test whether bits look random: the fifteen tests of NIST SP 800-22 rev. 1a.

Section numbers refer to "the document": L. E. Bassham et al., 2010,
doi:10.6028/NIST.SP.800-22r1a. The parameters `bits`, `level` and `enforce_length` are the same in
all tests. The `reference` is "corrected" for exact constants, or "sts-2.1.2" for the constants of
the reference program. Functions of bits raise `InvalidParameterError` if values are not bits, and
`UnsupportedError` without SciPy.
"""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
