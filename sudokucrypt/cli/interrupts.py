"""What Ctrl-C does: it ends the program at once while Python imports, and else raises.

An interrupt amid an import shows tracebacks that nobody can catch. While a command works,
KeyboardInterrupt lets it clean up. A request to end and the end of the session do the same.
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

_ENDS = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]
_came: list[object] = []


def take_ends() -> None:
    """Let a request to end do what Ctrl-C does, unless it is ignored, as under `nohup`."""
    _came.clear()
    for number in _ENDS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _leave)


def leave_on_interrupt() -> None:
    """Let Ctrl-C end the program at once, unless it is ignored, as in the background of a shell."""
    _exchange((signal.default_int_handler, _raise), _leave)


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, if it ends the program now."""
    _exchange((_leave,), _raise)


def interrupted() -> bool:
    """Tell whether KeyboardInterrupt was raised; some libraries make other errors of it."""
    return bool(_came)


def _exchange(old: tuple[object, ...], new: signal._HANDLER) -> None:
    for number in (signal.SIGINT, *_ENDS):
        if signal.getsignal(number) in old:
            signal.signal(number, new)


def _raise(number: int, _: object) -> NoReturn:
    _came.append(number)
    raise KeyboardInterrupt


def _leave(*_: object) -> NoReturn:
    os.write(2, b"sudokucrypt: error: interrupted\n")
    os._exit(INTERRUPTED)
