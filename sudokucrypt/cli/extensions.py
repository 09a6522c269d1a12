"""What our commands need beyond click: groups that import late, and options kept together."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from sudokucrypt.cli.interrupts import leave_on_interrupt, raise_on_interrupt
from sudokucrypt.lazy import import_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Command: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Command], Command]


class HintedUsageError(click.UsageError):
    """A mistake in the arguments, and what to do about it."""

    def __init__(self, message: str, ctx: click.Context, *, hint: str | None) -> None:
        super().__init__(message, ctx)
        self.hint = hint


class Group(click.Group):
    """Commands; it says what was probably meant by a name that none of them has."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, and the others."""
        name = args[0]
        known = name.startswith("-") or self.get_command(ctx, name) is not None
        if known or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        if ctx.parent is None and os.path.lexists(name):
            message = f"'{name}' is a file, not a command"
            remedy = f"to encrypt it: sudokucrypt encrypt {shlex.quote(name)} --key FILE"
            raise HintedUsageError(message, ctx, hint=remedy)
        meant = likely(name, self.list_commands(ctx))
        raise HintedUsageError(f"no such command '{name}'", ctx, hint=meant)


def likely(name: str, known: Iterable[str]) -> str | None:
    """Ask whether a name that looks alike was meant, if there is one."""
    from difflib import get_close_matches

    alike = get_close_matches(name, list(known), n=1)
    return f"did you mean '{alike[0]}'?" if alike else None


class LazyGroup(Group):
    """Commands in modules below one package, each imported only when it runs.

    `help_lines` maps where they are to what the list of commands says: ``module:command``, or
    ``module`` for one that is called `command` there and named like the module. A command may end
    in ``_command`` there, to differ from the function that does the work.
    """

    def __init__(
        self, *arguments: Any, package: str, help_lines: Mapping[str, str], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._targets: dict[str, tuple[str, str]] = {}
        self._help_lines: dict[str, str] = {}
        for target, line in help_lines.items():
            module, _, attribute = target.partition(":")
            name = (attribute or module.rpartition(".")[2]).removesuffix("_command")
            name = name.replace("_", "-")
            self._targets[name] = f"{package}.{module}", attribute or "command"
            self._help_lines[name] = line

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        del ctx
        return list(self._help_lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        del ctx
        if cmd_name not in self._targets:
            return None
        module, attribute = self._targets[cmd_name]
        leave_on_interrupt()
        command: click.Command = import_name(module, attribute)
        raise_on_interrupt()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list without importing anything."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self._help_lines.items()))


def option(form: str, text: str, *, name: str | None = None, **settings: Any) -> Decorator:
    """Return an option of click, `form` as its help shows it: ``-o, --output OUT``.

    Without a value or a type it is a flag. `name` is the parameter that it gives, where that is
    not its own; a default is shown unless `settings` says otherwise.
    """
    *before, last = form.split(", ")
    last, _, value = last.partition(" ")
    if value:
        settings["metavar"] = value
    elif "type" not in settings:
        settings["is_flag"] = True
    if "default" in settings:
        settings.setdefault("show_default", True)
    return click.option(*before, last, *([name] if name else []), help=text, **settings)


def option_group(parameter: str, kind: type, *options: Decorator) -> Decorator:
    """Return a decorator that gives a command many options as one parameter, a dataclass.

    It has a field for each of `options`, decorators of click in the order of the help.
    """
    names = [field.name for field in fields(kind)]

    def decorate(command: Command) -> Command:
        grouping = command if isinstance(command, _Grouping) else _Grouping(command)
        grouping.groups[parameter] = kind, names
        for add in reversed(options):
            add(grouping)
        return grouping

    return decorate


class _Grouping:
    """A command that gets the options of groups as the dataclasses of these groups."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.groups: dict[str, tuple[type, list[str]]] = {}
        self.__name__, self.__doc__ = command.__name__, command.__doc__
        self.__click_params__ = getattr(command, "__click_params__", [])

    def __call__(self, **arguments: Any) -> None:
        for parameter, (kind, names) in self.groups.items():
            given = {name: arguments.pop(name) for name in names if name in arguments}
            arguments[parameter] = kind(**given)
        self.command(**arguments)
