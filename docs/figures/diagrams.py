"""Diagrams: the rooms of the package, and a key card."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from sudokucrypt import Key
from sudokucrypt.cards import draw_card
from sudokucrypt.sudoku.drawing import DOTS, to_svg

_ROOT = Path(__file__).parents[2]
_BLUE, _PALE = "#1f5fa8", "#e8eef6"


def card(path: Path) -> None:
    """Draw the key card of the key 00, 01, ... 1f, which is in the specification too."""
    path.write_text(to_svg(draw_card(Key(bytes(range(32)))), dots=DOTS), encoding="utf-8")


def rooms(path: Path) -> None:
    """Draw which rooms of the package import which, as the code itself says.

    Left out is what follows: if `cli` imports `recipes`, which imports `keys`, the arrow from
    `cli` to `keys` would say little.
    """
    contracts = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = [layer.split(" | ") for layer in contracts["contracts"][0]["layers"][1:]]
    figure = Figure(figsize=(4.6, 8.4), layout="constrained", facecolor="white")
    axis = figure.subplots()
    axis.set_xlim(0, 10)
    axis.set_ylim(0, len(layers))
    axis.axis("off")
    places = {}
    for level, layer in enumerate(layers):
        for number, room in enumerate(layer):
            x = 9.2 * (number + 0.5) / len(layer) + 0.25 + 0.3 * (level % 2)
            places[room] = (x, len(layers) - level - 0.5)
    used = _imports(set(places))
    for room in used:
        for other in sorted(used[room] - _reached(used, used[room])):
            (x, y), (to, down) = places[room], places[other]
            bend = 0.12 if y - down > 1 else 0.0
            axis.add_patch(FancyArrowPatch(
                (x, y - 0.25), (to, down + 0.25), arrowstyle="-|>", mutation_scale=10,
                color="#7a8798", lw=0.9, shrinkA=0, shrinkB=0,
                connectionstyle=f"arc3,rad={bend}",
            ))  # fmt: skip
    for room, (x, y) in places.items():
        axis.add_patch(FancyBboxPatch((x - 0.77, y - 0.19), 1.54, 0.38, zorder=3,
                                      boxstyle="round,pad=0.05", fc=_PALE, ec=_BLUE))  # fmt: skip
        size = 10.5 if len(room) < 10 else 9.5
        axis.text(x, y, room, ha="center", va="center", fontsize=size, zorder=4)
    _write(figure, path)


def _imports(rooms: set[str]) -> dict[str, set[str]]:
    """Return the rooms that each room imports when it runs; types alone do not count."""
    package = _ROOT / "sudokucrypt"
    found: dict[str, set[str]] = {room: set() for room in sorted(rooms)}
    for file in sorted(package.rglob("*.py")):
        room = file.relative_to(package).parts[0].removesuffix(".py")
        if room in rooms:
            for name in _modules(ast.parse(file.read_text(encoding="utf-8"))):
                other = name.split(".")[1]
                if other in rooms and other != room:
                    found[room].add(other)
    return found


def _reached(used: dict[str, set[str]], rooms: set[str]) -> set[str]:
    """Return what these rooms import, and what that imports."""
    below = set().union(*(used[room] for room in rooms))
    return below | _reached(used, below) if below else below


def _modules(tree: ast.AST) -> list[str]:
    """Return the modules of ours that code imports outside of TYPE_CHECKING blocks."""
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sudokucrypt."):
            found.append(node.module or "")
        elif isinstance(node, ast.ImportFrom) and node.module == "sudokucrypt":
            found += [f"sudokucrypt.{name.name}" for name in node.names]
        else:
            found += _modules(node)
    return found


def _write(figure: Figure, path: Path) -> None:
    # Fixed ids and no date: the same figure is the same file. Letters stay text.
    with mpl.rc_context({"svg.hashsalt": "sudokucrypt", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
