"""Diagrams: the packages of sudokucrypt, and a key card."""

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
_BORDER_COLOR, _BOX_COLOR = "#1f5fa8", "#e8eef6"


def draw_key_card(path: Path) -> None:
    """Draw the card of the key 00, 01, ... 1f, the example of the specification."""
    path.write_text(to_svg(draw_card(Key(bytes(range(32)))), dots=DOTS), encoding="utf-8")


def draw_packages(path: Path) -> None:
    """Draw which packages import which, as found in the code.

    Implied arrows are left out: if `cli` imports `recipes`, which imports `keys`, there is no arrow
    from `cli` to `keys`.
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
        for number, package in enumerate(layer):
            x = 9.2 * (number + 0.5) / len(layer) + 0.25 + 0.3 * (level % 2)
            places[package] = (x, len(layers) - level - 0.5)
    imports = _find_imports(set(places))
    for package in imports:
        for imported in sorted(imports[package] - _find_reachable(imports, imports[package])):
            (x, y), (end_x, end_y) = places[package], places[imported]
            curvature = 0.12 if y - end_y > 1 else 0.0
            axis.add_patch(FancyArrowPatch(
                (x, y - 0.25), (end_x, end_y + 0.25), arrowstyle="-|>", mutation_scale=10,
                color="#7a8798", lw=0.9, shrinkA=0, shrinkB=0,
                connectionstyle=f"arc3,rad={curvature}",
            ))  # fmt: skip
    for package, (x, y) in places.items():
        axis.add_patch(FancyBboxPatch((x - 0.77, y - 0.19), 1.54, 0.38, zorder=3,
                                      fc=_BOX_COLOR, ec=_BORDER_COLOR,
                                      boxstyle="round,pad=0.05"))  # fmt: skip
        font_size = 10.5 if len(package) < 10 else 9.5
        axis.text(x, y, package, ha="center", va="center", fontsize=font_size, zorder=4)
    _save_figure(figure, path)


def _find_imports(packages: set[str]) -> dict[str, set[str]]:
    """Return the packages that each package imports at run time, not only for type checking."""
    root_folder = _ROOT / "sudokucrypt"
    imports: dict[str, set[str]] = {importer: set() for importer in sorted(packages)}
    for file in sorted(root_folder.rglob("*.py")):
        importer = file.relative_to(root_folder).parts[0].removesuffix(".py")
        if importer in packages:
            for name in _list_imported_modules(ast.parse(file.read_text(encoding="utf-8"))):
                imported = name.split(".")[1]
                if imported in packages and imported != importer:
                    imports[importer].add(imported)
    return imports


def _find_reachable(imports: dict[str, set[str]], packages: set[str]) -> set[str]:
    """Return all packages that these packages import, directly or indirectly."""
    imported = set().union(*(imports[package] for package in packages))
    return imported | _find_reachable(imports, imported) if imported else imported


def _list_imported_modules(tree: ast.AST) -> list[str]:
    """Return our modules that code imports outside of TYPE_CHECKING blocks."""
    names = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sudokucrypt."):
            names.append(node.module or "")
        elif isinstance(node, ast.ImportFrom) and node.module == "sudokucrypt":
            names += [f"sudokucrypt.{name.name}" for name in node.names]
        else:
            names += _list_imported_modules(node)
    return names


def _save_figure(figure: Figure, path: Path) -> None:
    # With fixed ids and no date, the file is reproducible; letters stay text.
    with mpl.rc_context({"svg.hashsalt": "sudokucrypt", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})
