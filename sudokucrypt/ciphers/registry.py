"""Which scheme a name stands for: ours, and those of packages which add their own."""

import re
from typing import Final

from sudokucrypt.ciphers.pipeline import ContextScheme, Pipeline
from sudokucrypt.ciphers.tagged import TaggedScheme
from sudokucrypt.errors import InvalidParameterError, UnsupportedVersionError, made_earlier
from sudokucrypt.header import Header
from sudokucrypt.registry import Registry

SCHEMES = Registry(
    TaggedScheme,
    called="a scheme",
    group="sudokucrypt.ciphers",
    package="sudokucrypt.ciphers.schemes",
)
"""The schemes with a tag, by name."""


# An insecure scheme, for study only; `analysis` compares with its substitution.
_LEFT_AFTER_1_1 = "insecure-logistic-substitution-v1"


def _no_array(header: Header) -> Pipeline:
    raise InvalidParameterError(
        f"the scheme {header.scheme} is for JPEG files", hint="scramble a JPEG file with it"
    )


SCRAMBLE_JPEG: Final = TaggedScheme(
    "scramble-jpeg-v1",
    _no_array,
    limits="hides a JPEG from viewers and keeps its format; a known photo can be recognised",
)
"""The scheme of JPEG files that stay JPEG files."""


def register_scheme(scheme: TaggedScheme) -> TaggedScheme:
    """Add a scheme with a tag for this process, and return it.

    Headers name it; whoever restores its pictures must have registered it too.

    Raises `InvalidParameterError` if it is no `TaggedScheme`, or a header cannot hold its name, or
    the name is taken.

    Parameters
    ----------
    scheme : TaggedScheme
        The scheme; its name has 1 to 64 small letters, digits and hyphens.
    """
    named = isinstance(scheme, TaggedScheme)
    fits = named and re.fullmatch(r"[a-z][a-z0-9-]{0,63}", scheme.name)
    if named and (not fits or scheme.name in (ContextScheme.name, SCRAMBLE_JPEG.name)):
        raise InvalidParameterError(
            f"a scheme cannot be named {scheme.name!r}",
            hint="use 1 to 64 small letters, digits and hyphens, such as my-cipher-v1",
        )
    return SCHEMES.register(scheme)


def scheme_named(name: str, context: str | None = None) -> TaggedScheme | ContextScheme:
    """Return the scheme that a header or a caller names.

    Raises `UnsupportedVersionError` if this release does not know the name or no longer has the
    scheme; and `InvalidParameterError` if the scheme needs a context and none is given, or the
    other way round.

    Parameters
    ----------
    name : str
        The name, as headers have it.
    context : str, optional
        The text that the picture was scrambled under; by default there is none.
    """
    if name == ContextScheme.name:
        if context is None:
            raise InvalidParameterError(
                "this picture was scrambled under a context",
                hint="pass the text as context",
            )
        return ContextScheme(context)
    if name != SCRAMBLE_JPEG.name and name not in SCHEMES:
        if name == _LEFT_AFTER_1_1:
            raise made_earlier(f"the scheme {name}")
        raise UnsupportedVersionError(
            f"the scheme {name!r} is not known",
            hint=f"this release knows {', '.join(SCHEMES)}; a newer one may know it",
        )
    if context is not None:
        raise InvalidParameterError(
            "this picture was not scrambled under a context", hint="leave the context out"
        )
    return SCRAMBLE_JPEG if name == SCRAMBLE_JPEG.name else SCHEMES[name]
