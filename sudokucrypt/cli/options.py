"""The arguments that several commands share, such as their inputs, outputs and parallel jobs."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.cli import extensions
from sudokucrypt.cli.extensions import CommandFunction, Decorator, declared_option, option_group
from sudokucrypt.frozen import FrozenValue
from sudokucrypt.options import option
from sudokucrypt.recipes.options import OpenOptions

if TYPE_CHECKING:
    from typing import BinaryIO

    from sudokucrypt.storage import Location


_TEMPLATE_FIELDS = {"stem", "name", "random", "word", "suffix"}
_STANDARD_STREAM = Path("-")


class SourcePath(click.Path):
    """The type of input arguments: a path, a URL, or ``-`` for stdin. A file named - is ``./-``."""

    def __init__(self) -> None:
        super().__init__(readable=False)  # a file that cannot be read must not stop the others

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Convert text to a location; refuse an empty name, and keep the path of a file ``./-``."""
        from sudokucrypt.remote import Url
        from sudokucrypt.storage import parse_location

        if not value:
            self.fail("the name is empty", param, ctx)
        location = parse_location(value)
        if isinstance(location, Url):
            return location
        if str(value).lower().startswith("file://"):
            value = location
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        return path.absolute() if path == _STANDARD_STREAM and str(value) != "-" else path


@dataclass(frozen=True)
class InputItem:
    """One file to work on."""

    source: Location
    folder: Path = field(default_factory=Path)  # its folder, relative to the argument's folder
    fault: str = ""  # the error message if there is no file, for example in an empty folder

    @property
    def is_stdin(self) -> bool:
        """Whether the input is stdin."""
        return self.source == _STANDARD_STREAM

    def get_file_source(self) -> Location | BinaryIO:
        """Return the location of the file, or stdin; raise an error if stdin is a terminal."""
        if not self.is_stdin:
            return self.source
        if sys.stdin is None:
            raise click.UsageError("stdin is closed")
        if sys.stdin.isatty():
            raise click.UsageError("stdin is a terminal, not a picture; name a file")
        return sys.stdin.buffer


def get_binary_stdout(description: str = "the result") -> BinaryIO:
    """Return stdout for binary data; raise an error if it is a terminal."""
    if is_stdout_closed():
        raise click.UsageError("stdout is closed")
    if sys.stdout.isatty():
        raise click.UsageError(f"{description} is not for the terminal; name a file with -o")
    return sys.stdout.buffer


def is_stdout_closed() -> bool:
    """Return whether the parent process closed stdout, so that `main` opened the null device."""
    return sys.stdout is None or getattr(sys.stdout, "name", None) == 1


def require_template(template: str) -> None:
    """Raise `click.UsageError` for a template that cannot give file names."""
    from string import Formatter

    try:
        fields = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        template.format_map(dict.fromkeys(_TEMPLATE_FIELDS, ""))
    except (AttributeError, LookupError, ValueError):
        fields = set()
    if not fields <= _TEMPLATE_FIELDS or not fields & {"stem", "name", "random"} or "/" in template:
        known_fields = ", ".join(f"{{{name}}}" for name in sorted(_TEMPLATE_FIELDS))
        raise click.UsageError(
            f"the name template {template!r} must be a file name with {{stem}}, {{name}} or "
            f"{{random}}, and may use {known_fields}"
        )


# Types of path arguments; click does not check that a path is readable, since it may be an output.
PATH_TYPE = click.Path(path_type=Path, readable=False)
FILE_TYPE = click.Path(readable=False)

# The key in `Context.meta` of MODULE:NAME, a scheme of the user's own.
USER_SCHEME_KEY = "sudokucrypt.own_scheme"


