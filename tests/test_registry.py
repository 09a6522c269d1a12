"""Registers: one object a name, the modules of a package, and what other packages announce."""

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
    """What these registers hold."""

    name: str


ROBOT, TWIN = Toy("robot"), Toy("robot")
LATER = Toy("anchor")


def make_toys() -> Registry[Toy]:
    """A register whose package holds no toys."""
    return Registry(
        Toy,
        called="a toy",
        group=GROUP,
        package="sudokucrypt.analysis.baselines",
        order=lambda toy: toy.name,
    )


def test_names_are_kept_in_order() -> None:
    """Objects come out sorted, and leave again."""
    held = make_toys()
    assert held.register(ROBOT) is ROBOT
    held.register(LATER)
    assert list(held) == ["anchor", "robot"]
    assert (len(held), held["robot"]) == (2, ROBOT)
    held.remove("robot")
    held.remove("robot")
    assert list(held) == ["anchor"]


def test_others_are_refused() -> None:
    """A second object of a name, and one of another kind."""
    held = make_toys()
    held.register(ROBOT)
    with pytest.raises(InvalidParameterError, match="there is a toy 'robot' already"):
        held.register(TWIN)
    wrong: Any = "ball"
    with pytest.raises(InvalidParameterError, match="a toy must be a Toy, not str"):
        held.register(wrong)


def test_a_module_that_cannot_register_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """A register that is not complete says so each time, and never passes for a whole one."""
    held = make_toys()

    def register_first(_: Registry[Toy], __: str) -> None:
        held.register(TWIN)

    held.register(ROBOT)
    monkeypatch.setattr(Registry, "_import_modules", register_first)
    for _ in range(2):
        with pytest.raises(InvalidParameterError, match="there is a toy 'robot' already"):
            len(held)


def test_entry_points_are_found_and_broken_ones_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that cannot be loaded, and one of another kind, cost a warning and no more."""
    values = {"good": "LATER", "gone": "MISSING", "odd": "GROUP"}
    entries = EntryPoints(
        EntryPoint(name, f"{__name__}:{value}", GROUP) for name, value in values.items()
    )
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: entries.select(group=group)
    )
    held = make_toys()
    with (
        pytest.warns(RuntimeWarning, match=f"'odd' of {GROUP}"),
        pytest.warns(
            RuntimeWarning, match=rf"'gone' of {GROUP} \(.*MISSING\) was left out: AttributeError"
        ),
    ):
        assert list(held) == ["anchor"]
    assert held["anchor"] == LATER


@pytest.mark.parametrize("registry", [METRICS, ATTACKS, BASELINES, DISTURBANCES])
def test_every_object_is_called_as_it_says(registry: Registry[Any]) -> None:
    """One name each, of lower case."""
    assert [each.name for each in registry.values()] == list(registry)
    assert all(name == name.lower() for name in registry)


def test_the_reference_has_a_row_for_each_object() -> None:
    """As `python -m tests.analysis.reference` prints them."""
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
    """A heading of the page on attacks begins with its title."""
    page = (_DOCS / "explanation" / "attacks.md").read_text(encoding="utf-8").lower()
    headings = tuple(re.findall(r"^### (.*)$", page, re.MULTILINE))
    for attack in ATTACKS.values():
        assert any(heading.startswith(attack.title.lower()) for heading in headings), attack.name


def test_each_format_that_is_read_has_its_row() -> None:
    """The table of formats in the reference has all suffixes of each."""
    page = (_DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    for driver in drivers():
        if driver.decode is not None:
            row = f"| {' '.join(f'`{suffix}`' for suffix in driver.suffixes)} |"
            assert row in page, driver.name
