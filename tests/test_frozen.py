"""Frozen dataclasses that inherit their methods behave as those of `dataclasses`."""

import copy
import pickle
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from typing import ClassVar

import pytest

from sudokucrypt.frozen import FrozenObject, FrozenValue


class _Plan(FrozenObject):
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
    """`fields` lists the fields of all bases; they have defaults and cannot be set or deleted."""
    value = _Depth(rows=2)
    assert is_dataclass(value)
    assert [each.name for each in fields(value)] == ["rows", "columns", "note", "depth"]
    assert (value.rows, value.columns, value.depth, value.unit) == (2, 1, 8, "cm")
    assert replace(value, depth=16).depth == 16
    with pytest.raises(FrozenInstanceError):
        value.rows = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del value.rows


def test_equal_values_are_equal_and_plans_are_not() -> None:
    """A value equals another of its class with equal fields; a plan equals only itself."""
    first_size, second_size = _Size(rows=2), _Size(rows=2, columns=1, note="of paper")
    assert first_size == second_size
    assert not first_size != second_size  # noqa: SIM202 - it is a method of its own
    assert hash(first_size) == hash(second_size)
    assert first_size != _Size(rows=3)
    assert first_size != _Depth(rows=2)
    plan, other_plan = _Plan(name="a"), _Plan(name="a")
    assert plan == plan and plan != other_plan  # noqa: PLR0124, PT018
    assert len({plan, other_plan}) == 2


def test_repr_leaves_out_hidden_fields() -> None:
    """`repr` shows all fields with `repr=True`, with their defaults."""
    assert repr(_Size(rows=2, note="secret")) == "_Size(rows=2, columns=1)"


def test_copies_and_pickles_are_equal() -> None:
    """A copied or pickled value equals the original in all fields."""
    value = _Depth(rows=2, note="of paper")
    for copied in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):  # noqa: S301
        assert (copied, copied.note) == (value, "of paper")
