"""The command ``sudokucrypt``: finds the command, and turns every error into one message.

Exit codes: 0 all done, 1 failure, 2 usage, 3 wrong key or changed data, 4 bad or unsupported
input, 6 output exists, 130 interrupted.
"""

import sys

import click

from sudokucrypt._version import __version__
from sudokucrypt.cli.extensions import LazyGroup
from sudokucrypt.cli.interrupts import INTERRUPTED
from sudokucrypt.cli.messages import code_of, describe, say, say_error
from sudokucrypt.errors import SudokucryptError

_COMMANDS = {
    "keys.commands:keygen": "Make a new key.",
    "keys.commands:key": "Look at a key.",
    "pictures.commands:encrypt": "Encrypt pictures.",
    "pictures.commands:decrypt": "Decrypt pictures exactly.",
    "pictures.commands:scramble": "Scramble pictures.",
    "pictures.commands:unscramble": "Restore scrambled pictures exactly.",
    "pictures.commands:rekey": "Change the key of protected pictures.",
    "pictures.info": "Show what a protected picture says about itself.",
    "analysis.commands:analyze": "Measure how random a picture looks.",
    "analysis.commands:compare": "Compare schemes on pictures, in one table.",
    "analysis.commands:attack": "Attack a scheme.",
    "analysis.commands:security_report": "Measure and attack a scheme in every way.",
    "pictures.demo": "Try everything on a sample picture.",
    "sudoku": "Make, solve, count and number Sudoku grids.",
    "completion": "Let the shell complete commands and names.",
}
_USAGE, _FAILURE = 2, 1


@click.group(
    cls=LazyGroup,
    package="sudokucrypt.cli",
    help_lines=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(*, debug: bool) -> None:
    """Scramble and encrypt pictures with keyed Sudoku bijections, and restore them exactly.

    Scrambling hides a picture from view; only encrypting keeps it secret.
    """
    del debug  # read by `run`, which sees every error


def run() -> int:
    """Run the command that the arguments name, and return the exit code."""
    debug = "--debug" in sys.argv[1:]
    try:
        code = cli.main(prog_name="sudokucrypt", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        say("error", "interrupted")
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return _USAGE
    except click.ClickException as error:
        return _report_usage(error)
    except SudokucryptError as error:
        if debug:
            raise
        say_error(error)
        return code_of(error)
    except Exception as error:
        if debug:
            raise
        say("error", describe(error))
        say("hint", "'sudokucrypt --debug COMMAND ...' shows where it happened")
        return _FAILURE
    return code if isinstance(code, int) else 0


def _report_usage(error: click.ClickException) -> int:
    """Print a mistake in the arguments in our form, and where help is."""
    text = error.format_message().rstrip(".").replace("\n\t", " ").replace("\n", " ")
    say("error", text[:1].lower() + text[1:])
    if isinstance(error, click.UsageError) and error.ctx is not None:
        say("hint", f"'{error.ctx.command_path} --help' shows the options")
    return _USAGE
