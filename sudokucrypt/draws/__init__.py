"""Unbiased draws from a stream of bytes."""

from sudokucrypt.draws.stream import ByteStream, StreamDraws

__all__ = ["ByteStream", "StreamDraws"]
