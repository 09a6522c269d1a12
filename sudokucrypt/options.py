"""Options of functions and commands, checks of numbers, and hints on how functions are called.

An option is declared once, as a field of a dataclass, with sentences that describe it. From the
field come the keyword of a function and its lines in the docstring, the option of a command, and
the row in the reference. In the sentences a name in backticks is another option, which commands
write with hyphens.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, field, fields
from functools import wraps
from operator import index
from typing import Any, Self, TypeVar, cast

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.frozen import FrozenObject, FrozenValue


def check_integer(name: str, value: object, *, least: int = 1, most: int | None = None) -> int:
    """Return `value` as an int if it is at least `least`, and at most `most` if that is given.

    Integers of NumPy are accepted, booleans and floats are not. Raises `InvalidParameterError` with
    the `name` of the option, such as ``rounds``, if `value` is not such an integer.

    >>> check_integer("rounds", 3, most=255)
    3
    """
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        allowed_range = f"of {least} or more" if most is None else f"in {least}..{most}"
        raise InvalidParameterError(f"{name} must be an integer {allowed_range}, not {value!r}")
    return number


_Value = TypeVar("_Value")
_METADATA_KEY = "option"
_OPTIONS_BY_CLASS: dict[type, dict[str, tuple[Field[Any], OptionDeclaration]]] = {}
_QUOTED_NAME = re.compile(r"(?<!`)`(\w+)`(?!`)")


class OptionDeclaration(FrozenObject):
    """The declaration of an option, which functions, commands and the reference share."""

    text: str  # whole sentences that describe the option
    form: str  # how a command writes the option, such as ``-o, --output OUT``
    unit: str  # the unit of a number, such as ``rounds``
    least: float | None  # the smallest number
    most: float | None  # the largest number
    choices: Mapping[str, Any]  # the values by their names in commands
    heading: str  # the heading of the option in the help of a command
    everyday: bool  # whether the short help of a command shows the option
    in_commands: bool  # whether commands have the option
    settings: Mapping[str, Any]  # further arguments for click

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
    """Return the field of an option; `OptionDeclaration` describes the arguments.

    Without a `form`, the form of a command is made from the name of the option.
    """
    choices = choices if isinstance(choices, Mapping) else dict(zip(choices, choices, strict=True))
    declaration = OptionDeclaration(
        text=text,
        form=form,
        unit=unit,
        least=least,
        most=most,
        choices=choices,
        heading=heading,
        everyday=everyday,
        in_commands=in_commands,
        settings=settings,
    )
    option_field: Any = field(default=default, metadata={_METADATA_KEY: declaration})
    return option_field  # type: ignore[no-any-return] # type checkers see the default


class Options(FrozenValue):
    """The base of dataclasses of options; its error for an unknown option suggests another."""

    def __new__(cls, **options: object) -> Self:
        """Return an object, or raise `TypeError` for an option that does not exist."""
        fields = cls.__dataclass_fields__  # `fields` would make a list in every call
        for name in options.keys() - fields.keys():
            from sudokucrypt.suggesting import suggest_name

            suggestion = suggest_name(name, fields)
            remedy = f"use {suggestion}" if suggestion else f"the options are {', '.join(fields)}"
            raise TypeError(f"unexpected option {name!r}; {remedy}")
        return super().__new__(cls)


def list_declared_options(kind: type) -> dict[str, tuple[Field[Any], OptionDeclaration]]:
    """Return the options of a dataclass by their names, in the order of its fields."""
    if kind not in _OPTIONS_BY_CLASS:
        _OPTIONS_BY_CLASS[kind] = {
            option_field.name: (option_field, option_field.metadata[_METADATA_KEY])
            for option_field in fields(kind)
            if _METADATA_KEY in option_field.metadata
        }
    return _OPTIONS_BY_CLASS[kind]


def document_option(
    name: str, option_field: Field[Any], declaration: OptionDeclaration
) -> list[str]:
    """Return the lines of a docstring that describe one option."""
    from textwrap import wrap

    lines = wrap(declaration.text, 90, break_on_hyphens=False)
    return [
        f"{name} : {describe_type(option_field, declaration)}",
        *(f"    {line}" for line in lines),
    ]


def describe_type(option_field: Field[Any], declaration: OptionDeclaration) -> str:
    """Return the type of an option, its range and its default, as written in docstrings."""
    type_text = str(option_field.type).removesuffix(" | None").replace("PathName", "path")
    if declaration.choices and not type_text.startswith("bool"):
        type_text = f"{{{', '.join(map(_quote, declaration.choices.values()))}}}"
    type_parts = [type_text, *([declaration.bounds] if declaration.bounds else [])]
    if option_field.default is None:
        type_parts.append("optional")
    elif option_field.default is not MISSING:
        type_parts.append(f"default {_quote(option_field.default)}")
    return ", ".join(type_parts)


def replace_option_names(text: str, write: Callable[[str], str]) -> str:
    """Return a sentence in which the results of `write` replace the names of other options."""
    return _QUOTED_NAME.sub(lambda name: write(name[1]), text)


def _quote(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


_Function = TypeVar("_Function", bound=Callable[..., Any])

# The names that other libraries have for a passphrase, and for the parameters of our functions.
_PASSPHRASE_NAMES = {"passphrase", "password", "passwd", "pwd"}
_PARAMETER_SYNONYMS = {
    "source": {"src", "input", "infile", "path", "filename", "file"},
    "target": {"dst", "dest", "destination", "output", "out", "outfile"},
    "image": {"img", "array", "pixels", "picture"},
    "key": {"secret"},
}
_HINTS: dict[str, str] = {
    "key": "Key.generate() makes a key, Key.from_file reads one, and Passphrase takes words",
    "new_key": "the new key comes last",
    "target": "the target is the name of the result, or an open binary file",
    "layers": "layers are a list, as in [Layer(key, [Region.xywh(10, 20, 64, 48)])]",
    "regions": "regions are a list, as in [Region.xywh(10, 20, 64, 48)], and then comes the key",
}
_RESTORE_HINT = "the key is that of the picture: Key.from_file reads it, Passphrase takes words"
_RESTORE_PREFIXES = ("un", "de", "rekey")  # the first letters of names of functions that restore

# The description of parameters that several functions take. In a docstring it replaces a line
# ``<name>``.
_PARAMETER_DESCRIPTIONS: dict[str, str] = {
    "key": """key : Key, Passphrase, Recipient, Identity or a list of them
    The key that will open the result, or a list of all keys that each will open it.""",
    "own_key": """key : Key, Passphrase, PictureKey, Identity or KeyRing
    The key that the source was protected with, or the key of this picture.""",
    "target": """target : path, binary file, callable or None
    OUT: a path or URL, whose suffix chooses the format, or a stream that is open for writing. A
    callable gets the suffix of the result and, for a restored file, its sealed name, made harmless,
    else None; it returns the path. None writes next to the source.""",
}
_PLACEHOLDER = re.compile(r"^( *)<(\w+)>$", re.MULTILINE)


class Annotation(str):
    """The name of a type, which signatures show without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def add_call_hints(function: _Function) -> _Function:
    """Wrap a public function so that errors about its arguments contain a hint on how to call it.

    In its docstring, lines such as ``<target>`` are replaced by the description of the parameter.
    Its signature shows type aliases by their names.
    """

    @wraps(function)
    def call_with_hints(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError as error:
            traceback = error.__traceback__
            if traceback is not None and traceback.tb_next is None:  # the function was not entered
                error.add_note(f"hint: {make_call_hint(function, arguments, options)}")
            raise

    call_with_hints.__doc__ = _fill_docstring(function.__doc__)
    signature = inspect.signature(function)
    call_with_hints.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            parameter.replace(annotation=_unquote(parameter.annotation))
            for parameter in signature.parameters.values()
        ],
        return_annotation=_unquote(signature.return_annotation),
    )
    return cast("_Function", call_with_hints)


