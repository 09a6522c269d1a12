"""Options: each is declared once, as a field of a dataclass, with its sentence.

The field gives functions their keyword and its lines in their docstrings, commands their option,
and the reference its row. A name in backticks is another option, which a command writes its way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar, Self, TypeVar

_Value = TypeVar("_Value")
_DECLARED = "option"  # the key in the metadata of a field
_OF_KINDS: dict[type, dict[str, tuple[Field[Any], Declared]]] = {}
_NAME = re.compile(r"(?<!`)`(\w+)`(?!`)")


@dataclass(frozen=True, eq=False, kw_only=True)
class Declared:
    """All that is said of an option, whoever takes it."""

    text: str  # whole sentences
    form: str  # how a command writes it, such as ``-o, --output OUT``
    unit: str  # what a number counts
    least: float | None  # of a number
    most: float | None
    choices: Mapping[str, Any]  # how a command writes each value, and the value
    heading: str  # of its group in the help of a command
    everyday: bool  # whether the short help of a command shows it
    in_commands: bool  # whether commands have it
    settings: Mapping[str, Any]  # what else click is told

    @property
    def bounds(self) -> str:
        """The range of a number with its unit, such as ``1..255 rounds``."""
        if self.least is None:
            return ""
        bounds = f"{self.least} or more" if self.most is None else f"{self.least}..{self.most}"
        return f"{bounds} {self.unit}".rstrip()


def option(
    default: _Value,
    text: str,
    form: str = "",
    *,
    unit: str = "",
    least: float | None = None,
    most: float | None = None,
    choices: Mapping[str, Any] | tuple[str, ...] = (),
    heading: str = "How",
    everyday: bool = False,
    in_commands: bool = True,
    **settings: Any,
) -> _Value:
    """Return the field of an option; `Declared` says what the arguments are.

    Without a `form`, a command writes it as its name: a flag, or with one letter for its value.
    """
    given = choices if isinstance(choices, Mapping) else dict(zip(choices, choices, strict=True))
    declared = Declared(
        text=text,
        form=form,
        unit=unit,
        least=least,
        most=most,
        choices=given,
        heading=heading,
        everyday=everyday,
        in_commands=in_commands,
        settings=settings,
    )
    made: Any = field(default=default, metadata={_DECLARED: declared})
    return made  # type: ignore[no-any-return] # type checkers see the default


class Options:
    """What all dataclasses of options are; the error for an unknown one says which is meant."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # each is a dataclass

    def __new__(cls, **options: object) -> Self:
        """Return an object, or raise `TypeError` for an option that there is not."""
        known = cls.__dataclass_fields__  # `fields` makes a list of them in every call
        for name in options.keys() - known.keys():
            from sudokucrypt.suggesting import meant_by

            meant = meant_by(name, known)
            remedy = f"use {meant}" if meant else f"the options are {', '.join(known)}"
            raise TypeError(f"unexpected option {name!r}; {remedy}")
        return super().__new__(cls)


def declared_options(kind: type) -> dict[str, tuple[Field[Any], Declared]]:
    """Return the options of a dataclass by their names, in the order of its fields."""
    if kind not in _OF_KINDS:
        _OF_KINDS[kind] = {
            each.name: (each, each.metadata[_DECLARED])
            for each in fields(kind)
            if _DECLARED in each.metadata
        }
    return _OF_KINDS[kind]


def document_option(name: str, each: Field[Any], declared: Declared) -> list[str]:
    """Return the lines of a docstring on one option."""
    from textwrap import wrap

    lines = wrap(declared.text, 90, break_on_hyphens=False)
    return [f"{name} : {describe_type(each, declared)}", *(f"    {line}" for line in lines)]


def describe_type(each: Field[Any], declared: Declared) -> str:
    """Return the type of an option, its range and its default, as docstrings have them."""
    kind = str(each.type).removesuffix(" | None").replace("PathName", "path")
    if declared.choices and not kind.startswith("bool"):
        kind = f"{{{', '.join(map(_quoted, declared.choices.values()))}}}"
    parts = [kind, *([declared.bounds] if declared.bounds else [])]
    if each.default is None:
        parts.append("optional")
    elif each.default is not MISSING:
        parts.append(f"default {_quoted(each.default)}")
    return ", ".join(parts)


def write_names(text: str, write: Callable[[str], str]) -> str:
    """Return a sentence in which other options are written in some way."""
    return _NAME.sub(lambda name: write(name[1]), text) if "`" in text else text


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
