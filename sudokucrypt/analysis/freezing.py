"""The sources of randomness, held still: what else of a result follows from the key shows then."""

import os
import random
import secrets
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np


class _StillSource(random.Random):
    """A source of the same numbers each time, with the methods of the system's source."""

    def seed(self, *_: Any) -> None:
        """Begin again: the seed that was asked for does not count."""
        super().seed(0)


def _sources(function: object) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Yield what a function refers to by name, where it is kept."""
    inner = getattr(function, "__func__", function)
    for kept in (getattr(inner, "__globals__", {}), getattr(function, "__dict__", {})):
        yield from ((kept, name, value) for name, value in list(kept.items()))
    for cell in getattr(inner, "__closure__", None) or ():
        yield {}, "", cell.cell_contents


@contextmanager
def frozen_randomness(*functions: object) -> Iterator[None]:
    """Let the system, `random`, `secrets` and NumPy give the same numbers in each such block.

    `functions` are those that will run: generators that they refer to are held still too. What
    they keep elsewhere, and sources of other libraries, are not reached.
    """
    still = _StillSource()
    bytes_of = still.randbytes
    pairs: list[tuple[object, Any]] = [
        (os.urandom, bytes_of),
        (secrets.token_bytes, lambda count=32: bytes_of(count or 32)),
        (secrets.randbits, still.getrandbits),
        (secrets.randbelow, still.randrange),
        (uuid.uuid4, lambda: uuid.UUID(bytes=bytes_of(16))),
        (time.time, lambda: 0.0),
        (time.time_ns, lambda: 0),
    ]
    # By identity: what a module holds need not be hashable, nor comparable.
    stand_ins = {id(source): stand_in for source, stand_in in pairs}
    states: list[Callable[[Any], object]] = []
    kept_states: list[Any] = []
    python, numpy = random.getstate(), np.random.get_state()
    with ExitStack() as stack:
        for module in (os, secrets, uuid, time, np.random.bit_generator, random):
            for name, value in list(vars(module).items()):
                if id(value) in stand_ins:
                    stack.enter_context(patch.object(module, name, stand_ins[id(value)]))
        for function in functions:
            for kept, name, value in _sources(function):
                if isinstance(value, np.random.Generator):
                    states.append(partial(setattr, value.bit_generator, "state"))
                    kept_states.append(value.bit_generator.state)
                    value.bit_generator.state = type(value.bit_generator)(0).state
                elif isinstance(value, random.Random) and type(value) is not random.SystemRandom:
                    states.append(value.setstate)
                    kept_states.append(value.getstate())
                    value.seed(0)
                elif id(value) in stand_ins and name:
                    stack.enter_context(patch.dict(kept, {name: stand_ins[id(value)]}))
        random.seed(0)
        np.random.seed(0)
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(numpy)
            for restore, state in zip(states, kept_states, strict=True):
                restore(state)
