"""Objects of other people's code that an option names: ``module:name`` or ``file.py:name``."""

import sys
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from sudokucrypt.errors import InvalidParameterError, SudokucryptError


def load_object(spec: str) -> object:
    """Import the object that ``module:name`` or ``file.py:name`` names; the name may have dots.

    The code runs: name only what you trust.
    """
    module, colon, name = spec.rpartition(":")
    if not (module and colon and name):
        raise InvalidParameterError(
            f"'{spec}' names no object", hint="write module:name, or file.py:name"
        )
    try:
        # What is printed while it is imported must not get into a result on stdout.
        with redirect_stdout(sys.stderr):
            value: object = (
                _from_file(Path(module)) if module.endswith(".py") else import_module(module)
            )
    except (SudokucryptError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a file that calls `exit` ends nothing
        raise InvalidParameterError(
            f"cannot import '{module}': {type(error).__name__}: {error}"
        ) from error
    for part in name.split("."):
        if not hasattr(value, part):
            raise InvalidParameterError(f"'{module}' has no '{name}'")
        value = getattr(value, part)
    return value


def _from_file(path: Path) -> ModuleType:
    """Run a file as a module; what it imports from its own folder is value."""
    spec = spec_from_file_location(f"sudokucrypt_plugin_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InvalidParameterError(f"there is no Python file '{path}'")
    module = module_from_spec(spec)
    sys.modules[module.__name__] = module  # where dataclasses look for it
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module
