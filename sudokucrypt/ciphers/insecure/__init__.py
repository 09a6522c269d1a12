"""Schemes from the literature that are NOT secure: for study and comparison only.

The recipes refuse them unless they are asked for by name.
"""

from sudokucrypt.ciphers.insecure.substitution import LOGISTIC_SUBSTITUTION

__all__ = ["LOGISTIC_SUBSTITUTION"]
