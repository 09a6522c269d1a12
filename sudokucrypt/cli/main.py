"""The entry point of the command ``sudokucrypt``; `main` imports all other code."""

from __future__ import annotations

import codecs
import gc
import os
import sys

from sudokucrypt.cli.interrupts import (
    INTERRUPT_EXIT_CODE,
    exit_on_interrupt,
    install_handlers,
    print_interrupt_message,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    _replace_closed_streams()
    _escape_lacking_characters()
    install_handlers()
    # Search for reference cycles rarely: imports leave few, and the search takes a tenth of the
    # start.
    gc.set_threshold(20_000)
    # Matrices are small here, so several threads for a product would mostly wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from sudokucrypt.cli.program import run

        exit_code = run()
    except KeyboardInterrupt:  # an interrupt came while an error was reported
        print_interrupt_message()
        exit_code = INTERRUPT_EXIT_CODE
    exit_on_interrupt()
    _drop_unwritten_output()
    sys.exit(exit_code)


def _replace_closed_streams() -> None:
    """Open the null device for stdin, stdout and stderr if the parent process closed them.

    Otherwise the next file that is opened gets the number of a closed stream, and output of
    libraries is written to that file. Writing to this stdout fails, since a result would be lost;
    messages to this stderr are dropped.
    """
    inheritable = True  # standard streams are inherited by child processes
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # opened as `number`, the lowest free descriptor
            os.set_inheritable(number, inheritable)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _escape_lacking_characters() -> None:
    """Make stdout escape characters that its encoding lacks, and print file names byte for byte."""

    def escape(error: UnicodeError) -> tuple[str | bytes, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        letter = error.object[error.start]
        if "\udc80" <= letter <= "\udcff":
            return bytes([ord(letter) & 0xFF]), error.start + 1
        return ascii(letter)[1:-1], error.start + 1

    codecs.register_error("sudokucrypt", escape)
    # A stream that replaces stdout in tests may lack this method.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="sudokucrypt")


def _drop_unwritten_output() -> None:
    """Drop output that could not be written, or Python would report the same error again."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            null_device = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null_device, stream.fileno())
            os.close(null_device)