def add_option_keywords(
    function: Callable[..., Any], kind: type, *, hidden_options: tuple[str, ...] = ()
) -> Callable[..., Any]:
    """Return a public function whose keywords are the options of the dataclass `kind`.

    `function` gets the options as one object, its last parameter. In its docstring, a line
    ``<options>`` is replaced by the descriptions of the options. Docstring and signature leave out
    the `hidden_options` options. In all other respects the result is as that of `add_call_hints`.
    """
    signature = inspect.signature(function)
    *parameters, options_parameter = signature.parameters.values()
    names = [parameter.name for parameter in parameters]

    @wraps(function)
    def call_with_options(*arguments: Any, **options: Any) -> Any:
        named_arguments = {}
        for name in names:
            if name in options:
                named_arguments[name] = options.pop(name)
        try:
            if len(arguments) > len(names):
                raise TypeError(
                    f"{function.__name__}() takes {len(names)} positional arguments but "
                    f"{len(arguments)} were given"
                )
            for parameter in parameters[len(arguments) :]:
                if parameter.default is parameter.empty and parameter.name not in named_arguments:
                    raise TypeError(
                        f"{function.__name__}() missing 1 required positional argument: "
                        f"'{parameter.name}'"
                    )
            named_arguments_and_options = {
                **named_arguments,
                options_parameter.name: kind(**options),
            }
            return function(*arguments, **named_arguments_and_options)
        except TypeError as error:
            traceback = error.__traceback__
            if traceback is not None and traceback.tb_next is None:  # the function was not entered
                all_options = {**named_arguments, **options}
                error.add_note(f"hint: {make_call_hint(call_with_options, arguments, all_options)}")
            raise

    option_parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=option_field.default,
            annotation=_unquote(option_field.type),
        )
        for name, (option_field, _) in list_declared_options(kind).items()
        if name not in hidden_options
    ]
    call_with_options.__signature__ = signature.replace(  # type: ignore[attr-defined] # `inspect` reads it
        parameters=[
            *(
                parameter.replace(annotation=_unquote(parameter.annotation))
                for parameter in parameters
            ),
            *option_parameters,
        ],
        return_annotation=_unquote(signature.return_annotation),
    )
    document_options(kind, hidden_options=hidden_options)(call_with_options)
    call_with_options.__doc__ = _fill_docstring(call_with_options.__doc__)
    return call_with_options


