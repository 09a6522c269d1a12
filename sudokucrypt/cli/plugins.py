"""Import objects from code of users, named as ``module:name`` or ``file.py:name``."""

import sys
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from sudokucrypt.errors import InvalidParameterError, SudokucryptError


def load_object(spec: str) -> object:
    """Import the object that ``module:name`` or ``file.py:name`` names; the name may have dots.

    The code of the module is run, so it must be trusted.
    """
    module, colon, name = spec.rpartition(":")
    if not (module and colon and name):
        raise InvalidParameterError(
            f"'{spec}' names no object", hint="write module:name, or file.py:name"
        )
    try:
        # Output during the import goes to stderr, since stdout may be a result.
        with redirect_stdout(sys.stderr):
            value: object = (
                _run_file(Path(module)) if module.endswith(".py") else import_module(module)
            )
    except (SudokucryptError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a module that calls `exit` must not end this program
        is_unknown = isinstance(error, ModuleNotFoundError) and error.name == module
        raise InvalidParameterError(
            f"cannot import '{module}': {type(error).__name__}: {error}",
            hint=f"a file is named with its suffix: {module}.py:{name}" if is_unknown else None,
        ) from error
    for part in name.split("."):
        if not hasattr(value, part):
            raise InvalidParameterError(f"'{module}' has no '{name}'")
        value = getattr(value, part)
    return value


def _run_file(path: Path) -> ModuleType:
    """Run a file as a module, which may import modules of its own folder."""
    spec = spec_from_file_location(f"sudokucrypt_plugin_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InvalidParameterError(f"there is no Python file '{path}'")
    module = module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look up their module there
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module
