"""Extensions of click: lazily imported commands, grouped help, and options from dataclasses."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from sudokucrypt.cli.interrupts import exit_on_interrupt, raise_on_interrupt
from sudokucrypt.cli.messages import (
    Verbosity,
    allow_option_values,
    allow_word,
    describe_position,
    set_verbosity,
)
from sudokucrypt.lazy import import_object

if TYPE_CHECKING:
    from sudokucrypt.options import OptionDeclaration

CommandFunction: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[CommandFunction], CommandFunction]

HEADINGS = ("Options", "What", "Where", "How", "Key", "Messages")
"""The headings of option groups in the help of a command, in this order."""

# The key in `Context.meta` that makes the help show all options.
_ALL_HELP_KEY = "sudokucrypt.all_help"


class HintedUsageError(click.UsageError):
    """A usage error with a hint about how to correct it."""

    def __init__(self, message: str, ctx: click.Context | None, *, hint: str | None) -> None:
        super().__init__(message, ctx)
        self.hint = hint


class Option(click.Option):
    """An option in the help group `heading`; with `everyday`, it is also in the short help."""

    heading = HEADINGS[0]
    everyday = False


class GroupedCommand(click.Command):
    """A command whose help shows its options in groups, and examples at the end.

    If some of its options are everyday ones, ``--help`` shows only these, and ``--help-all`` all.
    """

    def __init__(self, *arguments: Any, examples: str = "", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = examples.splitlines()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups of options under their headings, then the examples."""
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        parameters = self.get_params(ctx)
        everyday_parameters = [
            parameter for parameter in parameters if getattr(parameter, "everyday", False)
        ]
        shown_parameters = (
            parameters
            if _ALL_HELP_KEY in ctx.meta or not everyday_parameters
            else everyday_parameters
        )
        for parameter in shown_parameters:
            help_record = parameter.get_help_record(ctx)
            if help_record and isinstance(parameter, click.Option):
                groups[getattr(parameter, "heading", HEADINGS[-1])].append(help_record)
        for heading, help_records in groups.items():
            if help_records:
                with formatter.section(heading):
                    formatter.write_dl(help_records)
        if shown_parameters is not parameters:
            formatter.write_paragraph()
            formatter.write_text(f"All options: {ctx.command_path} --help-all")
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.examples))


def _show_help(context: click.Context, _option: click.Parameter, value: object) -> None:
    if value:
        context.meta[_ALL_HELP_KEY] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


class Group(click.Group):
    """A group of commands that suggests corrections for unknown names."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.params += _MESSAGE_OPTIONS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command with its own options and the options of all commands."""
        command = self.find_command(ctx, cmd_name)
        if command is not None:
            parameters = list_parameters(command)
            if _MESSAGE_OPTIONS[0] not in parameters:
                parameters += _MESSAGE_OPTIONS
        return command

    def find_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command with only its own options."""
        return super().get_command(ctx, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, and the other arguments."""
        name = args[0]
        command = self.get_command(ctx, name)
        if ctx.resilient_parsing or name.startswith("-"):
            return super().resolve_command(ctx, args)
        if command is not None:
            allow_word(name)
            allow_option_values(
                [
                    option_name
                    for parameter in list_parameters(command)
                    if isinstance(parameter, click.Option) and not parameter.is_flag
                    for option_name in parameter.opts
                ]
            )
            single_dash_texts = [
                text for text in args[1:] if len(text) > 2 and text[0] == "-" != text[1]
            ]
            if single_dash_texts or "--passphrase" in args:
                self._check_common_mistakes(ctx, command, args)
            return name, command, args[1:]
        if ctx.parent is None and os.path.lexists(name):
            is_folder = os.path.isdir(name)
            message = f"'{name}' is a {'folder' if is_folder else 'file'}, not a command"
            arguments = f"{shlex.quote(name)}{' -r' * is_folder}"
            remedy = f"to encrypt it: sudokucrypt encrypt {arguments} --key FILE"
            raise HintedUsageError(message, ctx, hint=remedy)
        from sudokucrypt.cli.suggestions import suggest_name

        suggestion = suggest_name(name, self.list_commands(ctx))
        shown_name = f" '{allow_word(name)}'" if suggestion else f" {describe_position(name)}"
        raise HintedUsageError(f"no such command{shown_name}", ctx, hint=suggestion)

    def _check_common_mistakes(
        self, ctx: click.Context, command: click.Command, args: list[str]
    ) -> None:
        """Raise an error for a long option with one dash, or a passphrase after --passphrase."""
        from sudokucrypt.cli.suggestions import find_single_dash_option, has_typed_passphrase

        parameters = list_parameters(command)
        context = click.Context(command, parent=ctx, info_name=args[0])
        if typo := find_single_dash_option(args[1:], parameters):
            hint = f"did you mean '-{typo}'?"
            raise HintedUsageError(f"no such option '{allow_word(typo)}'", context, hint=hint)
        if "--passphrase" in args and has_typed_passphrase(args, parameters):
            raise click.UsageError(
                "--passphrase takes no value: it asks, so that nobody else sees what you type",
                context,
            )