def document_options(
    kind: type, *, hidden_options: tuple[str, ...] = ()
) -> Callable[[_Function], _Function]:
    """Return a decorator that puts the descriptions of options of a dataclass into a docstring.

    A line ``<options>`` is replaced by all descriptions, a line such as ``<cover>`` by one.
    """

    def decorate(function: _Function) -> _Function:
        if function.__doc__ is not None:  # it is None under -OO
            known_options = list_declared_options(kind)
            function.__doc__ = _PLACEHOLDER.sub(
                lambda match: (
                    "\n".join(
                        f"{match[1]}{line}"
                        for name in (known_options if match[2] == "options" else [match[2]])
                        if name in known_options and name not in hidden_options
                        for line in document_option(name, *known_options[name])
                    )
                    or match[0]
                ),
                function.__doc__,
            )
        return function

    return decorate


def make_call_hint(
    function: Callable[..., Any], arguments: tuple[object, ...], options: dict[str, object]
) -> str:
    """Return a hint on the right call, after a call with these wrong arguments."""
    parameters = inspect.signature(function).parameters.values()
    required_names = [
        each.name
        for each in parameters
        if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
    ]
    if required_names[:1] in (["self"], ["cls"]):
        required_names, arguments = required_names[1:], arguments[1:]
    correct_call = f"{function.__name__}({', '.join(required_names)})"
    if _PASSPHRASE_NAMES & options.keys():
        shown_arguments = [
            "Passphrase('some words')" if name == "key" else name for name in required_names
        ]
        return f"a passphrase is a key: {function.__name__}({', '.join(shown_arguments)})"
    hint_parts = [f"call {correct_call}"]
    for name, synonyms in _PARAMETER_SYNONYMS.items():
        if name in required_names and (used_names := synonyms & options.keys()):
            hint_parts.append(f"use {name} for {min(used_names)}")
    missing_names = [name for name in required_names[len(arguments) :] if name not in options]
    if (
        required_names[1:2] == ["target"]
        and "target" not in options
        and not _is_target(arguments[1:2])
    ):
        missing_names = ["target"]
    is_restoring = function.__name__.startswith(_RESTORE_PREFIXES)
    hints = _HINTS | ({"key": _RESTORE_HINT} if is_restoring else {})
    hint_parts += [hints[name] for name in missing_names[:1] if name in hints]
    if len(arguments) > len(required_names):
        hint_parts.append("options are named, and result.save(path) writes the result of an array")
    return "; ".join(hint_parts)


def _is_target(arguments: tuple[object, ...]) -> bool:
    """Return whether there is an argument and it can be a target, not a key."""
    return bool(arguments) and not hasattr(arguments[0], "to_bytes")


def _unquote(annotation: Any) -> Any:
    """Return an annotation that signatures show without quotes, even if it is a text."""
    return Annotation(annotation) if isinstance(annotation, str) else annotation


def _fill_docstring(text: str | None) -> str | None:
    """Replace placeholders such as ``<key>`` in a docstring by descriptions of parameters."""
    if text is None:  # as under -OO
        return None
    return _PLACEHOLDER.sub(
        lambda match: "\n".join(
            f"{match[1]}{line}" for line in _PARAMETER_DESCRIPTIONS[match[2]].splitlines()
        ),
        text,
    )
