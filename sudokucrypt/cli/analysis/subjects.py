"""The schemes that can be measured and attacked, by name: ours, and those for comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.analysis.reports import Run, Subject, baseline_subjects
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.keys import Key
from sudokucrypt.recipes import decrypt, encrypt, scramble, unscramble

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.analysis.reports import Keyed
    from sudokucrypt.typing import AnyArray

_CONTEXT = "analysis"
_LOGISTIC = "insecure-logistic-substitution-v1"
_MOVES = "values stay: histogram, mean and entropy show"
_USUAL = ("scramble", "scramble-context", "encrypt")


def all_subjects(*, block_size: int = 16) -> dict[str, Subject]:
    """Return every scheme by name, ours first.

    Parameters
    ----------
    block_size : int
        Side of the blocks that ``scramble-block`` moves, in pixels.
    """
    ours = (
        Subject(
            name="scramble",
            fixed=_scrambling(deterministic=True),
            fresh=_scrambling(),
            limits=_MOVES,
        ),
        Subject(
            name="scramble-sample",
            fixed=_scrambling(deterministic=True, unit="sample"),
            fresh=_scrambling(unit="sample"),
            unit="sample",
            limits=_MOVES,
        ),
        Subject(
            name="scramble-block",
            fixed=_scrambling(deterministic=True, unit="block", block_size=block_size),
            fresh=_scrambling(unit="block", block_size=block_size),
            block_size=block_size,
            limits="values stay, and blocks can be put together like a jigsaw",
        ),
        Subject(
            name="scramble-context",
            fixed=_scrambling(context=_CONTEXT),
            limits="values stay; one map for all images of a context and size, which falls to a "
            "few chosen or known images",
        ),
        Subject(
            name="encrypt",
            fixed=_encryption(deterministic=True),
            fresh=_encryption(),
            moves_only=False,
            limits="shape, depth and key id show; without salt also which pictures are equal",
        ),
        Subject(
            name="insecure-logistic-substitution",
            fixed=_encryption(deterministic=True, scheme=_LOGISTIC),
            fresh=_encryption(scheme=_LOGISTIC),
            moves_only=False,
            limits="for study only: 53 bits of state, no argument for its strength; 8 bits only",
        ),
    )
    return {**{subject.name: subject for subject in ours}, **baseline_subjects()}


def chosen_subjects(names: Sequence[str], *, block_size: int = 16) -> list[Subject]:
    """Return schemes by name.

    Raises
    ------
    InvalidParameterError
        If there is no scheme of a name.
    """
    known = all_subjects(block_size=block_size)
    names = [name.strip() for name in names]
    for name in names:
        if name not in known:
            raise InvalidParameterError(
                f"there is no scheme {name!r}", hint=f"choose from {', '.join(known)}"
            )
    return [known[name] for name in dict.fromkeys(names)]


def usual_names() -> list[str]:
    """Return the names of the schemes that stand in a comparison unless told otherwise."""
    return [*_USUAL, *baseline_subjects()]


def _list_schemes(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print every name and what is known against it."""
    if wanted and not context.resilient_parsing:
        for name, subject in all_subjects().items():
            click.echo(f"{name:32}{subject.limits}")
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
            made.pixels,
            lambda other: unscramble(made.pixels, Key(other), header, context=context),
        )

    return run


def _encryption(**options: Any) -> Keyed:
    def run(image: AnyArray, key: bytes) -> Run:
        made = encrypt(image, Key(key), **options)
        scheme = options.get("scheme")
        return Run(
            made.pixels,
            lambda other: decrypt(made.pixels, Key(other), made.header, scheme=scheme),
        )

    return run