class LazyGroup(Group):
    """Commands in modules below one package, each imported only when it runs.

    `sections` maps each heading of the list of commands to its commands: their location, and their
    line of help. The location is ``module:function``, or ``module`` if the function is named
    `command` and the command like the module. A suffix ``_command`` of the function is not part of
    the name of the command.
    """

    def __init__(
        self,
        *arguments: Any,
        package: str,
        sections: Mapping[str, Mapping[str, str]],
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._command_targets: dict[str, tuple[str, str]] = {}
        self._sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in sections}
        for heading, help_lines in sections.items():
            for target, line in help_lines.items():
                module, _, attribute = target.partition(":")
                name = (attribute or module.rpartition(".")[2]).removesuffix("_command")
                name = name.replace("_", "-")
                self._command_targets[name] = f"{package}.{module}", attribute or "command"
                self._sections[heading].append((name, line))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        del ctx
        return list(self._command_targets)

    def find_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a command, and return it with only its own options."""
        del ctx
        if name not in self._command_targets:
            return None
        module, attribute = self._command_targets[name]
        # An interrupt during the import ends the program at once: there is nothing to clean up,
        # and libraries would turn a KeyboardInterrupt into another error.
        exit_on_interrupt()
        command: click.Command = import_object(module, attribute)
        raise_on_interrupt()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        del ctx
        for heading, lines in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl(lines)


def list_parameters(command: click.Command) -> list[click.Parameter]:
    """Return the parameters of a command without searching installed packages for plugins."""
    parameters: list[click.Parameter] = vars(command)["params"]
    return parameters


def option(declaration: str, text: str, **settings: Any) -> Decorator:
    """Return a decorator that adds an option to a command; parameters as for `make_option`."""
    return partial(_add_options, options=[make_option(declaration, text, **settings)])


def make_option(
    declaration: str,
    text: str,
    *,
    name: str | None = None,
    heading: str = HEADINGS[0],
    everyday: bool = False,
    **settings: Any,
) -> Option:
    """Make an option of click from its `declaration` in the help, such as ``-o, --output OUT``.

    Without a metavar (``OUT``) or a type it is a flag. `text` is its help. `name` is the parameter
    of the command, by default the name of the option. `heading` is its group in the help, and
    `everyday` options are in the short help. Other `settings` are passed to click; a default is
    shown in the help unless they prevent it.
    """
    *other_spellings, last_spelling = declaration.split(", ")
    last_spelling, _, value = last_spelling.partition(" ")
    if value:
        settings["metavar"] = value
    elif "type" not in settings:
        settings["is_flag"] = True
    if "default" in settings:
        settings.setdefault("show_default", True)
    new_option = Option(
        [*other_spellings, last_spelling, *([name] if name else [])], help=text, **settings
    )
    new_option.heading, new_option.everyday = heading, everyday
    return new_option


def _set_verbosity(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Set the verbosity to the level that is named like the option."""
    del context
    if value:
        set_verbosity(Verbosity[str(parameter.name).upper()])


# The options that all commands have; --plain and --debug have an effect in `program.run`.
_MESSAGE_OPTIONS: list[click.Parameter] = [
    make_option(form, text, heading=HEADINGS[-1], is_eager=True, expose_value=False, **settings)
    for form, text, settings in (
        ("-q, --quiet", "Print no notes.", {"callback": _set_verbosity}),
        ("-v, --verbose", "Say more.", {"callback": _set_verbosity}),
        ("--plain", "Print no colors and no bars, and do not wrap lines.", {}),
        ("--debug", "Show the traceback of an error.", {}),
        ("--help-all", "", {"hidden": True, "callback": _show_help}),
    )
]
# Options by declaration and further settings, since several commands share them.
_option_cache: dict[tuple[OptionDeclaration | str, ...], Option] = {}


def declared_option(options_class: type, name: str, **settings: Any) -> Decorator:
    """Return a decorator that adds the option of a dataclass field; click gets the `settings`."""
    return partial(
        _add_options,
        options=_make_declared_options(options_class, included_names=(name,), **settings),
    )


