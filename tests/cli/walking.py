"""Count the calls, modules and frames of a command, without importing our package itself.

``python -m tests.cli.walking COMMAND ...`` runs a command twice in one process, and prints the
counts by `sys.setprofile` for each run as JSON.
"""

import json
import os
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = str(Path(__file__).parents[2] / "sudokucrypt")
_FUNCTION = 1  # the flag CO_OPTIMIZED: bodies of modules and classes lack it


class Walk:
    """A profiler that counts calls of our functions, their modules, and frames at the first write.

    Lambdas, comprehensions and each step of a generator count as calls. Frames are counted from the
    function of the command, named `body`, to the function that calls `os.write`.
    """

    def __init__(self, command_function: str) -> None:
        self._body = command_function
        self.calls: Counter[str] = Counter()
        self.frames: list[str] = []
        self.upward: list[str] = []  # functions of the command line that were called by a recipe

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Count a call."""
        code = frame.f_code
        if not code.co_filename.startswith(ROOT):
            return
        if event == "call" and code.co_flags & _FUNCTION:
            name = f"{code.co_filename.removeprefix(ROOT)}:{code.co_qualname}"
            self.calls[name] += 1
            if name.startswith("/cli/") and self._is_in_recipe(frame.f_back):
                self.upward.append(name)
        if event == "c_call" and argument is os.write and not self.frames:
            self.frames = self._list_frames(frame)

    def _list_frames(self, frame: FrameType | None) -> list[str]:
        """Return our frames from the function of the command on, or an empty list outside of it."""
        frame_names = []
        while frame is not None:
            if frame.f_code.co_filename.startswith(ROOT):
                frame_names.append(frame.f_code.co_qualname)
            if frame.f_code.co_qualname == self._body:
                return frame_names[::-1]
            frame = frame.f_back
        return []

    @staticmethod
    def _is_in_recipe(frame: FrameType | None) -> bool:
        while frame is not None:
            if frame.f_code.co_filename.startswith(f"{ROOT}/recipes/"):
                return bool(frame.f_code.co_flags & _FUNCTION)
            frame = frame.f_back
        return False

    def get_counts(self) -> dict[str, Any]:
        """Return all counts."""
        modules = {name.partition(":")[0] for name in self.calls}
        return {
            "modules": len(modules),
            "calls": self.calls.total(),
            "frames": self.frames,
            "upward": self.upward,
        }


def main() -> None:
    """Run the command twice, and print the counts of each run."""
    arguments, results = sys.argv[1:], []
    for _ in range(2):
        walk = Walk(arguments[0])
        sys.argv = ["sudokucrypt", *arguments]
        sys.setprofile(walk)
        with suppress(SystemExit):
            from sudokucrypt.cli.main import main as run

            run()
        sys.setprofile(None)
        results.append(walk.get_counts())
    print(json.dumps(results))


if __name__ == "__main__":
    main()
