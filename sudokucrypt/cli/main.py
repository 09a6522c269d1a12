"""The entry point of the command ``sudokucrypt``; everything else is imported by `main`."""

from __future__ import annotations

import sys

from sudokucrypt.cli.interrupts import INTERRUPTED, install_handlers, leave_on_interrupt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    install_handlers()
    try:
        from sudokucrypt.cli.program import run

        code = run()
    except KeyboardInterrupt:
        code = INTERRUPTED
    leave_on_interrupt()
    sys.exit(code)
