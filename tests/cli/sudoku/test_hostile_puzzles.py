"""Randomly damaged inputs are read or refused, and never cause an internal error."""

from pathlib import Path

import numpy as np
import pytest

from sudokucrypt.cli.sudoku.puzzle_texts import read_puzzles
from sudokucrypt.cli.sudoku.sheet_options import VariantOptions
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.sudoku import seeded_draws
from sudokucrypt.sudoku.formats import PUZZLE_FORMATS, StoredPuzzle
from sudokucrypt.typing import RandomSource
from tests.cli.conftest import Run
from tests.cli.sudoku.test_exchange import COLLECTIONS, GAMES_WITH_TYPED_DIGITS, PASTED_TEXTS
from tests.sudoku.formats.test_formats import CLUES, PUZZLE, make_fpuzzles, write_puzzles

TOKENS = [
    "[", "]", "{", "}", "(", ")", '"', "'", ",", ":", "=", "#", "//", "[[", "\\", "%2F", "null",
    "-1", "1e9", "9" * 30, "NaN", "\n", " ", "\t", "\0", "|", "--", "+", "S9B", "http://", "\u00e9",
    "[Puzzle]", '"value"', '"cells"', "\ud83d\ude00",
]  # fmt: skip
SEEDS = [
    *PASTED_TEXTS.values(),
    *GAMES_WITH_TYPED_DIGITS.values(),
    *COLLECTIONS.values(),
    make_fpuzzles("0" * 81, **CLUES),
    *(
        write_puzzles(name, StoredPuzzle(PUZZLE))
        for name, form in PUZZLE_FORMATS.items()
        if form.write
    ),
]


def damage_data(text: str, source: RandomSource) -> str:
    """Return a text after one to four random cuts, insertions, repetitions and exchanges."""
    for _ in range(1 + source.below(4)):
        start = source.below(len(text) + 1)
        end = min(len(text), start + (1, 2, 9, 99)[source.below(4)])
        part = text[start:end]
        other_text = SEEDS[source.below(len(SEEDS))]
        new_part = (
            "",
            TOKENS[source.below(len(TOKENS))],
            2 * part,
            part[::-1],
            other_text[: len(part) * 3],
        )
        text = text[:start] + new_part[source.below(len(new_part))] + text[end:]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_damage_is_refused(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Reading a damaged text succeeds or raises an error of the package."""
    random_source = seeded_draws(seed)
    refused_count = 0
    for _ in range(150):
        text = damage_data(SEEDS[random_source.below(len(SEEDS))], random_source)
        try:
            for puzzle in read_puzzles(text, VariantOptions()):
                puzzle.make_stored_puzzle().position()
        except SudokucryptError:
            refused_count += 1
    assert 0 < refused_count < 150
    assert "unexpected" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["solve", "check", "rate", "audit"])
def test_commands_refuse_damage(command: str, run: Run) -> None:
    """A damaged file leads to a message of the command, without a traceback."""
    random_source = seeded_draws(9)
    for _ in range(12):
        text = damage_data(SEEDS[random_source.below(len(SEEDS))], random_source)
        Path("in").write_bytes(text.encode("utf-8", "replace"))
        result = run("sudoku", command, "in", code=None)
        assert "unexpected" not in result.err
        assert result.code in (0, 1, 4, 5)


def test_binary_files_are_refused(run: Run) -> None:
    """NumPy files are only read by `audit`; damaged ones cause no internal error."""
    np.save("a.npy", PUZZLE.cells + 1)
    file_data = Path("a.npy").read_bytes()
    for length in (8, 10, 60, 127, 200):
        Path("b.npy").write_bytes(file_data[:length])
        run("sudoku audit b.npy", code=4)
        run("sudoku solve b.npy", code=4)
