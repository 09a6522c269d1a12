"""Single puzzles of desktop programs: .sdk with a header, and .ss with ruled boxes."""

from collections.abc import Sequence

from sudokucrypt.sudoku.formats.contract import PuzzleFormat, StoredPuzzle, ordinary

_BORDER = "*-----------*"


def _rows(stored: StoredPuzzle, title: str) -> list[str]:
    text = ordinary(stored, title).puzzle.to_text()
    return [text[start : start + 9] for start in range(0, 81, 9)]


def _sdk(puzzles: Sequence[StoredPuzzle]) -> str:
    (stored,) = puzzles
    head = [f"#{key}{' '.join(value.split())}" for key, value in
            (("A", stored.author), ("D", stored.title)) if value]  # fmt: skip
    return "\n".join([*head, "[Puzzle]", *_rows(stored, ".sdk")]) + "\n"


def _ss(puzzles: Sequence[StoredPuzzle]) -> str:
    (stored,) = puzzles
    rows = ["|" + "|".join(r[at : at + 3] for at in (0, 3, 6)) + "|" for r in _rows(stored, ".ss")]
    ruled = [*rows[:3], "|---+---+---|", *rows[3:6], "|---+---+---|", *rows[6:]]
    return "\n".join([_BORDER, *ruled, _BORDER]) + "\n"


SDK = PuzzleFormat(name="sdk", title=".sdk", write=_sdk, single=True)
SS = PuzzleFormat(name="ss", title=".ss of Simple Sudoku", write=_ss, single=True)
