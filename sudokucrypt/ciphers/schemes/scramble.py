"""Scheme ``scramble-v1``: units change places, values stay."""

from sudokucrypt.ciphers.pipeline import Permutation, Pipeline
from sudokucrypt.ciphers.registry import register_scheme
from sudokucrypt.ciphers.tagged import TaggedScheme
from sudokucrypt.header import Header


def _pipeline(header: Header) -> Pipeline:
    return Pipeline((Permutation(header.unit, header.block_size, header.rounds),))


SCRAMBLE: TaggedScheme = register_scheme(TaggedScheme("scramble-v1", _pipeline))
"""The scheme that moves pixels, samples or blocks and changes no value."""
