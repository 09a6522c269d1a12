"""Schemes to compare with: for tables and as targets of attacks, never for protection.

Some are limits of what is possible, and the others are from the literature. `BASELINES` contains
all of them; the ciphers that follow one paper step by step state their `basis`.
"""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
