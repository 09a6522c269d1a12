"""The entry point of the command ``sudokucrypt``; everything else is imported by `main`."""

from __future__ import annotations

import sys

from sudokucrypt.cli.interrupts import INTERRUPTED, leave_on_interrupt, take_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    take_ends()
    leave_on_interrupt()
    try:
        from sudokucrypt.cli.program import run

        code = run()
    except KeyboardInterrupt:
        code = INTERRUPTED
    leave_on_interrupt()
    if code == INTERRUPTED:
        # Where KeyboardInterrupt left an `exec`, as those of dataclasses, Python would end by
        # SIGINT and not with our code, unless another one follows.
        exec("")  # noqa: S102
    sys.exit(code)
