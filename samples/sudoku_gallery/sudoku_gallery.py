"""Make a page of grids and puzzles of many kinds, as PNG and SVG, and one for Samurai.

Usage: python sudoku_gallery.py [OUT.png] [SEED]

What is beside the PNG is named after it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt.images import encode_picture, paint
from sudokucrypt.sudoku import (
    Level,
    Variant,
    grade,
    grid_by_boxes,
    grid_by_cells,
    grid_by_rows,
    grid_by_search,
    make_puzzle,
    random_grid,
    random_solution,
    seeded_draws,
    shuffled_grid,
    solve,
    stirred_grid,
)
from sudokucrypt.sudoku.drawing import Sheet, draw, to_svg

if TYPE_CHECKING:
    from sudokucrypt.typing import RandomSource


def grids(source: RandomSource) -> list[Sheet]:
    """Return a 9x9 grid by each method, and larger ones by those that make them."""
    return [
        Sheet(shown=random_grid(source), caption="uniform: all are equally likely"),
        Sheet(shown=grid_by_rows(source), caption="row by row"),
        Sheet(shown=grid_by_boxes(source), caption="box by box"),
        Sheet(shown=grid_by_cells(source), caption="cell by cell, looking ahead"),
        Sheet(shown=grid_by_search(source), caption="where the least choice is"),
        Sheet(shown=shuffled_grid(source), caption="shuffled"),
        Sheet(shown=stirred_grid(source), caption="stirred"),
        Sheet(shown=random_solution(Variant.x(), source), caption="X-Sudoku"),
    ]


def puzzles(source: RandomSource) -> list[Sheet]:
    """Return puzzles of each level, an X-Sudoku, and a symmetric one with its solution."""
    made = [make_puzzle(source, level=level).puzzle for level in Level]
    made.append(make_puzzle(source, sheet=Variant.x(), pattern="half-turn").puzzle)
    sheets = [
        Sheet(
            shown=puzzle, caption=f"{grade(puzzle).level.label}, {puzzle.number_of_givens} givens"
        )
        for puzzle in made
    ]
    puzzle, solution = make_puzzle(source, pattern="quarter-turn")
    assert solve(puzzle) == solution
    return [
        *sheets,
        Sheet(shown=puzzle, caption="a quarter turn keeps the places"),
        Sheet(shown=solution, givens=puzzle, caption="its solution"),
    ]


def main(place: Path, seed: int) -> None:
    """Draw everything that a seed decides."""
    source = seeded_draws(seed)
    pages = {place: draw([*grids(source), *puzzles(source)], cell=24, columns=4)}
    puzzle, solution = make_puzzle(source, sheet=Variant.samurai())
    pair = [Sheet(shown=puzzle), Sheet(shown=solution, givens=puzzle)]
    pages[place.with_stem(f"{place.stem}-samurai")] = draw(pair, cell=24, columns=2)
    for path, page in pages.items():
        path.write_bytes(encode_picture(paint(page), "PNG", compress=9))
        path.with_suffix(".svg").write_text(to_svg(page), encoding="utf-8")
        print(f"{path}: {page.width} x {page.height}, {len(page.texts)} texts")


if __name__ == "__main__":
    main(
        Path(sys.argv[1] if len(sys.argv) > 1 else "result.png"),
        int(sys.argv[2]) if len(sys.argv) > 2 else 1,
    )
