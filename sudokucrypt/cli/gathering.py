"""Options that belong together, as one parameter of a command."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Command = Callable[..., None]


def gathered(
    parameter: str, kind: type, options: Sequence[Callable[[Command], Command]]
) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command and hands them over together.

    Parameters
    ----------
    parameter : str
        What the command calls them.
    kind : type
        A dataclass with a field for each option.
    options : sequence of decorators
        From `click.option` or `click.argument`, in the order of the help.
    """
    names = [field.name for field in fields(kind)]

    def decorate(command: Command) -> Command:
        def with_options(**arguments: Any) -> None:
            held = kind(**{name: arguments.pop(name) for name in names})
            command(**{parameter: held}, **arguments)

        with_options.__doc__ = command.__doc__
        with_options.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
        for option in reversed(options):
            option(with_options)
        return with_options

    return decorate
