"""The entry point of the command ``sudokucrypt``; everything else is imported by `main`."""

from __future__ import annotations

import os
import sys

from sudokucrypt.cli.interrupts import INTERRUPTED, install_handlers, leave_on_interrupt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    _replace_closed_streams()
    install_handlers()
    try:
        from sudokucrypt.cli.program import run

        code = run()
    except KeyboardInterrupt:
        code = INTERRUPTED
    leave_on_interrupt()
    _drop_unwritten()
    sys.exit(code)


def _replace_closed_streams() -> None:
    """Open a device for stdin, stdout and stderr where our parent closed them.

    Otherwise the next file that is opened gets the number of one of them, and what libraries print
    goes into it. Writing to this stdout fails, since a result would be lost; messages are dropped.
    """
    inheritable = True  # as streams are
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # the lowest number that is free is this one
            os.set_inheritable(number, inheritable)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _drop_unwritten() -> None:
    """Drop what stdout and stderr did not take, which was reported: Python would do so again."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            device = os.open(os.devnull, os.O_WRONLY)
            os.dup2(device, stream.fileno())
            os.close(device)
