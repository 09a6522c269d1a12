"""Test whether bits look random: the fifteen tests of NIST SP 800-22 rev. 1a.

Sections are those of L. E. Bassham et al., 2010, doi:10.6028/NIST.SP.800-22r1a. `bits`, `level` and
`enforce_length` are everywhere as in `frequency`. The `reference` is "corrected" for exact
constants, or "sts-2.1.2" for those of the reference program. Whatever takes bits raises
`InvalidParameterError` for what is no bits, and `UnsupportedError` without SciPy.
"""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
