"""Make a page with puzzles of many kinds, and a page with a Samurai puzzle and its solution.

Usage: python sudoku_gallery.py [OUT.png] [SEED]

The other files, an SVG and the page of the Samurai, are named after OUT.png.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt.images import encode_picture, paint
from sudokucrypt.sudoku import (
    Variant,
    make_constrained,
    make_puzzle,
    random_jigsaw,
    seeded_draws,
    solve,
)
from sudokucrypt.sudoku.drawing import Sheet, draw, to_svg

if TYPE_CHECKING:
    from sudokucrypt.typing import RandomSource


def make_puzzles(source: RandomSource) -> list[Sheet]:
    """Return a puzzle of each kind, and the solution of the first one."""
    standard = make_puzzle(source, pattern="quarter-turn")
    puzzles = {
        "Sudoku": standard.puzzle,
        "its solution": standard.solution,
        "X-Sudoku": make_puzzle(source, sheet=Variant.x()).puzzle,
        "Jigsaw": make_puzzle(source, sheet=random_jigsaw(source)).puzzle,
        "Windoku": make_puzzle(source, sheet=Variant.windoku()).puzzle,
        "Killer": make_constrained(source, kind="killer").puzzle,
        "Thermometers": make_constrained(source, kind="thermometer").puzzle,
        "Kropki": make_constrained(source, kind="kropki").puzzle,
    }
    assert solve(puzzles["Sudoku"]) == puzzles["its solution"]
    return [
        Sheet(
            shown=puzzle, givens=standard.puzzle if name == "its solution" else None, caption=name
        )
        for name, puzzle in puzzles.items()
    ]


def main(target: Path, seed: int) -> None:
    """Draw both pages for a seed."""
    source = seeded_draws(seed)
    pages = {target: draw(make_puzzles(source), cell=30, columns=2)}
    puzzle, solution = make_puzzle(source, sheet=Variant.samurai())
    pair = [Sheet(shown=puzzle), Sheet(shown=solution, givens=puzzle)]
    pages[target.with_stem(f"{target.stem}-samurai")] = draw(pair, cell=24, columns=1)
    for path, page in pages.items():
        path.write_bytes(encode_picture(paint(page), "PNG", compress=9))
        path.with_suffix(".svg").write_text(to_svg(page), encoding="utf-8")
        print(f"{path}: {page.width} x {page.height}, {len(page.texts)} texts")


if __name__ == "__main__":
    main(
        Path(sys.argv[1] if len(sys.argv) > 1 else "result.png"),
        int(sys.argv[2]) if len(sys.argv) > 2 else 1,
    )
