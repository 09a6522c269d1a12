"""The manual page, written from the commands: ``python -m docs.manpage``.

Wheels install it as ``share/man/man1/sudokucrypt.1``, where ``man sudokucrypt`` finds it as long as
the program is on the path.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from sudokucrypt.cli import program

PAGE = Path(__file__).parent / "sudokucrypt.1"
_ENVIRONMENT = {
    "SUDOKUCRYPT_KEY": "The text of the key, where no option gives one.",
    "SUDOKUCRYPT_KEY_FILE": "The file or folder of the key, where nothing else gives a key.",
    "SUDOKUCRYPT_PASSPHRASE": "The passphrase, where no option gives a key or a passphrase.",
    "SUDOKUCRYPT_THREADS": "How many threads are used, where --threads does not say so.",
    "SUDOKUCRYPT_PLAIN": "If set, compiled kernels are not used.",
}


def main() -> None:
    """Write the page."""
    PAGE.write_text(manpage(), encoding="utf-8")


def manpage() -> str:
    """Return the page in roff."""
    cli = program.cli
    exits = inspect.cleandoc(program.__doc__ or "").partition("Exit codes: ")[2]
    lines = [
        r".\" Written by python -m docs.manpage.",
        ".TH SUDOKUCRYPT 1",
        ".SH NAME",
        rf"sudokucrypt \- {_escaped(cli.get_short_help_str(200).rstrip('.'))}",
        ".SH SYNOPSIS",
        r".B sudokucrypt",
        ".I COMMAND",
        r"[\fIOPTIONS\fR] [\fIARGUMENTS\fR]",
        ".SH DESCRIPTION",
        *_prose(cli.help or ""),
        ".SH OPTIONS",
        "Every command takes these:",
        *_options(cli, click.Context(cli), everywhere=True),
        ".SH COMMANDS",
        *_commands(cli, click.Context(cli, info_name="sudokucrypt")),
        ".SH EXIT STATUS",
        *_prose(exits.replace("\n", " ")),
        ".SH ENVIRONMENT",
    ]
    for name, text in _ENVIRONMENT.items():
        lines += [".TP", f".B {name}", _escaped(text)]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, context: click.Context) -> Iterator[str]:
    """Write a section for each command, and for those of groups after the group itself."""
    for name in group.list_commands(context):
        if (command := group.get_command(context, name)) is None:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        pieces = [piece for piece in command.collect_usage_pieces(inner) if piece != "[OPTIONS]"]
        yield f".SS {_escaped(' '.join([inner.command_path, *pieces]))}"
        yield from _prose(command.help or "")
        yield from _options(command, inner, everywhere=False)
        if examples := getattr(command, "examples", None):
            yield from (".PP", "Examples:", *_prose("\b\n" + "\n".join(examples)))
        if isinstance(command, click.Group):
            yield from _commands(command, inner)


def _options(command: click.Command, context: click.Context, *, everywhere: bool) -> Iterator[str]:
    """Write the options that a command alone has, or those that every command has."""
    for parameter in command.params:
        shared = getattr(parameter, "heading", "") == "Messages"
        if isinstance(parameter, click.Option) and not parameter.hidden and shared == everywhere:
            form, text = parameter.get_help_record(context) or ("", "")
            yield from (".TP", f".B {_escaped(form)}", _escaped(text))


def _prose(text: str) -> Iterator[str]:
    r"""Write paragraphs; what stands below click's mark \b keeps its lines."""
    for number, paragraph in enumerate(inspect.cleandoc(text).split("\n\n")):
        if number:
            yield ".PP"
        kept = paragraph.startswith("\b\n")
        lines = _escaped(paragraph.removeprefix("\b\n")).splitlines()
        yield from [".nf", *lines, ".fi"] if kept else [" ".join(lines)]


def _escaped(text: str) -> str:
    """Return text in which roff sees no requests."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


if __name__ == "__main__":
    main()
