"""Which scheme a name stands for."""

from __future__ import annotations

from sudokucrypt.ciphers.insecure import LOGISTIC_SUBSTITUTION
from sudokucrypt.ciphers.schemes import ENCRYPT, SCRAMBLE, ContextScheme, TaggedScheme
from sudokucrypt.errors import InvalidParameterError, UnsupportedVersionError

SCHEMES = {scheme.name: scheme for scheme in (SCRAMBLE, ENCRYPT, LOGISTIC_SUBSTITUTION)}
"""The schemes with a tag, by name."""


def scheme_named(name: str, context: str | None = None) -> TaggedScheme | ContextScheme:
    """Return the scheme that a header or a caller names.

    Raises
    ------
    UnsupportedVersionError
        If this release does not know the name.
    InvalidParameterError
        If the scheme needs a context and none is given, or the other way round.
    """
    if name == ContextScheme.name:
        if context is None:
            raise InvalidParameterError(
                "this picture was scrambled under a context",
                hint="pass the text as context",
                hint_key="context",
            )
        return ContextScheme(context)
    if name not in SCHEMES:
        raise UnsupportedVersionError(
            f"the scheme {name!r} is not known", hint="a newer release may know it"
        )
    if context is not None:
        raise InvalidParameterError(
            "this picture was not scrambled under a context", hint="leave the context out"
        )
    return SCHEMES[name]
