"""Frozen dataclasses that share their methods behave as those of `dataclasses`."""

import copy
import pickle
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from typing import ClassVar

import pytest

from sudokucrypt.frozen import Frozen, FrozenValue


class _Plan(Frozen):
    name: str
    pages: tuple[int, ...] = ()


class _Size(FrozenValue):
    unit: ClassVar[str] = "cm"
    rows: int
    columns: int = 1
    note: str = field(default="", repr=False, compare=False)


class _Depth(_Size):
    depth: int = 8


def test_fields_are_those_of_a_dataclass() -> None:
    """Fields of all bases are listed, with their defaults, and none can be set or deleted."""
    made = _Depth(rows=2)
    assert is_dataclass(made)
    assert [each.name for each in fields(made)] == ["rows", "columns", "note", "depth"]
    assert (made.rows, made.columns, made.depth, made.unit) == (2, 1, 8, "cm")
    assert replace(made, depth=16).depth == 16
    with pytest.raises(FrozenInstanceError):
        made.rows = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.rows


def test_equal_values_are_equal_and_plans_are_not() -> None:
    """A value equals another of its class with equal fields, given or not; a plan only itself."""
    first, second = _Size(rows=2), _Size(rows=2, columns=1, note="of paper")
    assert first == second
    assert not first != second  # noqa: SIM202 - it is a method of its own
    assert hash(first) == hash(second)
    assert first != _Size(rows=3)
    assert first != _Depth(rows=2)
    plan, other = _Plan(name="a"), _Plan(name="a")
    assert plan == plan and plan != other  # noqa: PLR0124, PT018
    assert len({plan, other}) == 2


def test_what_is_printed_leaves_out_hidden_fields() -> None:
    """Fields appear with their defaults, but for those that are not to be shown."""
    assert repr(_Size(rows=2, note="secret")) == "_Size(rows=2, columns=1)"


def test_copies_and_pickles_are_equal() -> None:
    """Other processes and copies have the same value."""
    made = _Depth(rows=2, note="of paper")
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301
        assert (other, other.note) == (made, "of paper")
