"""Handlers of Ctrl-C: end the program at once during imports, and raise an error otherwise.

An interrupt during an import would show tracebacks that cannot be caught. While a command works,
KeyboardInterrupt lets it clean up. The signals SIGTERM and SIGHUP have the same effect.
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
else:  # importing `signal` or `typing` would take longer
    import _signal as signal

# The exit code after an interrupt.
INTERRUPTED = 130

# Windows has no SIGHUP.
_END_SIGNALS = [signum for name in ("SIGTERM", "SIGHUP") if (signum := getattr(signal, name, None))]
_received: list[int] = []
_CALLBACK_SECONDS = 0.01  # after this time, the interrupted callback is over


class Interrupt(KeyboardInterrupt):
    """An interrupt that ends the program with exit code `INTERRUPTED`.

    If KeyboardInterrupt itself leaves an `exec`, which dataclasses use, ``python -m`` ends by
    SIGINT with any exit code (https://bugs.python.org/issue1054041). Python does this only for that
    class, not for subclasses.
    """


def install_handlers() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP end the program at once.

    Ignored signals stay ignored, as under `nohup` and in the background of a shell.
    """
    _received.clear()
    for signum in _END_SIGNALS:
        if signal.getsignal(signum) == signal.SIG_DFL:
            signal.signal(signum, _leave)
    leave_on_interrupt()


def leave_on_interrupt() -> None:
    """Let interrupts end the program at once, unless they are ignored."""
    _replace_handlers((signal.default_int_handler, _raise), _leave)


def raise_on_interrupt() -> None:
    """Let interrupts raise KeyboardInterrupt from now on, unless they are ignored."""
    _replace_handlers((_leave,), _raise)
    sys.unraisablehook = _raise_again


@contextmanager
def exit_immediately() -> Iterator[None]:
    """Let interrupts end the program at once in this block, which must need no clean-up."""
    leave_on_interrupt()
    try:
        yield
    finally:
        raise_on_interrupt()


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Delay interrupts until the end of this block, for code that must not be stopped.

    Use it only in the main thread.
    """
    deferred: list[int] = []
    handlers = {
        signum: handler
        for signum in (signal.SIGINT, *_END_SIGNALS)
        if (handler := signal.getsignal(signum)) in (_raise, _leave)
    }
    for signum in handlers:
        signal.signal(signum, lambda signum, _: deferred.append(signum))
    try:
        yield
    finally:
        for signum, handler in handlers.items():
            signal.signal(signum, handler)
        if deferred:
            signal.raise_signal(deferred[0])


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C in this block, and for good in child processes that it starts."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def was_interrupted() -> bool:
    """Return whether an interrupt was raised, even if a library turned it into another error."""
    return bool(_received)


def _replace_handlers(expected_handlers: tuple[object, ...], new_handler: signal._HANDLER) -> None:
    for signum in (signal.SIGINT, *_END_SIGNALS):
        if signal.getsignal(signum) in expected_handlers:
            signal.signal(signum, new_handler)


def _raise(signum: int, _: object) -> NoReturn:
    _received.append(signum)
    raise Interrupt


def _raise_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt again if it came during a callback, where Python would only print it."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signum = _received[-1] if _received else signal.SIGINT
        _thread.start_new_thread(_raise_soon, (_thread.get_ident(), signum))
    else:
        sys.__unraisablehook__(unraisable)


def _raise_soon(thread: int, signum: int) -> None:
    time.sleep(_CALLBACK_SECONDS)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signum)  # this also ends a call that waits
    else:
        _thread.interrupt_main()


def say_interrupted() -> None:
    """Print the message of an interrupt, without other modules or streams."""
    os.write(2, b"sudokucrypt: error: interrupted\n")


def _leave(*_: object) -> NoReturn:
    say_interrupted()
    os._exit(INTERRUPTED)
