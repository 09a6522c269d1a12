"""What callers say: numbers that are checked, options, and functions that say how they are called.

An option is declared once, as a field of a dataclass, with its sentence. The field gives functions
their keyword and its lines in their docstrings, commands their option, and the reference its row. A
name in backticks is another option, which a command writes its way.
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
from sudokucrypt.frozen import Frozen, FrozenValue


def checked_integer(name: str, value: object, *, least: int = 1, most: int | None = None) -> int:
    """Return `value` as an int of at least `least` and at most `most`, or without an upper end.

    Integers of NumPy count, booleans and floats do not. Raises `InvalidParameterError` if `value`
    is anything else, with its `name`, such as ``rounds``.

    >>> checked_integer("rounds", 3, most=255)
    3
    """
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        allowed = f"of {least} or more" if most is None else f"in {least}..{most}"
        raise InvalidParameterError(f"{name} must be an integer {allowed}, not {value!r}")
    return number


_Value = TypeVar("_Value")
_DECLARED = "option"  # the key in the metadata of a field
_OF_KINDS: dict[type, dict[str, tuple[Field[Any], Declared]]] = {}
_NAME = re.compile(r"(?<!`)`(\w+)`(?!`)")


class Declared(Frozen):
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


class Options(FrozenValue):
    """What all dataclasses of options are; the error for an unknown one says which is meant."""

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
        kind = f"{{{', '.join(map(_quote, declared.choices.values()))}}}"
    parts = [kind, *([declared.bounds] if declared.bounds else [])]
    if each.default is None:
        parts.append("optional")
    elif each.default is not MISSING:
        parts.append(f"default {_quote(each.default)}")
    return ", ".join(parts)


def write_names(text: str, write: Callable[[str], str]) -> str:
    """Return a sentence in which other options are written in some way."""
    return _NAME.sub(lambda name: write(name[1]), text)


def _quote(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


_Function = TypeVar("_Function", bound=Callable[..., Any])

# What other libraries call the passphrase, and the parameters of ours.
_WORDS = {"passphrase", "password", "passwd", "pwd"}
_OTHER_NAMES = {
    "source": {"src", "input", "infile", "path", "filename", "file"},
    "target": {"dst", "dest", "destination", "output", "out", "outfile"},
    "image": {"img", "array", "pixels", "picture"},
    "key": {"secret"},
}
_HOW: dict[str, str] = {
    "key": "Key.generate() makes a key, Key.from_file reads one, and Passphrase takes words",
    "new_key": "the new key comes last",
    "target": "the target is the name of the result, or an open binary file",
    "layers": "layers are a list, as in [Layer(key, [Region.xywh(10, 20, 64, 48)])]",
    "regions": "regions are a list, as in [Region.xywh(10, 20, 64, 48)], and then comes the key",
}
_HOW_TO_RESTORE = "the key is that of the picture: Key.from_file reads it, Passphrase takes words"
_RESTORING = ("un", "de", "rekey")

# Sentences on options that several functions take, which replace a line ``<name>`` in a docstring.
_OPTIONS: dict[str, str] = {
    "key": """key : Key, Passphrase, Recipient, Identity or a list of them
    What opens the result: a key, or what one is derived from, and whoever else opens it.""",
    "own_key": """key : Key, Passphrase, PictureKey, Identity or KeyRing
    What it was protected with, or the key of this picture.""",
    "target": """target : path, binary file, callable or None
    OUT: a path or URL, whose suffix chooses the format, or a stream that is open for writing. A
    callable gets the suffix that suits the result, and the sealed name of a file that is restored,
    made harmless, else None; it returns the path. None writes next to the source.""",
}
_MARK = re.compile(r"^( *)<(\w+)>$", re.MULTILINE)


class Annotation(str):
    """A type as signatures show it: by its name, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def guide(function: _Function) -> _Function:
    """Return a public function whose errors about its arguments name the right call.

    Lines such as ``<threads>`` in its docstring become the sentences on that option, and its
    signature names types where it would spell them out.
    """

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError as error:
            traceback = error.__traceback__
            if traceback is not None and traceback.tb_next is None:  # the call itself failed
                error.add_note(f"hint: {advice(function, arguments, options)}")
            raise

    call.__doc__ = _fill_docstring(function.__doc__)
    signature = inspect.signature(function)
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            each.replace(annotation=_unquote(each.annotation))
            for each in signature.parameters.values()
        ],
        return_annotation=_unquote(signature.return_annotation),
    )
    return cast("_Function", call)


