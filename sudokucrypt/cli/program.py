"""The command ``sudokucrypt``: finds the command, and turns every error into one message.

Exit codes: 0 all done, 1 failure, 2 usage, 3 wrong key or changed data, 4 bad or unsupported
input, 5 no solution or several, 6 output exists, 7 written, but some layers stay covered,
130 interrupted.
"""

import errno
import re
import sys
from contextlib import suppress
from typing import NoReturn

import click

from sudokucrypt._version import __version__
from sudokucrypt.cli.extensions import HintedUsageError, LazyGroup
from sudokucrypt.cli.interrupts import INTERRUPTED, was_interrupted
from sudokucrypt.cli.messages import (
    Verbosity,
    allow,
    describe,
    describe_position,
    find_exit_code,
    hide_secrets,
    is_harmless,
    say,
    say_error,
    say_missing_kernels,
    set_plain,
    set_verbosity,
)
from sudokucrypt.errors import SudokucryptError

_SECTIONS = {
    "Everyday": {
        "pictures.commands:encrypt": "Encrypt pictures and other files.",
        "pictures.commands:decrypt": "Decrypt pictures and other files exactly.",
        "share": "Write an album: one page with encrypted files inside.",
        "open.command:open_command": "Open the page in a browser, with the files of a folder.",
        "pictures.redaction:redact": "Cover areas of a picture so that keys lift the covers again.",
        "pictures.redaction:unredact": "Lift the covers of a redacted picture.",
        "pictures.info": "Show the header of a protected picture.",
        "page": "Write the page that decrypts and encrypts in any browser.",
    },
    "Keys": {
        "keys.commands:keygen": "Make a new key.",
        "keys.commands:key": "Show, lock, print or split a key, or derive the key of one picture.",
        "pictures.commands:rekey": "Change the key of protected pictures.",
    },
    "Hide from view, without secrecy": {
        "pictures.commands:scramble": "Scramble pictures.",
        "pictures.commands:unscramble": "Restore scrambled pictures exactly.",
    },
    "Research": {
        "analysis.commands:analyze": "Measure how random a picture looks.",
        "analysis.commands:compare": "Compare schemes on pictures, in one table.",
        "analysis.attack": "Attack a scheme.",
        "analysis.robustness": "Disturb protected pictures, and measure what is restored.",
        "analysis.security:security_report": "Run every measurement and attack on a scheme.",
        "analysis.zoo": "Measure and attack published ciphers.",
    },
    "Sudoku": {"sudoku": "Make, solve, count and rank Sudoku grids."},
    "Setup": {
        "pictures.demo": "Encrypt and decrypt a sample photo.",
        "completion": "Print a shell completion script.",
    },
}
# As click and other commands have them; all other codes are those of errors.
_USAGE, _FAILURE = 2, 1
_KIND_OF_NUMBER = r"\ba valid (integer|float)( range)?$"
_NUMBERS = {"integer": "a whole number", "float": "a number"}
_EXTRA = r"Got unexpected extra arguments? \((.*)\)"
# Errors of stdout; files have errors of our own.
_UNWRITABLE = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EBADF}


@click.group(
    cls=LazyGroup,
    package="sudokucrypt.cli",
    sections=_SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, given: _print_version(context) if given else None,
    help="Show the version and exit.",
)
def cli() -> None:
    """Scramble and encrypt pictures with keyed Sudoku bijections, and restore them exactly.

    Scrambling hides a picture from view; only encrypting keeps it secret.
    """


def _print_version(context: click.Context) -> NoReturn:
    """Print the version, and that there are no compiled kernels, if there are none."""
    click.echo(f"sudokucrypt {__version__}")
    say_missing_kernels()
    context.exit()


def run() -> int:
    """Run the command that the arguments name, and return the exit code."""
    set_verbosity(Verbosity.USUAL)
    set_plain(plain="--plain" in sys.argv)
    try:
        code = None
        if sys.argv[1:3] == ["sudoku", "solve"] and (solution := _find_solution()):
            click.echo(solution)
        else:
            code = cli.main(prog_name="sudokucrypt", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()  # a disk that is full must not go unseen
    except (Exception, KeyboardInterrupt) as error:
        if was_interrupted() or isinstance(error, click.Abort | KeyboardInterrupt):
            say("error", "interrupted")
            return INTERRUPTED
        if "--debug" in sys.argv and not isinstance(error, click.ClickException):
            with suppress(OSError, ValueError):
                import traceback

                click.echo(hide_secrets(traceback.format_exc()), err=True, nl=False)
        return _report(error)
    return code if isinstance(code, int) else 0


def _find_solution() -> str | None:
    from sudokucrypt.cli.one_line import find_solution

    return find_solution(sys.argv[1:])


def _report(error: Exception) -> int:
    """Print an error, and return its exit code."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        with suppress(OSError, ValueError):
            click.echo(error.format_message(), err=True)
        return _USAGE
    if isinstance(error, click.ClickException):
        return _report_usage(error)
    if isinstance(error, SudokucryptError):
        say_error(error)
        return find_exit_code(error)
    if isinstance(error, OSError) and error.errno in _UNWRITABLE and error.filename is None:
        reason = "it is closed" if error.errno == errno.EBADF else describe(error)
        say("error", f"cannot write to stdout: {reason}")
        return _FAILURE
    say("error", describe(error))
    say("hint", "--debug shows where it happened")
    return _FAILURE


def _report_usage(error: click.ClickException) -> int:
    """Print a mistake in the arguments in our form, and where help is."""
    text = error.format_message().rstrip(".").replace("\n\t", " ").replace("\n", " ")
    text = re.sub(_KIND_OF_NUMBER, lambda match: _NUMBERS[match[1]], text)
    hint = error.hint if isinstance(error, HintedUsageError) else None
    if isinstance(error, click.NoSuchOption):
        from sudokucrypt.cli.suggestions import find_meant_option

        hint = find_meant_option(error)
        name = error.option_name
        text = (
            f"no such option '{allow(name)}'" if hint else f"no such option {_find_position(name)}"
        )
    elif extra := re.fullmatch(_EXTRA, text):
        name = extra[1]
        shown = f"'{name}'" if is_harmless(name) else describe_position(name.split(" ")[0])
        text = f"unexpected extra argument {shown}"
        if hint is None and is_harmless(name) and _has_output_option(error):
            hint = f"to write there: -o {name}"
    say("error", text[:1].lower() + text[1:])
    if hint is None and isinstance(error, click.UsageError) and error.ctx is not None:
        kind = "commands" if isinstance(error.ctx.command, click.Group) else "options"
        hint = f"'{error.ctx.command_path} --help' shows the {kind}"
    if hint is not None:
        say("hint", hint)
    return _USAGE


def _find_position(option: str) -> str:
    """Return the place of an option that does not exist: its name may be a passphrase."""
    if len(option) == 2:
        return f"'{option}'"
    return describe_position(
        next((each for each in sys.argv if each.partition("=")[0] == option), "")
    )


def _has_output_option(error: click.ClickException) -> bool:
    """Return whether the command of an error has an option for where it writes."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    return context is not None and any(each.name == "output" for each in context.command.params)