def _make_declared_options(
    options_class: type,
    *,
    included_names: Container[str] | None = None,
    excluded_names: Container[str] = (),
    **extra_settings: Any,
) -> list[Option]:
    """Make click options for fields of a class: `included_names`, or all but `excluded_names`."""
    # Imported here, since --help does not need it.
    from sudokucrypt.options import (
        list_declared_options,
        replace_option_names,
    )

    options = []
    for name, (field, option_declaration) in list_declared_options(options_class).items():
        if (
            not option_declaration.in_commands
            or name in excluded_names
            or (included_names is not None and name not in included_names)
        ):
            continue
        if (option_declaration, *extra_settings) not in _option_cache:
            settings: dict[str, Any] = {**option_declaration.settings, **extra_settings}
            if {"type", "is_flag"} & settings.keys():
                pass
            elif option_declaration.choices:
                settings["type"] = _Choice(option_declaration.choices)
            elif option_declaration.least is not None:
                bounds: Any = click.FloatRange if type(field.default) is float else click.IntRange
                settings["type"] = bounds(option_declaration.least, option_declaration.most)
            elif "Path" in str(field.type):
                from pathlib import Path

                settings["type"] = click.Path(path_type=Path, readable=False)
            if not settings.get("multiple"):
                shows_default = field.default is True or type(field.default) in (str, int, float)
                settings = {"default": field.default, "show_default": shows_default, **settings}
            text = option_declaration.text
            if "`" in text:  # the text mentions another option
                text = replace_option_names(
                    text, lambda option_name: f"--{option_name.replace('_', '-')}"
                )
            declaration = option_declaration.form or f"--{name.replace('_', '-')}"
            settings |= {
                "heading": option_declaration.heading,
                "everyday": option_declaration.everyday,
            }
            _option_cache[option_declaration, *extra_settings] = make_option(
                declaration, text, name=name, **settings
            )
        options.append(_option_cache[option_declaration, *extra_settings])
    return options


def _add_options(command: CommandFunction, options: Sequence[click.Parameter]) -> CommandFunction:
    """Add options to a command, in this order and before its other options."""
    if not hasattr(command, "__click_params__"):
        command.__click_params__ = []  # type: ignore[attr-defined]
    command.__click_params__.extend(reversed(options))  # type: ignore[attr-defined]
    return command


class _Choice(click.Choice[str]):
    """A type of click that accepts certain words, and converts each to its value."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(list(values), case_sensitive=False)
        self._values = values

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert a word to its value; a default is already a value, and is returned unchanged."""
        if value in self._values.values() and value not in self._values:
            return value
        return self._values[super().convert(value, param, ctx)]


def option_group(
    parameter: str,
    kind: type,
    *options: Decorator,
    heading: str | None = None,
    included_names: Container[str] | None = None,
    excluded_names: Container[str] = (),
) -> Decorator:
    """Return a decorator that adds options to a command, which gets them as one dataclass.

    `parameter` is the parameter of the command, and `kind` its class. The options are `options`,
    decorators of click in the order of the help, listed under `heading`; or by default those that
    the fields of the class declare, `included_names` some or `excluded_names` some.
    """
    declared_options = (
        []
        if options
        else _make_declared_options(
            kind, included_names=included_names, excluded_names=excluded_names
        )
    )

    def decorate(command: CommandFunction) -> CommandFunction:
        grouped_command = (
            command if isinstance(command, _GroupedCommand) else _GroupedCommand(command)
        )
        grouped_command.groups[parameter] = kind
        grouped_command.__click_params__.extend(reversed(declared_options))
        for add_option in reversed(options):
            add_option(grouped_command)
            if heading is not None:
                grouped_command.__click_params__[-1].heading = heading
        return grouped_command

    return decorate


class _GroupedCommand:
    """A command function that is called with its grouped options as dataclasses."""

    def __init__(self, command: CommandFunction) -> None:
        self.command = command
        self.groups: dict[str, Any] = {}  # the dataclass of each parameter
        self.__name__, self.__doc__ = command.__name__, command.__doc__
        self.__click_params__ = getattr(command, "__click_params__", [])

    def __call__(self, **arguments: Any) -> None:
        for parameter, kind in self.groups.items():
            names = arguments.keys() & kind.__dataclass_fields__.keys()
            arguments[parameter] = kind(**{name: arguments.pop(name) for name in names})
        self.command(**arguments)
