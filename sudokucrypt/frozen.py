"""Bases of frozen dataclasses that share their methods.

`dataclasses.dataclass` compiles six methods for each frozen class. A command imports about a
hundred such classes, and compiling their methods took a third of the time of a small file. What
carries settings and plans from a command to a file inherits the methods instead. What users make
and see stays a plain dataclass, whose signature says what it takes.
"""

from __future__ import annotations

from dataclasses import Field, FrozenInstanceError, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, dataclass_transform

if TYPE_CHECKING:
    SimpleNamespace = object  # whose hash is declared to be missing
else:
    from types import SimpleNamespace


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,)
)
class Frozen(SimpleNamespace):
    """What ``dataclass(frozen=True, eq=False, kw_only=True)`` makes of a class.

    Its fields are given by name. Only type checkers see a name that is missing or unknown, and a
    field has no factory for its default.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __eq__, __ne__, __hash__ = object.__eq__, object.__ne__, object.__hash__

    if not TYPE_CHECKING:  # each class below becomes a dataclass, for `fields` and `replace`
        __init_subclass__ = classmethod(
            dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=True)
        )

    def __setattr__(self, name: str, _: object = None) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    __delattr__ = __setattr__

    def __repr__(self) -> str:
        values = [f"{name}={value!r}" for name, value in _list_values(self, "repr")]
        return f"{type(self).__qualname__}({', '.join(values)})"


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class FrozenValue(Frozen):
    """What is equal to another of its class if all fields are."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _list_values(self, "compare") == _list_values(other, "compare")

    def __hash__(self) -> int:
        return hash(tuple(_list_values(self, "compare")))


def _list_values(made: Frozen, use: str) -> list[tuple[str, Any]]:
    """Return names and values of the fields that have a use."""
    used = [each.name for each in fields(made) if getattr(each, use)]
    return [(name, getattr(made, name)) for name in used]
