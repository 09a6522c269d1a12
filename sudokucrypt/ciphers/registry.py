"""Which scheme a header names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.ciphers.scramble import ContextScramble, TaggedScramble
from sudokucrypt.errors import InvalidParameterError, UnsupportedVersionError

if TYPE_CHECKING:
    from sudokucrypt.formats import Header

_SCHEMES = {scheme.name: scheme for scheme in (TaggedScramble, ContextScramble)}


def scheme_for(header: Header, context: str | None) -> TaggedScramble | ContextScramble:
    """Return the scheme that restores what `header` describes.

    Raises
    ------
    UnsupportedVersionError
        If the header names a scheme that this release does not know.
    InvalidParameterError
        If the scheme needs a context and none is given, or the other way round.
    """
    kind = _SCHEMES.get(header.scheme)
    if kind is None:
        raise UnsupportedVersionError(
            f"the scheme {header.scheme!r} is not known", hint="a newer release may know it"
        )
    if kind is ContextScramble:
        if context is None:
            raise InvalidParameterError(
                "this picture was scrambled under a context", hint="give it with --context TEXT"
            )
        return ContextScramble(context)
    if context is not None:
        raise InvalidParameterError(
            "this picture was scrambled without a context", hint="leave the context out"
        )
    return TaggedScramble()
