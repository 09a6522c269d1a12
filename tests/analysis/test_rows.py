"""Test functions by rows of calls: figures.toml has results and sources, refused.toml errors."""

import re
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sudokucrypt import errors
from sudokucrypt.analysis import DISTURBANCES, NamedImage
from sudokucrypt.analysis.baselines import UniformShuffle

_ARRAY = re.compile(r"(bool|u?int\d+|float\d+) (scalar|\d+(?:x\d+)*)(?: = (\d+))?")
_SCHEMES: dict[str, Callable[..., Any]] = {
    "shuffle": UniformShuffle().scramble,
    "transposed": np.transpose,
    "still": lambda image, *_: image,
    "cut": lambda image, _: image[:2],
    "listed": lambda image, _: image.tolist(),
}
_MAKERS: dict[str, Callable[[str], Any]] = {
    "arange": lambda text: np.arange(int(text)),
    "eye": lambda text: np.eye(int(text), dtype=bool),
    "levels": lambda text: np.arange(int(text) ** 2, dtype=np.uint8).reshape(int(text), -1),
    "bits": lambda text: np.frombuffer(text.encode(), np.uint8) - ord("0"),
    "bytes": lambda text: bytes(range(int(text))),
    "scheme": _SCHEMES.__getitem__,
    "disturbance": DISTURBANCES.__getitem__,
    "picture": lambda text: NamedImage(name=text, pixels=np.zeros((8, 8), np.uint8)),
}


def load_rows(name: str) -> list[Any]:
    """Return the rows of a file as parameters, named by call and position."""
    rows = tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))["rows"]
    return [pytest.param(row, id=f"{index}: {row['call']}") for index, row in enumerate(rows)]


def make_value(value: Any) -> Any:
    """Return the object of a text: `uint8 4x4 = 7` is an array, `scheme still` a function."""
    if isinstance(value, list):
        return [make_value(each) for each in value]
    if not isinstance(value, str):
        return value
    if array := _ARRAY.fullmatch(value):
        kind, sides, fill = array.groups()
        shape = () if sides == "scalar" else tuple(map(int, sides.split("x")))
        return np.full(shape, int(fill or 0), dtype=kind)
    word, _, rest = value.partition(" ")
    return _MAKERS[word](rest) if word in _MAKERS and rest else value


def resolve_name(path: str) -> Any:
    """Return an object of the package `analysis`, such as `baselines.ArnoldMap().period`."""
    value: Any = import_module("sudokucrypt.analysis")
    for part in path.split("."):
        name = part.removesuffix("()")
        try:
            value = getattr(value, name)
        except AttributeError:
            assert isinstance(value, ModuleType)
            value = import_module(f"{value.__name__}.{name}")
        value = value() if part.endswith("()") else value
    return value


def call_function(row: dict[str, Any]) -> Any:
    options = {name: make_value(value) for name, value in row.get("options", {}).items()}
    return resolve_name(row["call"])(*map(make_value, row.get("args", [])), **options)


@pytest.mark.parametrize("row", load_rows("figures.toml"))
def test_calls_return_the_listed_values(row: dict[str, Any]) -> None:
    """Each call returns the value, or a result with the fields, within the tolerance."""
    result, within = call_function(row), row.get("within", 1e-12)
    if "value" in row:
        assert result == pytest.approx(row["value"], abs=within, nan_ok=True)
    for name, value in row.get("fields", {}).items():
        expected = None if value == "none" else value
        assert getattr(result, name) == pytest.approx(expected, abs=within, nan_ok=True), name


@pytest.mark.parametrize("row", load_rows("refused.toml"))
def test_other_arguments_are_refused(row: dict[str, Any]) -> None:
    """Each call raises the error with this message and hint."""
    with pytest.raises(getattr(errors, row["error"]), match=row.get("match")) as error_info:
        call_function(row)
    assert row.get("hint", "") in (error_info.value.hint or "")
