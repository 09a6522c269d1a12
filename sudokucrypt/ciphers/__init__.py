"""Schemes: how rounds, keys and tags join into something that scrambles and restores exactly."""

from sudokucrypt.ciphers.registry import scheme_for
from sudokucrypt.ciphers.scramble import ContextScramble, TaggedScramble
from sudokucrypt.ciphers.tag import authentication_tag

__all__ = ["ContextScramble", "TaggedScramble", "authentication_tag", "scheme_for"]
