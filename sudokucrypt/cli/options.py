"""The arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sudokucrypt.cli.extensions import Decorator, option

PATH = click.Path(path_type=Path, readable=False)  # reading tells, and an output is not read
FILE = click.Path(readable=False)

rounds_option = option(
    "--rounds R",
    "Number of rounds, 1..255; by default 2 for large pictures, 3 or 4 for smaller ones. Restoring "
    "more than 16 needs --max-rounds.",
    type=int,
    heading="How",
)
deterministic_option = option(
    "--deterministic",
    "Derive the salt from key and picture: equal pictures give equal output.",
    heading="How",
)


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


write_sidecar_option = option(
    "--sidecar", "Also write the header to OUT.sudokucrypt.json.", heading="Where"
)
header_rows_option = option(
    "--header-rows/--no-header-rows",
    "Also keep the header in rows below the picture, which survive programs that strip metadata.",
    default=True,
    heading="Where",
)
read_sidecar_option = option(
    "--sidecar FILE",
    "Read the header from FILE; by default from IN.sudokucrypt.json if it exists, else from IN.",
    type=PATH,
    heading="What",
)
strip_option = option("--strip-metadata", "Drop all metadata permanently.", heading="What")
max_rounds_option = option(
    "--max-rounds R",
    "Refuse headers with more rounds.",
    type=click.IntRange(1, 255),
    default=16,
    heading="How",
)
max_pixels_option = option(
    "--max-pixels N",
    "Read pictures of up to N pixels and 4 N bytes of samples; by default 134217728.",
    type=click.IntRange(1),
    heading="How",
)


def compress_option(default: int) -> Decorator:
    """Return the option for a command whose results are compressed so by default."""
    return option(
        "--compress LEVEL",
        "Compression of PNG, 0..9: 0 stores the samples, 9 is slowest. By default 0 for noise, "
        "else 1.",
        type=click.IntRange(0, 9),
        default=default,
        show_default=False,
        heading="How",
    )
