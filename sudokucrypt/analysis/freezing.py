"""The sources of randomness, held still: what else of a result follows from the key shows then."""

import os
import random
import secrets
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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


class FrozenRandomness:
    """Blocks in which the system, `random`, `secrets` and NumPy give the same numbers each time.

    `functions` are those that will run: generators that they refer to are held still too. What
    they keep elsewhere, and sources of other libraries, are not reached.

    >>> still = FrozenRandomness()
    >>> with still():
    ...     first = os.urandom(4)
    >>> with still():
    ...     assert os.urandom(4) == first
    """

    def __init__(self, *functions: object) -> None:
        self._source = still = _StillSource()
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
        self._names: list[tuple[dict[str, Any], str, Any, Any]] = []
        self._generators: list[np.random.Generator | random.Random] = []
        kept = [
            (vars(module), name, value)
            for module in (os, secrets, uuid, time, np.random.bit_generator, random)
            for name, value in vars(module).items()
        ]
        kept += [each for function in functions for each in _sources(function)]
        for names, name, value in kept:
            own = isinstance(value, random.Random) and type(value) is not random.SystemRandom
            if id(value) in stand_ins and name:
                self._names.append((names, name, value, stand_ins[id(value)]))
            elif own or isinstance(value, np.random.Generator):
                self._generators.append(value)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Hold all sources still in one block, and let them go on behind it as before."""
        python, numpy = random.getstate(), np.random.get_state()
        states: list[Any] = [
            each.getstate() if isinstance(each, random.Random) else each.bit_generator.state
            for each in self._generators
        ]
        try:
            for names, name, _, stand_in in self._names:
                names[name] = stand_in
            for generator in (self._source, random, np.random, *self._generators):
                if isinstance(generator, np.random.Generator):
                    bits = generator.bit_generator
                    bits.state = type(bits)(0).state
                else:
                    generator.seed(0)
            yield
        finally:
            for names, name, value, _ in self._names:
                names[name] = value
            random.setstate(python)
            np.random.set_state(numpy)
            for generator, state in zip(self._generators, states, strict=True):
                if isinstance(generator, random.Random):
                    generator.setstate(state)
                else:
                    generator.bit_generator.state = state
