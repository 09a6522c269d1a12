"""What a mutant is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A change of one place in the source of the reference.

    Parameters
    ----------
    name : str
        The module, and in words what is other than specified.
    module : str
        Name of a module of `tests.reference`.
    old, new : str
        The place, which the source has once, and what stands there instead.
    killers : str
        Names of the vector files that are asked first.
    reason : str or None
        Why no vector can show it; None for all others.
    """

    name: str
    module: str
    old: str
    new: str
    killers: str
    reason: str | None = None


def mutants_of(
    module: str, killers: str, changes: Sequence[tuple[str, str, str]]
) -> Iterator[Mutant]:
    """Return the mutants of one module: each a name, the place and what stands there instead."""
    for what, old, new in changes:
        yield Mutant(name=f"{module}: {what}", module=module, old=old, new=new, killers=killers)
