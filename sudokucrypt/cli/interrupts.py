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
INTERRUPT_EXIT_CODE = 130

# Windows has no SIGHUP.
_TERMINATION_SIGNALS = [
    signum for name in ("SIGTERM", "SIGHUP") if (signum := getattr(signal, name, None))
]
_received_signals: list[int] = []
_CALLBACK_DELAY = 0.01  # seconds after which the interrupted callback has ended


class Interrupt(KeyboardInterrupt):
    """An interrupt that ends the program with exit code `INTERRUPT_EXIT_CODE`.

    If KeyboardInterrupt itself leaves an `exec`, which dataclasses use, ``python -m`` ends by
    SIGINT with any exit code (https://bugs.python.org/issue1054041). Python does this only for that
    class, not for subclasses.
    """


def install_handlers() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP end the program at once.

    Ignored signals stay ignored, as under "nohup" and in the background of a shell.
    """
    _received_signals.clear()
    for signum in _TERMINATION_SIGNALS:
        if signal.getsignal(signum) == signal.SIG_DFL:
            signal.signal(signum, _exit_at_once)
    exit_on_interrupt()


def exit_on_interrupt() -> None:
    """Let interrupts end the program at once, unless they are ignored."""
    _replace_handlers((signal.default_int_handler, _raise_interrupt), _exit_at_once)


def raise_on_interrupt() -> None:
    """Let interrupts raise KeyboardInterrupt from now on, unless they are ignored."""
    _replace_handlers((_exit_at_once,), _raise_interrupt)
    sys.unraisablehook = _raise_interrupt_again


@contextmanager
def allow_immediate_exit() -> Iterator[None]:
    """Let interrupts end the program at once in this block, which must need no clean-up."""
    exit_on_interrupt()
    try:
        yield
    finally:
        raise_on_interrupt()


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Delay interrupts until the end of this block, for code that must not be stopped.

    Use it only in the main thread.
    """
    deferred_signals: list[int] = []
    handlers = {
        signum: handler
        for signum in (signal.SIGINT, *_TERMINATION_SIGNALS)
        if (handler := signal.getsignal(signum)) in (_raise_interrupt, _exit_at_once)
    }
    for signum in handlers:
        signal.signal(signum, lambda signum, _: deferred_signals.append(signum))
    try:
        yield
    finally:
        for signum, handler in handlers.items():
            signal.signal(signum, handler)
        if deferred_signals:
            signal.raise_signal(deferred_signals[0])


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C in this block, and permanently in child processes started in it."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def was_interrupted() -> bool:
    """Return whether an interrupt was raised, even if a library turned it into another error."""
    return bool(_received_signals)


def _replace_handlers(expected_handlers: tuple[object, ...], new_handler: signal._HANDLER) -> None:
    for signum in (signal.SIGINT, *_TERMINATION_SIGNALS):
        if signal.getsignal(signum) in expected_handlers:
            signal.signal(signum, new_handler)


def _raise_interrupt(signum: int, _: object) -> NoReturn:
    _received_signals.append(signum)
    raise Interrupt


def _raise_interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt again if it came during a callback, where Python would only print it."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signum = _received_signals[-1] if _received_signals else signal.SIGINT
        _thread.start_new_thread(_send_signal_soon, (_thread.get_ident(), signum))
    else:
        sys.__unraisablehook__(unraisable)


def _send_signal_soon(thread_id: int, signum: int) -> None:
    time.sleep(_CALLBACK_DELAY)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread_id, signum)  # this also interrupts a blocking call
    else:
        _thread.interrupt_main()


def print_interrupt_message() -> None:
    """Print the message of an interrupt, without other modules or streams."""
    os.write(2, b"sudokucrypt: error: interrupted\n")


def _exit_at_once(*_: object) -> NoReturn:
    print_interrupt_message()
    os._exit(INTERRUPT_EXIT_CODE)
