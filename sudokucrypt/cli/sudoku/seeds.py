"""Seeds: the same one gives the same results, and one that is drawn is told."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.messages import say
from sudokucrypt.sudoku import seeded_draws

if TYPE_CHECKING:
    from sudokucrypt.typing import RandomSource

_BITS = 40

seed_option = click.option(
    "--seed",
    metavar="S",
    type=click.IntRange(0),
    help="The same seed and options give the same results; without it a new one is told.",
)
count_option = click.option(
    "--count",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many to make.",
)


def seeded(seed: int | None) -> tuple[int, RandomSource]:
    """Return a seed, a new one if there is none, and what it draws."""
    if seed is None:
        seed = secrets.randbits(_BITS)
        say("note", f"seed {seed}; '--seed {seed}' makes the same again")
    return seed, seeded_draws(seed)
