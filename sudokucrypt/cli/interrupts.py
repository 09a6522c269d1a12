"""What Ctrl-C does: it ends the program at once while Python imports, and else raises.

An interrupt amid an import shows tracebacks that nobody can catch. While a command works,
KeyboardInterrupt lets it clean up.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import NoReturn
else:  # `signal` makes enumerations of this, and `typing` takes longer yet
    import _signal as signal

INTERRUPTED = 130
"""The exit code."""


def leave_on_interrupt() -> None:
    """Let Ctrl-C end the program at once, unless it is ignored, as in the background of a shell."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, if it ends the program now."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> NoReturn:
    os.write(2, b"sudokucrypt: error: interrupted\n")
    os._exit(INTERRUPTED)
