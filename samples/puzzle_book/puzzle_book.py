"""Make a book with puzzles of several kinds, from easy to hard, with solutions at the end.

Usage: python puzzle_book.py BOOK.pdf [SEED]
Needs the extra `print`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt.sudoku import Level, Variant, make_puzzle, random_jigsaw, seeded_draws
from sudokucrypt.sudoku.drawing import Sheet, book, to_pdf

if TYPE_CHECKING:
    from collections.abc import Callable


def main(target: Path, seed: int) -> None:
    """Write a book for this seed, with a page for each kind, each harder than the last."""
    source = seeded_draws(seed)
    chapters: list[tuple[Level, str, Callable[[], Variant]]] = [
        (Level.BEGINNER, "Sudoku", Variant.standard),
        (Level.EASY, "X-Sudoku", Variant.x),
        (Level.EASY, "Windoku", Variant.windoku),
        (
            Level.MEDIUM,
            "Jigsaw",
            lambda: random_jigsaw(source),
        ),  # a new map of regions for each puzzle
    ]
    puzzles: list[Sheet] = []
    solutions: list[Sheet] = []
    for level, name, variant in chapters:
        for _ in range(4):
            puzzle = make_puzzle(source, sheet=variant(), level=level, givens=range(30, 37))
            number = f"No. {len(puzzles) + 1}"
            puzzles.append(Sheet(shown=puzzle.puzzle, caption=f"{number}, {name}, {level.label}"))
            solutions.append(Sheet(shown=puzzle.solution, givens=puzzle.puzzle, caption=number))
    pages = list(book(puzzles, solutions, title="For the train", paper="a5"))
    target.write_bytes(to_pdf(pages, title="For the train"))
    print(f"{target}: {len(puzzles)} puzzles on {len(pages)} pages")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
