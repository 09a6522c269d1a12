"""List all targets by name; each is loaded from its module when it runs.

A fuzzer has to instrument the package while it is imported, and `tests/check.py` needs nothing but
the names.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

_FOLDER = Path(__file__).parent
_MODULES = {
    "headers": ("header", "sidecar", "description"),
    "key": ("key",),
    "png": ("png",),
    "formats": ("tiff", "gif", "bmp", "webp", "flat"),
    "jpeg": ("jpeg",),
}
NAMES = tuple(name for names in _MODULES.values() for name in names)


@dataclass(frozen=True)
class Target:
    """A name, inputs to start from, and a check that raises `AssertionError` for a finding."""

    name: str
    seeds: Sequence[bytes]
    check: Callable[[bytes], None]

    @property
    def corpus(self) -> Path:
        """The folder of inputs from fuzzing, each of which reaches code that the seeds do not."""
        return _FOLDER / "corpus" / self.name


def load_target(name: str) -> Target:
    """Return the target of this name from the `TARGETS` of its module."""
    (module,) = (module for module, names in _MODULES.items() if name in names)
    targets: Sequence[Target] = import_module(f"tests.fuzz.{module}").TARGETS
    return next(target for target in targets if target.name == name)


def list_seeds(name: str) -> list[bytes]:
    """Return the seed files: the smallest files of a format, one for each of its features."""
    return [path.read_bytes() for path in sorted((_FOLDER / "corpus" / "seeds" / name).iterdir())]
