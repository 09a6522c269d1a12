"""Base classes for frozen dataclasses, which inherit the usual methods to save import time.

`dataclasses.dataclass` compiles six methods for each frozen class. A command imports about a
hundred such classes, and for a small file a third of the time went into compiling their methods.
Internal classes for settings and plans inherit these methods instead. Classes that users create
stay plain dataclasses, whose signatures show their fields.
"""

from __future__ import annotations

from dataclasses import Field, FrozenInstanceError, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, dataclass_transform

if TYPE_CHECKING:
    SimpleNamespace = object  # type checkers believe that a SimpleNamespace has no hash
else:
    from types import SimpleNamespace


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,)
)
class FrozenObject(SimpleNamespace):
    """The base of classes that behave as with ``dataclass(frozen=True, eq=False, kw_only=True)``.

    Only type checkers find a field that is missing or unknown in a call. A default cannot have a
    factory.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __eq__, __ne__, __hash__ = object.__eq__, object.__ne__, object.__hash__

    if not TYPE_CHECKING:  # subclasses become dataclasses, so that `fields` and `replace` work
        __init_subclass__ = classmethod(
            dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=True)
        )

    def __setattr__(self, name: str, _: object = None) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    __delattr__ = __setattr__

    def __repr__(self) -> str:
        values = [f"{name}={value!r}" for name, value in _list_field_values(self, "repr")]
        return f"{type(self).__qualname__}({', '.join(values)})"


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class FrozenValue(FrozenObject):
    """The base of frozen classes whose objects are equal if all their fields are equal."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _list_field_values(self, "compare") == _list_field_values(other, "compare")

    def __hash__(self) -> int:
        return hash(tuple(_list_field_values(self, "compare")))


def _list_field_values(frozen_object: FrozenObject, use: str) -> list[tuple[str, Any]]:
    """Return names and values of the fields for a use: "repr" or "compare"."""
    names = [each.name for each in fields(frozen_object) if getattr(each, use)]
    return [(name, getattr(frozen_object, name)) for name in names]