def takes_options(
    function: Callable[..., Any], kind: type, *, hidden: tuple[str, ...] = ()
) -> Callable[..., Any]:
    """Return a public function whose keywords are the options of a dataclass.

    `function` gets them as one object, its last parameter. A line ``<options>`` in its docstring
    becomes the sentences on all but `hidden` ones, which its signature does not show either; all
    else is as for `guide`.
    """
    signature = inspect.signature(function)
    *own, last = signature.parameters.values()
    names = [each.name for each in own]

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        given = {}
        for name in names:
            if name in options:
                given[name] = options.pop(name)
        try:
            if len(arguments) > len(names):
                raise TypeError(
                    f"{function.__name__}() takes {len(names)} positional arguments but "
                    f"{len(arguments)} were given"
                )
            for each in own[len(arguments) :]:
                if each.default is each.empty and each.name not in given:
                    raise TypeError(
                        f"{function.__name__}() missing 1 required positional argument: "
                        f"'{each.name}'"
                    )
            return function(*arguments, **given, **{last.name: kind(**options)})
        except TypeError as error:
            traceback = error.__traceback__
            if traceback is not None and traceback.tb_next is None:  # the call itself failed
                error.add_note(f"hint: {advice(call, arguments, {**given, **options})}")
            raise

    shown = {
        name: inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=each.default,
            annotation=_unquote(each.type),
        )
        for name, (each, _) in declared_options(kind).items()
        if name not in hidden
    }
    own = [each.replace(annotation=_unquote(each.annotation)) for each in own]
    call.__signature__ = signature.replace(  # type: ignore[attr-defined] # what `inspect` looks at
        parameters=[*own, *shown.values()], return_annotation=_unquote(signature.return_annotation)
    )
    document(kind, hidden=hidden)(call)
    call.__doc__ = _fill_docstring(call.__doc__)
    return call


def document(kind: type, *, hidden: tuple[str, ...] = ()) -> Callable[[_Function], _Function]:
    """Return a decorator that fills a docstring with the sentences on options of a dataclass.

    They replace the line ``<options>``, and a line such as ``<cover>`` for one of them.
    """

    def decorate(function: _Function) -> _Function:
        if function.__doc__ is not None:  # as it is under -OO
            own = declared_options(kind)
            function.__doc__ = _MARK.sub(
                lambda mark: (
                    "\n".join(
                        f"{mark[1]}{line}"
                        for name in (own if mark[2] == "options" else [mark[2]])
                        if name in own and name not in hidden
                        for line in document_option(name, *own[name])
                    )
                    or mark[0]
                ),
                function.__doc__,
            )
        return function

    return decorate


def advice(
    function: Callable[..., Any], arguments: tuple[object, ...], options: dict[str, object]
) -> str:
    """Return how a function is called, for anyone who called it with these arguments."""
    parameters = inspect.signature(function).parameters.values()
    needed = [
        each.name
        for each in parameters
        if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
    ]
    if needed[:1] in (["self"], ["cls"]):
        needed, arguments = needed[1:], arguments[1:]
    form = f"{function.__name__}({', '.join(needed)})"
    if _WORDS & options.keys():
        words = ["Passphrase('some words')" if name == "key" else name for name in needed]
        return f"a passphrase is a key: {function.__name__}({', '.join(words)})"
    parts = [f"call {form}"]
    for name, others in _OTHER_NAMES.items():
        if name in needed and (given := others & options.keys()):
            parts.append(f"use {name} for {min(given)}")
    missing = [name for name in needed[len(arguments) :] if name not in options]
    if needed[1:2] == ["target"] and "target" not in options and not _is_target(arguments[1:2]):
        missing = ["target"]
    how = _HOW | ({"key": _HOW_TO_RESTORE} if function.__name__.startswith(_RESTORING) else {})
    parts += [how[name] for name in missing[:1] if name in how]
    if len(arguments) > len(needed):
        parts.append("options are named, and result.save(path) writes the result of an array")
    return "; ".join(parts)


def _is_target(given: tuple[object, ...]) -> bool:
    """Return whether there is a second argument that can be a target, unlike a key."""
    return bool(given) and not hasattr(given[0], "to_bytes")


def _unquote(annotation: Any) -> Any:
    """Return a type that is written as text so that it is shown without quotes."""
    return Annotation(annotation) if isinstance(annotation, str) else annotation


def _fill_docstring(text: str | None) -> str | None:
    """Return a docstring with the sentences on its options."""
    if text is None:  # as under -OO
        return None
    return _MARK.sub(
        lambda mark: "\n".join(f"{mark[1]}{line}" for line in _OPTIONS[mark[2]].splitlines()),
        text,
    )
