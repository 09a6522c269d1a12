"""What our commands need beyond click: groups that import late, and options kept together."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from sudokucrypt.cli.interrupts import leave_on_interrupt, raise_on_interrupt
from sudokucrypt.cli.messages import (
    Verbosity,
    allow,
    describe_position,
    know_options,
    set_verbosity,
)
from sudokucrypt.lazy import import_name

if TYPE_CHECKING:
    from sudokucrypt.options import Declared

Command: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Command], Command]

HEADINGS = ("Options", "What", "Where", "How", "Key", "Messages")
"""The groups of options in the help of a command, in this order."""

# Where a context says that its help shows all options.
_ALL_HELP = "sudokucrypt.all_help"


class HintedUsageError(click.UsageError):
    """A mistake in the arguments, and what to do about it."""

    def __init__(self, message: str, ctx: click.Context | None, *, hint: str | None) -> None:
        super().__init__(message, ctx)
        self.hint = hint


class Option(click.Option):
    """An option, the heading of its group in the help, and whether the short help shows it."""

    heading = HEADINGS[0]
    everyday = False


class GroupedCommand(click.Command):
    """A command with many options, whose help shows them in groups, and two or so examples.

    If some of its options are everyday ones, ``--help`` shows these, and ``--help-all`` all.
    """

    def __init__(self, *arguments: Any, examples: str = "", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = examples.splitlines()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups, each under its heading, and the examples."""
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        parameters = self.get_params(ctx)
        everyday = [one for one in parameters if getattr(one, "everyday", False)]
        shown = parameters if _ALL_HELP in ctx.meta or not everyday else everyday
        for parameter in shown:
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):
                groups[getattr(parameter, "heading", HEADINGS[-1])].append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
        if shown is not parameters:
            formatter.write_paragraph()
            formatter.write_text(f"All options: {ctx.command_path} --help-all")
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.examples))


def _show_help(context: click.Context, _option: click.Parameter, given: object) -> None:
    if given:
        context.meta[_ALL_HELP] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


