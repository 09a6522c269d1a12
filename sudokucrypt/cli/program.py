"""The command ``sudokucrypt``: run a subcommand, and print one message for any error.

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
from sudokucrypt.cli.interrupts import INTERRUPT_EXIT_CODE, was_interrupted
from sudokucrypt.cli.messages import (
    Verbosity,
    allow_word,
    describe_error,
    describe_position,
    find_exit_code,
    hide_secrets,
    is_harmless,
    say,
    say_error,
    say_missing_kernels,
    set_plain_output,
    set_verbosity,
)
from sudokucrypt.errors import SudokucryptError

_HELP_SECTIONS = {
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
# Exit codes that click and other programs use too; other codes belong to types of errors.
_USAGE_EXIT_CODE, _FAILURE_EXIT_CODE = 2, 1
_NUMBER_TYPE_PATTERN = r"\ba valid (integer|float)( range)?$"
_NUMBER_TYPES = {"integer": "a whole number", "float": "a number"}
_EXTRA_ARGUMENTS_PATTERN = r"Got unexpected extra arguments? \((.*)\)"
# Errors of writing to stdout; writing to files raises our own types of errors.
_STDOUT_ERROR_NUMBERS = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EBADF}


@click.group(
    cls=LazyGroup,
    package="sudokucrypt.cli",
    sections=_HELP_SECTIONS,
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
    """Print the version, and a note if there are no compiled kernels."""
    click.echo(f"sudokucrypt {__version__}")
    say_missing_kernels()
    context.exit()


def run() -> int:
    """Run the command that the arguments name, and return the exit code."""
    set_verbosity(Verbosity.USUAL)
    set_plain_output(plain="--plain" in sys.argv)
    try:
        exit_code = None
        if sys.argv[1:3] == ["sudoku", "solve"] and (solution := _find_solution()):
            click.echo(solution)
        else:
            exit_code = cli.main(prog_name="sudokucrypt", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()  # now, so that a full disk is reported as an error
    except (Exception, KeyboardInterrupt) as error:
        if was_interrupted() or isinstance(error, click.Abort | KeyboardInterrupt):
            say("error", "interrupted")
            return INTERRUPT_EXIT_CODE
        if "--debug" in sys.argv and not isinstance(error, click.ClickException):
            with suppress(OSError, ValueError):
                import traceback

                click.echo(hide_secrets(traceback.format_exc()), err=True, nl=False)
        return _report_error(error)
    return exit_code if isinstance(exit_code, int) else 0


def _find_solution() -> str | None:
    from sudokucrypt.cli.one_line import find_solution

    return find_solution(sys.argv[1:])


def _report_error(error: Exception) -> int:
    """Print an error, and return its exit code."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        with suppress(OSError, ValueError):
            click.echo(error.format_message(), err=True)
        return _USAGE_EXIT_CODE
    if isinstance(error, click.ClickException):
        return _report_usage_error(error)
    if isinstance(error, SudokucryptError):
        say_error(error)
        return find_exit_code(error)
    if (
        isinstance(error, OSError)
        and error.errno in _STDOUT_ERROR_NUMBERS
        and error.filename is None
    ):
        reason = "it is closed" if error.errno == errno.EBADF else describe_error(error)
        say("error", f"cannot write to stdout: {reason}")
        return _FAILURE_EXIT_CODE
    say("error", describe_error(error))
    say("hint", "--debug shows where it happened")
    return _FAILURE_EXIT_CODE


def _report_usage_error(error: click.ClickException) -> int:
    """Print a usage error of click in the form of our messages, with a hint; return the code."""
    text = error.format_message().rstrip(".").replace("\n\t", " ").replace("\n", " ")
    text = re.sub(_NUMBER_TYPE_PATTERN, lambda match: _NUMBER_TYPES[match[1]], text)
    hint = error.hint if isinstance(error, HintedUsageError) else None
    if isinstance(error, click.NoSuchOption):
        from sudokucrypt.cli.suggestions import suggest_option

        hint = suggest_option(error)
        name = error.option_name
        text = (
            f"no such option '{allow_word(name)}'"
            if hint
            else f"no such option {_describe_unknown_option(name)}"
        )
    elif extra_match := re.fullmatch(_EXTRA_ARGUMENTS_PATTERN, text):
        name = extra_match[1]
        shown_name = f"'{name}'" if is_harmless(name) else describe_position(name.split(" ")[0])
        text = f"unexpected extra argument {shown_name}"
        if hint is None and is_harmless(name) and _has_output_option(error):
            hint = f"to write there: -o {name}"
    say("error", text[:1].lower() + text[1:])
    if hint is None and isinstance(error, click.UsageError) and error.ctx is not None:
        listed_kind = "commands" if isinstance(error.ctx.command, click.Group) else "options"
        hint = f"'{error.ctx.command_path} --help' shows the {listed_kind}"
    if hint is not None:
        say("hint", hint)
    return _USAGE_EXIT_CODE


def _describe_unknown_option(option: str) -> str:
    """Return the position of an unknown option, because the option itself may be a secret."""
    if len(option) == 2:
        return f"'{option}'"
    return describe_position(
        next((argument for argument in sys.argv if argument.partition("=")[0] == option), "")
    )


def _has_output_option(error: click.ClickException) -> bool:
    """Return whether the command that raised an error has an option --output."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    return context is not None and any(
        parameter.name == "output" for parameter in context.command.params
    )
