"""The schemes that can be measured and attacked, by name: ours, and those for comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.analysis import BASELINES, Run, Scheme, scheme_from_function
from sudokucrypt.cli.plugins import load_object
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.keys import Key
from sudokucrypt.recipes import decrypt, encrypt, scramble, unscramble

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.analysis import Keyed
    from sudokucrypt.typing import AnyArray

_CONTEXT = "analysis"
_LOGISTIC = "insecure-logistic-substitution-v1"
_MOVES = "values stay: histogram, mean and entropy show"
_USUAL = ("scramble", "scramble-context", "encrypt")


def all_schemes(*, block_size: int = 16) -> dict[str, Scheme]:
    """Return every scheme by name, ours first.

    Parameters
    ----------
    block_size : int
        Side of the blocks that ``scramble-block`` moves, in pixels.
    """
    ours = (
        Scheme(
            name="scramble",
            fixed=_scrambling(deterministic=True),
            fresh=_scrambling(),
            limits=_MOVES,
        ),
        Scheme(
            name="scramble-sample",
            fixed=_scrambling(deterministic=True, unit="sample"),
            fresh=_scrambling(unit="sample"),
            unit="sample",
            limits=_MOVES,
        ),
        Scheme(
            name="scramble-block",
            fixed=_scrambling(deterministic=True, unit="block", block_size=block_size),
            fresh=_scrambling(unit="block", block_size=block_size),
            block_size=block_size,
            limits="values stay, and blocks can be put together like a jigsaw",
        ),
        Scheme(
            name="scramble-context",
            fixed=_scrambling(context=_CONTEXT),
            limits="values stay; one map for all images of a context and size, which falls to a "
            "few chosen or known images",
        ),
        Scheme(
            name="encrypt",
            fixed=_encryption(deterministic=True),
            fresh=_encryption(),
            moves_only=False,
            limits="shape, depth and key id show; without salt also which pictures are equal",
        ),
        Scheme(
            name="insecure-logistic-substitution",
            fixed=_encryption(deterministic=True, scheme=_LOGISTIC),
            fresh=_encryption(scheme=_LOGISTIC),
            moves_only=False,
            key_bits=53,
            limits="for study only: 53 bits of state, no argument for its strength; 8 bits only",
        ),
    )
    return {**{scheme.name: scheme for scheme in ours}, **BASELINES}


def chosen_schemes(
    names: Sequence[str], *, own: Sequence[str] = (), block_size: int = 16
) -> list[Scheme]:
    """Return schemes of the user, then those of a name.

    Parameters
    ----------
    names : sequence of str
        What `all_schemes` calls them.
    own : sequence of str
        Where functions of the user are, such as "my_file.py:cipher".
    block_size : int
        As in `all_schemes`.

    Raises
    ------
    InvalidParameterError
        If there is no scheme of a name, no such function, or two of one name.
    """
    known = all_schemes(block_size=block_size)
    found = {}
    for place in own:
        scheme = own_scheme(place)
        if scheme.name in known or scheme.name in found:
            raise InvalidParameterError(
                f"there are two schemes {scheme.name!r}", hint=f"rename that of {place}"
            )
        found[scheme.name] = scheme
    for name in (name.strip() for name in names):
        if name not in known:
            raise InvalidParameterError(
                f"there is no scheme {name!r}", hint=f"choose from {', '.join(known)}"
            )
        found[name] = known[name]
    return list(found.values())


def own_scheme(place: str) -> Scheme:
    """Return the scheme that a function of the user defines, or one that is ready."""
    held = load_object(place)
    if isinstance(held, Scheme):
        return held
    if not callable(held):
        raise InvalidParameterError(
            f"'{place}' is of type {type(held).__name__}, not a function",
            hint="a scheme is a function that takes an array and the bytes of a key, and returns "
            "an array of the same shape and dtype",
        )
    return scheme_from_function(held, name=place.rpartition(":")[2].rpartition(".")[2])


def usual_names() -> list[str]:
    """Return the names of the schemes that stand in a comparison unless told otherwise."""
    return [*_USUAL, *BASELINES]


own_scheme_option = click.option(
    "--scheme",
    "own",
    metavar="FILE.py:FUNCTION",
    multiple=True,
    help="A scheme of your own, also as MODULE:FUNCTION: it takes an array and the bytes of a key, "
    "and returns an array. May be given several times.",
)


def _list_schemes(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print every name and what is known against it."""
    if wanted and not context.resilient_parsing:
        for name, scheme in all_schemes().items():
            click.echo(f"{name:32}{scheme.limits}")
        context.exit()


list_schemes_option = click.option(
    "--list-schemes",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_schemes,
    help="Print the names of all schemes.",
)


def _scrambling(**options: Any) -> Keyed:
    def run(image: AnyArray, key: bytes) -> Run:
        made = scramble(image, Key(key), **options)
        context = options.get("context")
        # The key id of the header would refuse a wrong key, and a context needs no header.
        header = made.header if context is None else None
        return Run(
            made.pixels, lambda other: unscramble(made.pixels, Key(other), header, context=context)
        )

    return run


def _encryption(**options: Any) -> Keyed:
    def run(image: AnyArray, key: bytes) -> Run:
        made = encrypt(image, Key(key), **options)
        scheme = options.get("scheme")
        return Run(
            made.pixels, lambda other: decrypt(made.pixels, Key(other), made.header, scheme=scheme)
        )

    return run
