"""The arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sudokucrypt.cli.extensions import Decorator, declared_option, option
from sudokucrypt.recipes.options import OpenOptions

PATH = click.Path(path_type=Path, readable=False)  # reading tells, and an output is not read
FILE = click.Path(readable=False)

# Where a context holds the module and name of a scheme of the user's own.
OWN_SCHEME = "sudokucrypt.own_scheme"


def _registered(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """Return the name of a scheme in headers, after registering one of the user's own."""
    if text is None or text == parameter.default:
        return text
    if ":" not in text:
        from sudokucrypt.ciphers import SCHEMES

        # Analysis lists schemes without their version.
        return f"{text}-v1" if text not in SCHEMES and f"{text}-v1" in SCHEMES else text
    module, _colon, attribute = text.rpartition(":")
    absolute = str(Path(module).absolute()) if module.endswith(".py") else module
    context.meta[OWN_SCHEME] = f"{absolute}:{attribute}"
    return registered(text)


def registered(text: str) -> str:
    """Return the name of a scheme of the user's own, MODULE:NAME, after registering it."""
    from sudokucrypt.ciphers import SCHEMES, TaggedScheme, register_scheme
    from sudokucrypt.cli.plugins import load_object
    from sudokucrypt.errors import InvalidParameterError

    scheme = load_object(text)
    if not isinstance(scheme, TaggedScheme):
        raise InvalidParameterError(
            f"'{text}' is of type {type(scheme).__name__}, and protects no pictures",
            hint="name a TaggedScheme; 'sudokucrypt analyze --scheme' measures functions, too",
        )
    if SCHEMES.get(scheme.name) is not scheme:
        register_scheme(scheme)
    return scheme.name


def scheme_option(default: str | None, **settings: Any) -> Decorator:
    """Return the option ``--scheme`` of a command whose scheme is `default`."""
    return option(
        "--scheme NAME",
        "Use another registered scheme, or your own as MODULE:NAME or FILE.py:NAME, whose code is "
        "run.",
        default=default,
        show_default=default is not None,
        callback=_registered,
        **settings,
        heading="How",
    )


read_sidecar_option = declared_option(OpenOptions, "sidecar")
max_rounds_option = declared_option(OpenOptions, "max_rounds")
max_pixels_option = declared_option(OpenOptions, "max_pixels")
