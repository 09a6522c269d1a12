"""Write a page with puzzles of several kinds to play on in any browser, without a network.

Usage: python puzzles_to_play.py PAGE.html [SEED]
"""

from __future__ import annotations

import sys
from pathlib import Path

from sudokucrypt.page.playing import play_page
from sudokucrypt.sudoku import (
    Level,
    Variant,
    make_constrained,
    make_puzzle,
    random_jigsaw,
    seeded_draws,
)
from sudokucrypt.sudoku.making.puzzles import get_comfortable_givens


def main(target: Path, seed: int) -> None:
    """Write a page with the puzzles of this seed."""
    source = seeded_draws(seed)
    sheets = {
        "Mini": Variant.standard((2, 3)),
        "Sudoku": Variant.standard(),
        "X-Sudoku": Variant.x(),
        "Windoku": Variant.windoku(),
        "Anti-king": Variant.anti_king(),
        "Jigsaw": random_jigsaw(source),
    }
    pages = [
        make_puzzle(source, sheet=sheet, level=Level.EASY, givens=get_comfortable_givens(sheet))
        for sheet in sheets.values()
    ]
    pages.append(make_constrained(source, kind="killer"))
    puzzles = [puzzle for puzzle, _ in pages]
    target.write_bytes(play_page(puzzles, captions=[*sheets, "Killer"], title="For the train"))
    print(f"{target}: {len(puzzles)} puzzles")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