class Group(click.Group):
    """Commands; it says what was probably meant by a name that none of them has."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.params += _MESSAGES

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, which takes the options that all commands take."""
        command = self.command_named(ctx, cmd_name)
        if command is not None:
            own = own_parameters(command)
            if _MESSAGES[0] not in own:
                own += _MESSAGES
        return command

    def command_named(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command with its own options."""
        return super().get_command(ctx, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, and the others."""
        name = args[0]
        command = self.get_command(ctx, name)
        if ctx.resilient_parsing or name.startswith("-"):
            return super().resolve_command(ctx, args)
        if command is not None:
            allow(name)
            know_options(
                [
                    form
                    for parameter in own_parameters(command)
                    if isinstance(parameter, click.Option) and not parameter.is_flag
                    for form in parameter.opts
                ]
            )
            single = [each for each in args[1:] if len(each) > 2 and each[0] == "-" != each[1]]
            if single or "--passphrase" in args:
                self._require_usual_forms(ctx, command, args)
            return name, command, args[1:]
        if ctx.parent is None and os.path.lexists(name):
            folder = os.path.isdir(name)
            message = f"'{name}' is a {'folder' if folder else 'file'}, not a command"
            given = f"{shlex.quote(name)}{' -r' * folder}"
            remedy = f"to encrypt it: sudokucrypt encrypt {given} --key FILE"
            raise HintedUsageError(message, ctx, hint=remedy)
        from sudokucrypt.cli.suggestions import is_likely

        meant = is_likely(name, self.list_commands(ctx))
        named = f" '{allow(name)}'" if meant else f" {describe_position(name)}"
        raise HintedUsageError(f"no such command{named}", ctx, hint=meant)

    def _require_usual_forms(
        self, ctx: click.Context, command: click.Command, args: list[str]
    ) -> None:
        """Raise `click.UsageError` for a long option with one dash, and for a typed passphrase."""
        from sudokucrypt.cli.suggestions import follows_passphrase, with_one_dash

        own = own_parameters(command)
        inner = click.Context(command, parent=ctx, info_name=args[0])
        if dashed := with_one_dash(args[1:], own):
            hint = f"did you mean '-{dashed}'?"
            raise HintedUsageError(f"no such option '{allow(dashed)}'", inner, hint=hint)
        if "--passphrase" in args and follows_passphrase(args, own):
            raise click.UsageError(
                "--passphrase takes no value: it asks, so that nobody else sees what you type",
                inner,
            )


class LazyGroup(Group):
    """Commands in modules below one package, each imported only when it runs.

    `sections` maps the headings of the list of commands to what stands below them: where each is,
    and what it does. It is at ``module:command``, or at ``module`` if it is called `command` there
    and named like the module. A command may end in ``_command`` there, to differ from the function
    that does the work.
    """

    def __init__(
        self,
        *arguments: Any,
        package: str,
        sections: Mapping[str, Mapping[str, str]],
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._targets: dict[str, tuple[str, str]] = {}
        self._sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in sections}
        for heading, help_lines in sections.items():
            for target, line in help_lines.items():
                module, _, attribute = target.partition(":")
                name = (attribute or module.rpartition(".")[2]).removesuffix("_command")
                name = name.replace("_", "-")
                self._targets[name] = f"{package}.{module}", attribute or "command"
                self._sections[heading].append((name, line))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        del ctx
        return list(self._targets)

    def command_named(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import and return one command."""
        del ctx
        if name not in self._targets:
            return None
        module, attribute = self._targets[name]
        # An import begins nothing, and libraries turn an interrupt in it into errors of theirs.
        leave_on_interrupt()
        command: click.Command = import_name(module, attribute)
        raise_on_interrupt()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list without importing anything."""
        del ctx
        for heading, lines in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl(lines)


def own_parameters(command: click.Command) -> list[click.Parameter]:
    """Return the parameters of a command without searching other packages for more of them."""
    own: list[click.Parameter] = vars(command)["params"]
    return own


def option(form: str, text: str, **settings: Any) -> Decorator:
    """Return a decorator that gives a command an option; `make_option` has the parameters."""
    return partial(_add_options, options=[make_option(form, text, **settings)])


def make_option(
    form: str,
    text: str,
    *,
    name: str | None = None,
    heading: str = HEADINGS[0],
    everyday: bool = False,
    **settings: Any,
) -> Option:
    """Return an option of click, `form` as its help shows it: ``-o, --output OUT``.

    Without a value or a type it is a flag. `name` is the parameter that it gives, where that is
    not its own; a default is shown unless `settings` says otherwise. `heading` is that of its group
    in the help, and `everyday` says whether the short help shows it.
    """
    *before, last = form.split(", ")
    last, _, value = last.partition(" ")
    if value:
        settings["metavar"] = value
    elif "type" not in settings:
        settings["is_flag"] = True
    if "default" in settings:
        settings.setdefault("show_default", True)
    made = Option([*before, last, *([name] if name else [])], help=text, **settings)
    made.heading, made.everyday = heading, everyday
    return made


def _set_level(context: click.Context, parameter: click.Parameter, given: object) -> None:
    """Print as much as an option says, whose name is that of a level."""
    del context
    if given:
        set_verbosity(Verbosity[str(parameter.name).upper()])


# The options that all commands take; `run` sees --plain and --debug itself, and all errors.
_MESSAGES: list[click.Parameter] = [
    make_option(form, text, heading=HEADINGS[-1], is_eager=True, expose_value=False, **settings)
    for form, text, settings in (
        ("-q, --quiet", "Print no notes.", {"callback": _set_level}),
        ("-v, --verbose", "Say more.", {"callback": _set_level}),
        ("--plain", "Print no colors and no bars, and do not wrap lines.", {}),
        ("--debug", "Show the traceback of an error.", {}),
        ("--help-all", "", {"hidden": True, "callback": _show_help}),
    )
]
# The options of fields that several commands inherit, and what else click was told of each.
_made: dict[tuple[Declared | str, ...], Option] = {}


def declared_option(kind: type, name: str, **more: Any) -> Decorator:
    """Return the option of click for a field of a dataclass, with `more` told to click."""
    return partial(_add_options, options=_make_declared_options(kind, only=(name,), **more))


def _make_declared_options(
    kind: type, *, only: Container[str] | None = None, without: Container[str] = (), **more: Any
) -> list[Option]:
    """Return the options of click for the fields of a dataclass, but for some."""
    from sudokucrypt.options import declared_options, write_names  # a list of commands has none

    options = []
    for name, (each, declared) in declared_options(kind).items():
        if not declared.in_commands or name in without or (only is not None and name not in only):
            continue
        if (declared, *more) not in _made:
            settings: dict[str, Any] = {**declared.settings, **more}
            if {"type", "is_flag"} & settings.keys():
                pass
            elif declared.choices:
                settings["type"] = _Choice(declared.choices)
            elif declared.least is not None:
                bounds: Any = click.FloatRange if type(each.default) is float else click.IntRange
                settings["type"] = bounds(declared.least, declared.most)
            elif "Path" in str(each.type):
                from pathlib import Path

                settings["type"] = click.Path(path_type=Path, readable=False)
            if not settings.get("multiple"):
                shown = each.default is True or type(each.default) in (str, int, float)
                settings = {"default": each.default, "show_default": shown, **settings}
            text = declared.text
            if "`" in text:  # few name another option
                text = write_names(text, lambda other: f"--{other.replace('_', '-')}")
            form = declared.form or f"--{name.replace('_', '-')}"
            settings |= {"heading": declared.heading, "everyday": declared.everyday}
            _made[declared, *more] = make_option(form, text, name=name, **settings)
        options.append(_made[declared, *more])
    return options


def _add_options(command: Command, options: Sequence[click.Parameter]) -> Command:
    """Give a command options as decorators of click do, whose last is the first in the help."""
    if not hasattr(command, "__click_params__"):
        command.__click_params__ = []  # type: ignore[attr-defined]
    command.__click_params__.extend(reversed(options))  # type: ignore[attr-defined]
    return command


class _Choice(click.Choice[str]):
    """A choice between words, which gives what each word means."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(list(values), case_sensitive=False)
        self._values = values

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value that a word means; defaults are values already."""
        if value in self._values.values() and value not in self._values:
            return value
        return self._values[super().convert(value, param, ctx)]


def option_group(
    parameter: str,
    kind: type,
    *options: Decorator,
    heading: str | None = None,
    only: Container[str] | None = None,
    without: Container[str] = (),
) -> Decorator:
    """Return a decorator that gives a command many options as one parameter, a dataclass.

    They are `options`, decorators of click in the order of the help, all below one heading if there
    is one; else those that the fields of the dataclass declare, but for some.
    """
    declared = [] if options else _make_declared_options(kind, only=only, without=without)

    def decorate(command: Command) -> Command:
        grouping = command if isinstance(command, _Grouping) else _Grouping(command)
        grouping.groups[parameter] = kind
        grouping.__click_params__.extend(reversed(declared))
        for add in reversed(options):
            add(grouping)
            if heading is not None:
                grouping.__click_params__[-1].heading = heading
        return grouping

    return decorate


class _Grouping:
    """A command that gets the options of groups as the dataclasses of these groups."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.groups: dict[str, Any] = {}  # dataclasses by parameter
        self.__name__, self.__doc__ = command.__name__, command.__doc__
        self.__click_params__ = getattr(command, "__click_params__", [])

    def __call__(self, **arguments: Any) -> None:
        for parameter, kind in self.groups.items():
            names = arguments.keys() & kind.__dataclass_fields__.keys()
            arguments[parameter] = kind(**{name: arguments.pop(name) for name in names})
        self.command(**arguments)
