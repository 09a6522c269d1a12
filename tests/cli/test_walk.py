"""How far it is from a command to the bytes on the disk: frames and modules on the way."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import sudokucrypt
from sudokucrypt.cli.pictures import commands
from tests.cli.conftest import KEY, Run

ROOT = Path(sudokucrypt.__file__).parent
MOST_FRAMES, MOST_MODULES, MOST_IN_ALL, MOST_CALLS = 12, 25, 57, 900
UPPER = ("cli", "recipes", "storage")
"""Rooms that handle files; those below handle samples, keys and formats."""


def _module(frame: FrameType) -> str | None:
    path = Path(frame.f_code.co_filename)
    return str(path.relative_to(ROOT).with_suffix("")) if path.is_relative_to(ROOT) else None


class Walk:
    """What `sys.setprofile` sees of a command: called modules, and stacks from its body on."""

    def __init__(self, body: Any) -> None:
        self._body = body.__code__
        self.modules: set[str] = set()
        self.calls = 0
        self.written: list[str] = []
        self.upward: list[list[str]] = []

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call of ours, unless it comes before the body of the command."""
        module = _module(frame)
        if event != "call" or module is None:
            return
        stack = self._stack(frame)
        if not stack:
            return
        self.modules.add(module)
        self.calls += 1
        rooms = [name.partition("/")[0] for name in stack]
        if rooms[-1] == "cli" and "recipes" in rooms:
            self.upward.append(stack)
        if frame.f_code.co_qualname == "_write":
            self.written = stack

    def _stack(self, frame: FrameType | None) -> list[str]:
        """Modules of our frames from the body of the command on; none outside of it."""
        stack = []
        while frame is not None:
            if module := _module(frame):
                stack.append(module)
            if frame.f_code is self._body:
                return stack[::-1]
            frame = frame.f_back
        return []


@pytest.mark.parametrize("kind", ["file", "pixels"])
def test_from_a_command_to_the_disk(run: Run, kind: str) -> None:
    """`encrypt FILE` takes few frames and modules, and no recipe calls the command line.

    Frames of this package are counted on the stack from the body of the command to the call that
    writes bytes, both included. Modules are counted if a function of them is called while the body
    of the command runs: those of `cli`, `recipes` and `storage`, and all of the package. Calls are
    those of all functions of the package. It has run before, so that nothing is imported.
    """
    arguments = ("encrypt", "photo.png", "--as", kind, "--threads", "1", *KEY, "-o")
    assert run(*arguments, "before.png").code == 0
    walk = Walk(commands.encrypt.callback.command)  # type: ignore[union-attr] # click types it as any function
    sys.setprofile(walk)
    try:
        assert run(*arguments, "after.png").code == 0
    finally:
        sys.setprofile(None)
    upper = {name for name in walk.modules if name.partition("/")[0] in UPPER}
    assert 0 < len(walk.written) <= MOST_FRAMES
    assert len(upper) <= MOST_MODULES
    assert len(walk.modules) <= MOST_IN_ALL
    assert walk.calls <= MOST_CALLS
    assert walk.upward == []
