"""Scheme ``encrypt-v1``: pixels change places, then a key stream masks every sample."""

from sudokucrypt.ciphers.pipeline import KeyStreamMask, Permutation, Pipeline
from sudokucrypt.ciphers.registry import register_scheme
from sudokucrypt.ciphers.tagged import TaggedScheme
from sudokucrypt.errors import FormatError
from sudokucrypt.header import Header


def _pipeline(header: Header) -> Pipeline:
    if header.unit != "pixel":
        raise FormatError(f"a header of scheme {header.scheme} has the unit pixel")
    if header.segment is not None:
        from sudokucrypt.ciphers.tagged import SegmentPermutation  # which arrays do not need

        return Pipeline((SegmentPermutation(header.rounds), KeyStreamMask()))
    stage = Permutation(header.unit, header.block_size, header.rounds)
    return Pipeline((stage, KeyStreamMask()))


ENCRYPT: TaggedScheme = register_scheme(TaggedScheme("encrypt-v1", _pipeline, encrypts=True))
"""The scheme that moves pixels and masks their values."""
