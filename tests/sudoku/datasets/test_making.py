"""Collections of puzzles: as requested, the same for a seed, and without leaks between sides."""

from types import SimpleNamespace
from typing import cast

import pytest

from sudokucrypt.errors import InvalidParameterError, UndecidedError
from sudokucrypt.sudoku import (
    Grade,
    Technique,
    canonical_form,
    grade,
    make_dataset,
    make_puzzle,
    solve,
)
from sudokucrypt.sudoku.datasets import making
from sudokucrypt.sudoku.making.recipe import Difficulty
from sudokucrypt.workers import ProcessWorkers


def test_collections_are_as_requested() -> None:
    """Puzzles have one solution, the requested rating and technique, and steps to the solution."""
    result = [*make_dataset(6, 4, rating=(2.6, 4.3), technique=Technique.NAKED_PAIR, trace=True)]
    assert len(result) == 6
    for example in result:
        graded = grade(example.puzzle)
        assert example.grade == graded
        assert 2.6 <= graded.rating <= 4.3
        assert Technique.NAKED_PAIR in graded.steps
        assert example.solution == solve(example.puzzle)
        filled = dict(step.placed for step in example.steps if step.placed)
        assert len(filled) == 81 - example.puzzle.number_of_givens
        assert all(example.solution.givens[cell] == digit for cell, digit in filled.items())


def test_splits() -> None:
    """Sides have exact sizes, and no class of solutions occurs twice, on the same or on both
    sides."""
    result = [*make_dataset(40, 2, split=0.8)]
    assert [example.side for example in result].count("train") == 32
    classes = [canonical_form(example.solution.to_text()).grid for example in result]
    assert len(set(classes)) == 40


def test_sides_of_other_seeds() -> None:
    """With the same share, a class of solutions is on the same side in every collection."""
    digests = [bytes([value]) * 16 for value in (0, 127, 128, 255)]
    assert [making._choose_split_side(digest, 0.5) for digest in digests] == ["train"] * 2 + [
        "test"
    ] * 2
    assert {making._choose_split_side(digest, None) for digest in digests} == {None}


def test_puzzles_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """If each batch of puzzles is made twice, all puzzles of the collection still differ."""
    original = making._BatchMaker.make_batch
    monkeypatch.setattr(
        making._BatchMaker, "make_batch", lambda maker, part: original(maker, part // 2)
    )
    result = [example.puzzle.to_text() for example in make_dataset(100, 1)]
    assert len({*result}) == 100


@pytest.mark.slow
def test_number_of_processes() -> None:
    """A seed gives the same puzzles with any number of processes; another seed gives others."""
    by_one_process, by_two_processes, with_other_seed = (
        [(example.puzzle.to_text(), example.side, example.steps) for example in examples]
        for examples in (
            make_dataset(70, 5, split=0.5, trace=True),
            make_dataset(70, 5, split=0.5, trace=True, jobs=2),
            make_dataset(70, 6, split=0.5, trace=True),
        )
    )
    assert by_one_process == by_two_processes != with_other_seed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rating": (0.5, 3.0)}, "ratings are"),
        ({"rating": (3.0, 2.0)}, "the lower first"),
        ({"rating": (float("nan"), 2.0)}, "ratings are"),
        ({"rating": (1.2, 8.0), "technique": Technique.NESTED_NET}, "9.5 at least"),
        ({"split": 0.0}, "above 0 and below 1"),
        ({"split": 1.0}, "above 0 and below 1"),
        ({"split": 0.99}, "would be empty"),
        ({"count": 0}, "count of puzzles"),
        ({"seed": -1}, "a seed"),
        ({"jobs": 0}, "threads"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, object], message: str) -> None:
    """Impossible settings are refused before any puzzle is made."""
    with pytest.raises(InvalidParameterError, match=message):
        make_dataset(**{"count": 10, "seed": 1, **settings})  # type: ignore[arg-type]


def test_only_barren_batches_in_succession_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch with a suitable puzzle starts the count of barren batches anew."""
    monkeypatch.setattr(making, "_MAX_BARREN_BATCHES", 2)
    candidates = making._BatchMaker(1, Difficulty(), trace=False).make_batch(0)
    batches = [[], candidates[:1], [], candidates[1:2], [], []]
    maker = cast("making._BatchMaker", SimpleNamespace(make_batch=batches.__getitem__))
    made = making._iterate_examples(maker, {None: 3}, None, ProcessWorkers(1))
    assert [next(made), next(made)] == [each.example for each in candidates[:2]]
    with pytest.raises(UndecidedError, match="in 128 attempts"):
        next(made)


def test_ratings_are_compared_in_tenths() -> None:
    """A difficulty accepts its lowest and highest rating, and none beyond them."""
    difficulty = Difficulty(rating=(2.6, 4.2))
    made = {rating: SimpleNamespace(rating=rating) for rating in (2.5, 2.6, 3.0, 4.2, 4.3)}
    accepted = [key for key, grade in made.items() if difficulty.accepts(cast("Grade", grade))]
    assert accepted == [2.6, 3.0, 4.2]


def test_rare_ratings_are_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a rating that almost no puzzle has, the search stops with UndecidedError."""
    monkeypatch.setattr(making, "_MAX_BARREN_BATCHES", 1)
    with pytest.raises(UndecidedError, match="in 64 attempts"):
        next(make_dataset(1, 1, rating=(10.9, 11.0)))
    with pytest.raises(UndecidedError, match="3 attempts"):
        make_puzzle(1, rating=(10.9, 11.0), attempts=3)


def test_a_batch_without_a_suitable_puzzle_is_empty() -> None:
    """If no puzzle of a batch has the difficulty, the batch is an empty list."""
    barren = Difficulty(rating=(10.9, 11.0))
    assert making._BatchMaker(1, barren, trace=False).make_batch(0) == []
