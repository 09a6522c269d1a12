"""The libraries of the extra `analysis`, imported only where they are needed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from sudokucrypt.errors import UnsupportedError

_PACKAGES = {"skimage": "scikit-image", "jinja2": "Jinja2"}


def require(name: str) -> ModuleType:
    """Return a module of an optional library.

    Parameters
    ----------
    name : str
        Its full name, such as "scipy.special".

    Raises
    ------
    UnsupportedError
        If the library is not installed; the hint says how to install it.

    Examples
    --------
    >>> float(require("scipy.special").chdtrc(255, 293.2478).round(4))
    0.05
    """
    try:
        return import_module(name)
    except ImportError as error:
        top = name.partition(".")[0]
        raise UnsupportedError(
            f"this analysis needs {_PACKAGES.get(top, top)}",
            hint="pip install 'sudokucrypt[analysis]'",
        ) from error
