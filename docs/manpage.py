"""Write the manual page from the commands: ``python -m docs.manpage``.

Wheels install it as ``share/man/man1/sudokucrypt.1``, where ``man sudokucrypt`` finds it if the
program is on the path.
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
    PAGE.write_text(make_manpage(), encoding="utf-8")


def make_manpage() -> str:
    """Return the manual page in roff."""
    cli = program.cli
    exit_codes = inspect.cleandoc(program.__doc__ or "").partition("Exit codes: ")[2]
    lines = [
        r".\" Written by python -m docs.manpage.",
        ".TH SUDOKUCRYPT 1",
        ".SH NAME",
        rf"sudokucrypt \- {_escape(cli.get_short_help_str(200).rstrip('.'))}",
        ".SH SYNOPSIS",
        r".B sudokucrypt",
        ".I COMMAND",
        r"[\fIOPTIONS\fR] [\fIARGUMENTS\fR]",
        ".SH DESCRIPTION",
        *_format_prose(cli.help or ""),
        ".SH OPTIONS",
        "Every command takes these:",
        *_write_options(cli, click.Context(cli), everywhere=True),
        ".SH COMMANDS",
        *_write_commands(cli, click.Context(cli, info_name="sudokucrypt")),
        ".SH EXIT STATUS",
        *_format_prose(exit_codes.replace("\n", " ")),
        ".SH ENVIRONMENT",
    ]
    for name, text in _ENVIRONMENT.items():
        lines += [".TP", f".B {name}", _escape(text)]
    return "\n".join(lines) + "\n"


def _write_commands(group: click.Group, context: click.Context) -> Iterator[str]:
    """Yield a section for each command; commands of a group follow the group."""
    for name in group.list_commands(context):
        if (command := group.get_command(context, name)) is None:
            continue
        command_context = click.Context(command, info_name=name, parent=context)
        pieces = [
            piece for piece in command.collect_usage_pieces(command_context) if piece != "[OPTIONS]"
        ]
        yield f".SS {_escape(' '.join([command_context.command_path, *pieces]))}"
        yield from _format_prose(command.help or "")
        yield from _write_options(command, command_context, everywhere=False)
        if examples := getattr(command, "examples", None):
            yield from (".PP", "Examples:", *_format_prose("\b\n" + "\n".join(examples)))
        if isinstance(command, click.Group):
            yield from _write_commands(command, command_context)


def _write_options(
    command: click.Command, context: click.Context, *, everywhere: bool
) -> Iterator[str]:
    """Yield the options of a command, or with `everywhere` those of all commands."""
    for parameter in command.params:
        is_shared = getattr(parameter, "heading", "") == "Messages"
        if isinstance(parameter, click.Option) and not parameter.hidden and is_shared == everywhere:
            option_text, text = parameter.get_help_record(context) or ("", "")
            yield from (".TP", f".B {_escape(option_text)}", _escape(text))


def _format_prose(text: str) -> Iterator[str]:
    r"""Yield paragraphs; lines after the mark \b of click are not joined."""
    for number, paragraph in enumerate(inspect.cleandoc(text).split("\n\n")):
        if number:
            yield ".PP"
        is_preformatted = paragraph.startswith("\b\n")
        lines = _escape(paragraph.removeprefix("\b\n")).splitlines()
        yield from [".nf", *lines, ".fi"] if is_preformatted else [" ".join(lines)]


def _escape(text: str) -> str:
    """Escape text so that roff does not read requests in it."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


if __name__ == "__main__":
    main()
