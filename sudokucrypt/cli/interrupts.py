"""What Ctrl-C does: it ends the program at once while Python imports, and else raises.

An interrupt amid an import shows tracebacks that nobody can catch. While a command works,
KeyboardInterrupt lets it clean up. A request to end and the end of the session do the same.
"""

from __future__ import annotations

import _thread
import os
import sys
import time
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Iterator
    from typing import NoReturn
else:  # `signal` makes enumerations of this, and `typing` takes longer yet
    import _signal as signal

INTERRUPTED = 130
"""The exit code."""

_ENDS = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]
_came: list[int] = []
_SOON = 0.01  # seconds, until the callback is over


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
    sys.unraisablehook = _raise_again


@contextmanager
def ending() -> Iterator[None]:
    """Let interrupts end the program at once in a block that leaves nothing behind."""
    leave_on_interrupt()
    try:
        yield
    finally:
        raise_on_interrupt()


@contextmanager
def put_off() -> Iterator[None]:
    """Let interrupts wait for the end of a block, for libraries that cannot be stopped in it.

    It is for the main thread.
    """
    came: list[int] = []
    ours = {
        number: handler
        for number in (signal.SIGINT, *_ENDS)
        if (handler := signal.getsignal(number)) in (_raise, _leave)
    }
    for number in ours:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@contextmanager
def ignored() -> Iterator[None]:
    """Ignore Ctrl-C for a moment, and in all processes that begin in it as long as they live."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


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


def _raise_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt again that came amid a callback, where Python prints it and goes on."""
    if unraisable.exc_type is KeyboardInterrupt:
        number = _came[-1] if _came else signal.SIGINT
        _thread.start_new_thread(_raise_soon, (_thread.get_ident(), number))
    else:
        sys.__unraisablehook__(unraisable)


def _raise_soon(thread: int, number: int) -> None:
    time.sleep(_SOON)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, number)  # it ends a call that waits, too
    else:
        _thread.interrupt_main()


def _leave(*_: object) -> NoReturn:
    os.write(2, b"sudokucrypt: error: interrupted\n")
    os._exit(INTERRUPTED)
