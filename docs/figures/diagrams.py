"""Diagrams: the names of a cell, the maps of a grid, the rooms of the package, a key card."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from sudokucrypt import Key, Representation, bijection, names_of
from sudokucrypt.cards import draw_card
from sudokucrypt.sudoku import random_grid, seeded_draws
from sudokucrypt.sudoku.drawing import DOTS, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOT = Path(__file__).parents[2]
_GRID = random_grid(seeded_draws(9))
_CELL = (4, 6)
_BLUE, _ORANGE, _PALE = "#1f5fa8", "#c8551b", "#e8eef6"


def names(path: Path) -> None:
    """Draw a grid, one of its cells, and the eight pairs of numbers that name it."""
    figure, (above, below) = _axes(1, 2, size=(4.4, 7.2), heights=(1.5, 1))
    _sheet(above, 9, 3)
    row, column = _CELL
    above.add_patch(Rectangle((0, row), 9, 1, color=_BLUE, alpha=0.13, lw=0))
    above.add_patch(Rectangle((column, 0), 1, 9, color=_BLUE, alpha=0.13, lw=0))
    above.add_patch(Rectangle((6, 3), 3, 3, color=_ORANGE, alpha=0.16, lw=0))
    for place, value in np.ndenumerate(_GRID.cells):
        chosen = place == _CELL
        above.text(place[1] + 0.5, place[0] + 0.53, str(value + 1), ha="center", va="center",
                  fontsize=15 if chosen else 12, color=_ORANGE if chosen else "#333",
                  weight="bold" if chosen else "normal")  # fmt: skip
    above.set_title("one cell and its row, column and box", fontsize=11)
    below.axis("off")
    below.set_title("its eight names, counted from 1", fontsize=11)
    for line, kind in enumerate(Representation):
        pair = [int(number) + 1 for number in names_of(_GRID, kind, row, column)]
        words = f"({', '.join(kind.value)})"
        below.text(0.02, 0.92 - line * 0.118, words, fontsize=12, color="#333")
        below.text(0.98, 0.92 - line * 0.118, f"({pair[0]}, {pair[1]})", fontsize=12,
                   ha="right", color=_ORANGE if "digit" in words else _BLUE)  # fmt: skip
    _write(figure, path)


def maps(path: Path) -> None:
    """Draw where the cells of a grid go by each of the maps to (row, column)."""
    figure, axes = _axes(2, 4, size=(4.4, 9.2))
    rows, columns = np.indices((9, 9))
    color = np.stack([rows / 8, 0.35 + 0 * rows, columns / 8], axis=-1)
    for axis, kind in zip(axes, Representation, strict=True):
        moved = np.empty((81, 3))
        moved[bijection(_GRID, kind, Representation.ROW_COLUMN)] = color.reshape(-1, 3)
        _sheet(axis, 9, 3, paper=moved.reshape(9, 9, 3))
        axis.set_title(f"({', '.join(kind.value)})", fontsize=12)
    _write(figure, path)


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
    figure, (axis,) = _axes(1, size=(4.6, 8.4))
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


def _sheet(axis: Axes, order: int, side: int, paper: np.ndarray | None = None) -> None:
    """Draw the lines of a grid of square boxes, over a colour for each cell."""
    if paper is not None:
        axis.imshow(paper, extent=(0, order, order, 0), interpolation="nearest")
    for place in range(order + 1):
        strong = place % side == 0
        color, width = ("#222", 1.5) if strong else ("#9aa4b0", 0.6)
        axis.plot([0, order], [place, place], color=color, lw=width)
        axis.plot([place, place], [0, order], color=color, lw=width)
    axis.set(xlim=(-0.05, order + 0.05), ylim=(order + 0.05, -0.05), aspect="equal")
    axis.axis("off")


def _axes(
    columns: int, rows: int = 1, *, size: tuple[float, float], heights: tuple[float, ...] = ()
) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    axes = figure.subplots(rows, columns, squeeze=False, height_ratios=heights or None)
    return figure, list(axes.ravel())


def _write(figure: Figure, path: Path) -> None:
    # Fixed ids and no date: the same figure is the same file. Letters stay text.
    with mpl.rc_context({"svg.hashsalt": "sudokucrypt", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
