"""Registries: unique names, objects in modules of a package, and entry points of others."""

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
    """The type of the objects in these registries."""

    name: str


ROBOT, TWIN = Toy("robot"), Toy("robot")
LATER_TOY = Toy("anchor")


def make_toys() -> Registry[Toy]:
    """Make a registry whose package contains no toys."""
    return Registry(
        Toy,
        called="a toy",
        group=GROUP,
        package="sudokucrypt.analysis.baselines",
        order=lambda toy: toy.name,
    )


def test_names_are_kept_in_order() -> None:
    """A registry lists its objects in order, and they can be removed."""
    registry = make_toys()
    assert registry.register(ROBOT) is ROBOT
    registry.register(LATER_TOY)
    assert list(registry) == ["anchor", "robot"]
    assert (len(registry), registry["robot"]) == (2, ROBOT)
    registry.remove("robot")
    registry.remove("robot")
    assert list(registry) == ["anchor"]


def test_others_are_refused() -> None:
    """A second object with the same name, and an object of another type, are refused."""
    registry = make_toys()
    registry.register(ROBOT)
    with pytest.raises(InvalidParameterError, match="there is a toy 'robot' already"):
        registry.register(TWIN)
    wrong_object: Any = "ball"
    with pytest.raises(InvalidParameterError, match="a toy must be a Toy, not str"):
        registry.register(wrong_object)


def test_a_module_that_cannot_register_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a module of a registry raises an error, each access to the registry raises it."""
    registry = make_toys()

    def register_first(_: Registry[Toy], __: str) -> None:
        registry.register(TWIN)

    registry.register(ROBOT)
    monkeypatch.setattr(Registry, "_import_modules", register_first)
    for _ in range(2):
        with pytest.raises(InvalidParameterError, match="there is a toy 'robot' already"):
            len(registry)


def test_entry_points_are_found_and_broken_ones_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points are registered; broken ones and those of another type cause a warning."""
    values = {"good": "LATER_TOY", "gone": "MISSING", "odd": "GROUP"}
    entries = EntryPoints(
        EntryPoint(name, f"{__name__}:{value}", GROUP) for name, value in values.items()
    )
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: entries.select(group=group)
    )
    registry = make_toys()
    with (
        pytest.warns(RuntimeWarning, match=f"'odd' of {GROUP}"),
        pytest.warns(
            RuntimeWarning, match=rf"'gone' of {GROUP} \(.*MISSING\) was left out: AttributeError"
        ),
    ):
        assert list(registry) == ["anchor"]
    assert registry["anchor"] == LATER_TOY


@pytest.mark.parametrize("registry", [METRICS, ATTACKS, BASELINES, DISTURBANCES])
def test_every_object_is_called_as_it_says(registry: Registry[Any]) -> None:
    """Each object has a lower-case name, which is its key in the registry."""
    assert [entry.name for entry in registry.values()] == list(registry)
    assert all(name == name.lower() for name in registry)


def test_the_reference_has_a_row_for_each_object() -> None:
    """docs/reference/analysis.md has the rows that `python -m tests.analysis.reference` prints."""
    text = reference.PAGE.read_text(encoding="utf-8")
    makers = (
        reference.make_metric_rows,
        reference.make_need_rows,
        reference.make_detail_rows,
        reference.make_disturbance_rows,
    )
    for row in (row for make in makers for row in make()):
        assert f"{row}\n" in text
    for figures in reference.list_key_and_map_metrics():
        assert figures in text


def test_each_attack_has_its_section() -> None:
    """The page on attacks has a section for each attack, whose heading begins with its title."""
    page = (_DOCS / "explanation" / "attacks.md").read_text(encoding="utf-8").lower()
    headings = tuple(re.findall(r"^### (.*)$", page, re.MULTILINE))
    for attack in ATTACKS.values():
        assert any(heading.startswith(attack.title.lower()) for heading in headings), attack.name


def test_each_format_that_is_read_has_its_row() -> None:
    """The table of formats in the reference has a row with all suffixes of each format."""
    page = (_DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    for driver in drivers():
        if driver.decode is not None:
            row = f"| {' '.join(f'`{suffix}`' for suffix in driver.suffixes)} |"
            assert row in page, driver.name
