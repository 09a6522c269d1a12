"""Schemes: how rounds, key streams and tags join into something that restores exactly."""

from sudokucrypt.ciphers.coefficients import SCRAMBLE_JPEG, DcRange, coefficient_scheme
from sudokucrypt.ciphers.context import ContextScheme
from sudokucrypt.ciphers.maps import picture_permutation
from sudokucrypt.ciphers.pipeline import Part, Pipeline
from sudokucrypt.ciphers.registry import SCHEMES, register_scheme, scheme_named
from sudokucrypt.ciphers.schemes.encrypt import ENCRYPT
from sudokucrypt.ciphers.schemes.scramble import SCRAMBLE
from sudokucrypt.ciphers.stages import KeyStreamMask, Permutation, Stage, StageContext
from sudokucrypt.ciphers.tag import sample_digests, tag_message
from sudokucrypt.ciphers.tagged import TaggedScheme

__all__ = [
    "ENCRYPT",
    "SCHEMES",
    "SCRAMBLE",
    "SCRAMBLE_JPEG",
    "ContextScheme",
    "DcRange",
    "KeyStreamMask",
    "Part",
    "Permutation",
    "Pipeline",
    "Stage",
    "StageContext",
    "TaggedScheme",
    "coefficient_scheme",
    "picture_permutation",
    "register_scheme",
    "sample_digests",
    "scheme_named",
    "tag_message",
]
