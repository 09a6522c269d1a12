"""Registers: one object per name, the modules of a package, and entry points."""

import re
from dataclasses import dataclass
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt.analysis import ATTACKS, BASELINES, DISTURBANCES, METRICS, Registry
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images import drivers
from tests.analysis import reference

GROUP = "sudokucrypt.toys"
_DOCS = Path(__file__).parents[1] / "docs"


@dataclass(frozen=True)
class Toy:
    """An object of the registers in these tests."""

    name: str


ROBOT, SECOND_ROBOT = Toy("robot"), Toy("robot")
ANCHOR = Toy("anchor")


def make_toy_registry() -> Registry[Toy]:
    """Return a register of toys whose package has no modules with toys."""
    return Registry(
        Toy,
        item_noun="a toy",
        group=GROUP,
        package="sudokucrypt.analysis.baselines",
        order=lambda toy: toy.name,
    )


def test_names_are_kept_in_order() -> None:
    """Registered objects are listed in order until they are removed."""
    registry = make_toy_registry()
    assert registry.register(ROBOT) is ROBOT
    registry.register(ANCHOR)
    assert list(registry) == ["anchor", "robot"]
    assert (len(registry), registry["robot"]) == (2, ROBOT)
    registry.remove("robot")
    registry.remove("robot")
    assert list(registry) == ["anchor"]


def test_wrong_objects_are_refused() -> None:
    """A second object with a name is refused, and so is an object of another kind."""
    registry = make_toy_registry()
    registry.register(ROBOT)
    with pytest.raises(InvalidParameterError, match="there is a toy 'robot' already"):
        registry.register(SECOND_ROBOT)
    wrong_object: Any = "ball"
    with pytest.raises(InvalidParameterError, match="a toy must be a Toy, not str"):
        registry.register(wrong_object)


def test_a_module_that_cannot_register(monkeypatch: pytest.MonkeyPatch) -> None:
    """If importing a module fails, each use of the register raises the error."""
    registry = make_toy_registry()

    def register_first(_: Registry[Toy], __: str) -> None:
        registry.register(SECOND_ROBOT)

    registry.register(ROBOT)
    monkeypatch.setattr(Registry, "_import_modules", register_first)
    for _ in range(2):
        with pytest.raises(InvalidParameterError, match="there is a toy 'robot' already"):
            len(registry)


def test_entry_points_are_found_and_broken_ones_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point adds its object; a broken one, or one of another kind, gives a warning."""
    values = {"good": "ANCHOR", "gone": "MISSING", "odd": "GROUP"}
    entries = EntryPoints(
        EntryPoint(name, f"{__name__}:{value}", GROUP) for name, value in values.items()
    )
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: entries.select(group=group)
    )
    registry = make_toy_registry()
    with (
        pytest.warns(RuntimeWarning, match=f"'odd' of {GROUP}"),
        pytest.warns(
            RuntimeWarning, match=rf"'gone' of {GROUP} \(.*MISSING\) was left out: AttributeError"
        ),
    ):
        assert list(registry) == ["anchor"]
    assert registry["anchor"] == ANCHOR


@pytest.mark.parametrize("registry", [METRICS, ATTACKS, BASELINES, DISTURBANCES])
def test_objects_are_registered_under_their_names(registry: Registry[Any]) -> None:
    """Each object is registered under its own name, which is in lower case."""
    assert [entry.name for entry in registry.values()] == list(registry)
    assert all(name == name.lower() for name in registry)


def test_the_reference_has_a_row_for_each_object() -> None:
    """The page has the rows that `python -m tests.analysis.reference` prints."""
    text = reference.PAGE.read_text(encoding="utf-8")
    makers = (
        reference.make_metric_rows,
        reference.make_need_rows,
        reference.make_detail_rows,
        reference.make_disturbance_rows,
    )
    for row in (row for make in makers for row in make()):
        assert f"{row}\n" in text
    for metric_names in reference.list_key_and_map_metrics():
        assert metric_names in text


def test_each_attack_has_its_section() -> None:
    """For each attack, a heading of the page on attacks begins with its title."""
    page = (_DOCS / "explanation" / "attacks.md").read_text(encoding="utf-8").lower()
    headings = tuple(re.findall(r"^### (.*)$", page, re.MULTILINE))
    for attack in ATTACKS.values():
        assert any(heading.startswith(attack.title.lower()) for heading in headings), attack.name


def test_each_format_that_is_read_has_its_row() -> None:
    """The table of formats has a row with all suffixes of each format that can be read."""
    page = (_DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    for driver in drivers():
        if driver.decode is not None:
            row = f"| {' '.join(f'`{suffix}`' for suffix in driver.suffixes)} |"
            assert row in page, driver.name
