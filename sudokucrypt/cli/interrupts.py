"""What Ctrl-C does: it ends the program at once while Python imports, and otherwise raises.

An interrupt during an import shows tracebacks that cannot be caught. While a command works,
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

# The exit code.
INTERRUPTED = 130

# Windows has no SIGHUP.
_ENDS = [signum for name in ("SIGTERM", "SIGHUP") if (signum := getattr(signal, name, None))]
_received: list[int] = []
_SOON = 0.01  # seconds, until the callback is over


class Interrupt(KeyboardInterrupt):
    """An interrupt that ends the program with our exit code.

    Once KeyboardInterrupt itself has left an `exec`, as those of dataclasses, ``python -m`` ends by
    SIGINT whatever code it exits with (https://bugs.python.org/issue1054041). Python looks for that
    class alone, and not for subclasses.
    """


def install_handlers() -> None:
    """Let Ctrl-C and requests to end the program end it at once.

    Signals that are ignored stay so, as under `nohup` and in the background of a shell.
    """
    _received.clear()
    for signum in _ENDS:
        if signal.getsignal(signum) == signal.SIG_DFL:
            signal.signal(signum, _leave)
    leave_on_interrupt()


def leave_on_interrupt() -> None:
    """Let Ctrl-C end the program at once, unless it is ignored."""
    _exchange((signal.default_int_handler, _raise), _leave)


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, if it ends the program now."""
    _exchange((_leave,), _raise)
    sys.unraisablehook = _raise_again


@contextmanager
def exit_immediately() -> Iterator[None]:
    """Let interrupts end the program at once in a block that leaves nothing behind."""
    leave_on_interrupt()
    try:
        yield
    finally:
        raise_on_interrupt()


@contextmanager
def defer() -> Iterator[None]:
    """Let interrupts wait for the end of a block, for libraries that cannot be stopped in it.

    Use it in the main thread only.
    """
    deferred: list[int] = []
    ours = {
        signum: handler
        for signum in (signal.SIGINT, *_ENDS)
        if (handler := signal.getsignal(signum)) in (_raise, _leave)
    }
    for signum in ours:
        signal.signal(signum, lambda signum, _: deferred.append(signum))
    try:
        yield
    finally:
        for signum, handler in ours.items():
            signal.signal(signum, handler)
        if deferred:
            signal.raise_signal(deferred[0])


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C for a moment, and in all processes that begin in it as long as they live."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def was_interrupted() -> bool:
    """Return whether an interrupt was raised; some libraries turn it into other errors."""
    return bool(_received)


def _exchange(old: tuple[object, ...], new: signal._HANDLER) -> None:
    for signum in (signal.SIGINT, *_ENDS):
        if signal.getsignal(signum) in old:
            signal.signal(signum, new)


def _raise(signum: int, _: object) -> NoReturn:
    _received.append(signum)
    raise Interrupt


def _raise_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt of a callback again, where Python prints it and goes on."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signum = _received[-1] if _received else signal.SIGINT
        _thread.start_new_thread(_raise_soon, (_thread.get_ident(), signum))
    else:
        sys.__unraisablehook__(unraisable)


def _raise_soon(thread: int, signum: int) -> None:
    time.sleep(_SOON)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signum)  # it ends a call that waits, too
    else:
        _thread.interrupt_main()


def _leave(*_: object) -> NoReturn:
    os.write(2, b"sudokucrypt: error: interrupted\n")
    os._exit(INTERRUPTED)
