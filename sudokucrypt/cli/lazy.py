"""A group of commands, each of which is imported only when it runs, so that help is quick."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """Commands in modules below one package, each called `command` there.

    Parameters
    ----------
    package : str
        The package.
    help_lines : mapping of str to str
        The modules below the package, such as ``keys.keygen``, and what the list of commands says
        of each. The last part of the name is the name of the command.
    """

    def __init__(
        self, *arguments: Any, package: str, help_lines: Mapping[str, str], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._package = package
        names = {module.rpartition(".")[2].replace("_", "-"): module for module in help_lines}
        self._modules = names
        self._help_lines = {name: help_lines[module] for name, module in names.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        del ctx
        return list(self._help_lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        del ctx
        if cmd_name not in self._modules:
            return None
        module = import_module(f"{self._package}.{self._modules[cmd_name]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list without importing anything."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self._help_lines.items()))
