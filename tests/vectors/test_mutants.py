"""The vectors see every change of the reference that is not equivalent: see `mutate`."""

from collections import Counter

import pytest

from tests.vectors.mutants import all_mutants
from tests.vectors.mutate import UNCHANGED, killed_by, mutated, survivors

FEWEST = 700
SAMPLE = 25


@pytest.mark.slow
def test_mutants_have_names_and_places() -> None:
    """No two mutants are one, and each changes a module in one position, and leaves it Python."""
    mutants = all_mutants()
    assert sum(mutant.reason is None for mutant in mutants) >= FEWEST
    assert max(Counter(mutant.name for mutant in mutants).values()) == 1
    sources = [(mutant.module, mutated(mutant)) for mutant in mutants]
    assert max(Counter(sources).values()) == 1
    for module, source in sources:
        compile(source, module, "exec")


@pytest.mark.slow
def test_some_mutants_are_killed() -> None:
    """A sample of all rooms is killed."""
    mutants = all_mutants()
    step = len(mutants) // SAMPLE
    assert not survivors(mutants[step // 2 :: step])


@pytest.mark.nightly
def test_every_mutant_is_killed() -> None:
    """The unchanged reference agrees with every vector, and no mutant does."""
    assert not killed_by(UNCHANGED)
    assert not survivors(all_mutants())