def _register_scheme(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> str | None:
    """Convert a value of --scheme to the name in headers; register a scheme of the user's own."""
    if text is None or text == parameter.default:
        return text
    if ":" not in text:
        from sudokucrypt.ciphers import SCHEMES

        # The analysis commands print names of schemes without a version.
        return f"{text}-v1" if text not in SCHEMES and f"{text}-v1" in SCHEMES else text
    module, _colon, attribute = text.rpartition(":")
    absolute_module = str(Path(module).absolute()) if module.endswith(".py") else module
    context.meta[USER_SCHEME_KEY] = f"{absolute_module}:{attribute}"
    return register_user_scheme(text)


def register_user_scheme(text: str) -> str:
    """Import and register a scheme of the user's own, MODULE:NAME; return its name in headers."""
    from sudokucrypt.ciphers import SCHEMES, TaggedScheme, register_scheme
    from sudokucrypt.cli.plugins import load_object
    from sudokucrypt.errors import InvalidParameterError

    scheme = load_object(text)
    if not isinstance(scheme, TaggedScheme):
        raise InvalidParameterError(
            f"'{text}' is of type {type(scheme).__name__}, and protects no pictures",
            hint="name a TaggedScheme; 'sudokucrypt analyze --scheme' measures functions, too",
        )
    if SCHEMES.get(scheme.name) is not scheme:
        register_scheme(scheme)
    return scheme.name


def scheme_option(default: str | None, **settings: Any) -> Decorator:
    """Return a decorator that adds the option ``--scheme`` with this default."""
    return extensions.option(
        "--scheme NAME",
        "Use another registered scheme, or your own as MODULE:NAME or FILE.py:NAME, whose code is "
        "run.",
        default=default,
        show_default=default is not None,
        callback=_register_scheme,
        **settings,
        heading="How",
    )


read_sidecar_option = declared_option(OpenOptions, "sidecar")
max_pixels_option = declared_option(OpenOptions, "max_pixels")


class _ShardType(click.ParamType[tuple[int, int]]):
    """The type of ``--shard``: the number of a part of the inputs, and the number of parts."""

    name = "shard"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Convert text such as ``1/8`` to the number of the part and the number of parts."""
        if isinstance(value, tuple):
            return value
        if not re.fullmatch(r"[1-9]\d{0,8}/[1-9]\d{0,8}", value, re.ASCII):
            self.fail(f"a part is I/N, such as 1/8, not {value!r}", param, ctx)
        part_number, part_count = map(int, value.split("/"))
        if part_number > part_count:
            self.fail(f"there is no part {part_number} of {part_count}", param, ctx)
        return part_number, part_count


class BatchOptions(FrozenValue):
    """The options for inputs, outputs, and how many inputs are processed at a time."""

    sources: tuple[Location, ...]
    output: str | None = option(
        None,
        "A file, whose suffix chooses the format, a folder, or - for stdout. By default each "
        "result is written beside its input.",
        "-o, --output OUT",
        type=FILE_TYPE,
        heading="Where",
        everyday=True,
    )
    template: str | None = option(
        None,
        "Pattern for the names of results, by default {name}.{word}{suffix}; {stem} is {name} "
        "without its suffix, and {random} hides it: decrypting a file gives its name back.",
        "--name TEMPLATE",
        heading="Where",
    )
    recursive: bool = option(
        False, "Include subfolders.", "-r, --recursive", heading="What", everyday=True
    )
    listing: bool = option(
        False,
        "Print everything that was left out of folders, and why.",
        "--list",
        heading="What",
    )
    jobs: int | None = option(
        None,
        "Process N inputs in parallel, with all N in memory. By default one per core, as far as "
        "memory is at hand; 1 for a few small inputs, with passphrases, and on other systems than "
        "Linux.",
        "--jobs N",
        unit="inputs",
        least=1,
        most=1024,
    )
    manifest: Path | None = option(
        None,
        "Add a line of JSON to FILE for each input; --resume skips what FILE says is done.",
        "--manifest FILE",
        type=PATH_TYPE,
        heading="Where",
    )
    shard: tuple[int, int] | None = option(
        None,
        "Work on part I of N of the inputs; the parts do not overlap.",
        "--shard I/N",
        type=_ShardType(),
        heading="What",
    )
    cluster: str | None = option(
        None,
        "Use the workers of a Dask cluster, or with 'local' processes of this machine. No key is "
        "sent: every worker reads the key file itself. Results that exist and match are kept, as "
        "with --resume.",
        "--dask ADDRESS",
    )
    dry_run: bool = option(False, "Print what would be written, and do nothing.", heading="Where")

    def has_several_inputs(self) -> bool:
        """Return whether the inputs may be several pictures, for example in a folder."""
        from sudokucrypt.storage import is_folder

        return len(self.sources) > 1 or self.shard is not None or any(map(is_folder, self.sources))

    @property
    def writes_to_stdout(self) -> bool:
        """Whether the result is written to stdout."""
        return self.output == "-" or (self.output is None and Path("-") in self.sources)


class PruningOptions(FrozenValue):
    """The options for results whose original is gone."""

    prune: bool  # whether such results are removed
    skips_question: bool  # whether they are removed without a question


class UnredactBatchOptions(BatchOptions):
    """The options for inputs and outputs of `unredact`; its ``--list`` prints layers."""

    listing: bool = option(
        False,
        "Print what is covered and which keys lift it, and what was left out of folders; write "
        "nothing.",
        "--list",
        heading="What",
        everyday=True,
    )


def batch_options(command: CommandFunction, kind: type = BatchOptions) -> CommandFunction:
    """Add arguments for inputs and outputs to a command, as one parameter ``batch``."""
    inputs = click.argument("sources", metavar="IN...", nargs=-1, required=True, type=SourcePath())
    return inputs(option_group("batch", kind)(command))


def unredact_options(command: CommandFunction) -> CommandFunction:
    """Add arguments for inputs and outputs to `unredact`, as one parameter ``batch``."""
    return batch_options(command, UnredactBatchOptions)
