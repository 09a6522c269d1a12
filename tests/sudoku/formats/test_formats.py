"""Formats of other programs: puzzles survive a round trip, and damaged input is refused."""

import json
from contextlib import nullcontext, suppress
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku import (
    CONSTRAINTS,
    SudokuPuzzle,
    Variant,
    make_puzzle,
    random_grid,
    random_jigsaw,
    seeded_draws,
    solve,
)
from sudokucrypt.sudoku.datasets.columns import find_puzzle
from sudokucrypt.sudoku.formats import (
    PUZZLE_FORMATS,
    StoredPuzzle,
    detect_format,
    get_candidates,
    read_stored_puzzles,
)
from sudokucrypt.sudoku.formats.fpuzzles import make_board_variant
from sudokucrypt.sudoku.formats.json_files import _find_arrays
from sudokucrypt.sudoku.formats.links import _read_classic_puzzle, compress, decompress
from sudokucrypt.sudoku.making.constrained import CONSTRAINT_MAKERS, make_constrained
from sudokucrypt.sudoku.model.boxes import number_regions
from sudokucrypt.sudoku.model.constraints import Constraint
from tests.sudoku.constraints import draw_satisfied_constraints

LINE = "000060070000030569000100000050400130008901600071002080000003000485010000060040000"
PUZZLE = SudokuPuzzle.from_text(LINE)
WRITTEN = [name for name, form in PUZZLE_FORMATS.items() if form.write]
READ = [
    name for name in WRITTEN if PUZZLE_FORMATS[name].matches is not PUZZLE_FORMATS["line"].matches
]
LIMIT = 0.1  # seconds until invalid input is refused
FLAGS = ("diagonal-", "diagonal+", "antiknight", "antiking", "disjointgroups")


def read_only_puzzle(text: str) -> StoredPuzzle:
    """Return the only puzzle of a text."""
    result = read_stored_puzzles(text)
    assert result is not None
    (stored,) = result
    return stored


def write_puzzles(name: str, *puzzles: StoredPuzzle) -> str:
    """Return puzzles as text in a format."""
    write = PUZZLE_FORMATS[name].write
    assert write is not None
    return write(puzzles)


def make_fpuzzles(line: str = LINE, /, **fields: Any) -> str:
    """Return the JSON of an f-puzzles puzzle with additional rules."""
    cells = [{"value": int(digit), "given": True} if digit != "0" else {} for digit in line]
    grid = [cells[start : start + 9] for start in range(0, 81, 9)]
    return json.dumps({"size": 9, "grid": grid, **fields})


@pytest.mark.parametrize("name", WRITTEN)
def test_puzzles_round_trip(name: str) -> None:
    """A puzzle written in each format is read again unchanged, by that format or as plain text."""
    text = write_puzzles(name, StoredPuzzle(PUZZLE))
    stored = read_stored_puzzles(text)
    if stored is not None:
        (result,) = stored
        assert solve(result.puzzle) == solve(PUZZLE)
        assert (result.puzzle == PUZZLE) or name == "pencil"
        assert write_puzzles(name, result) == text
    else:
        digits = [symbol for symbol in text.partition("]")[2] or text if symbol in "123456789"]
        assert "".join(digits) == LINE.replace("0", "")


@pytest.mark.parametrize("digits", ["x" * 81, "1" * 80 + "x", ["1"] * 80 + [None], "1" * 81, 81])
def test_a_wrong_solution_is_left_out(digits: object) -> None:
    """A solution in a file that holds other values, or breaks a rule, is ignored."""
    stored = read_only_puzzle(make_fpuzzles(solution=digits))
    assert stored.puzzle == PUZZLE
    assert stored.solution is None
    solution = solve(PUZZLE)
    right = [int(digit) for digit in solution.to_text()]
    assert read_only_puzzle(make_fpuzzles(solution=right)).solution == solution


@pytest.mark.parametrize("chosen", [c for n in range(6) for c in combinations(FLAGS, n)])
def test_rules_round_trip(chosen: tuple[str, ...]) -> None:
    """Every combination of rules survives a round trip through f-puzzles JSON and both links."""
    extra = [{"cells": ["R1C1", "R2C5", "R9C9"]}] if len(chosen) % 2 else []
    line = LINE[:8] + 73 * "0"
    text = make_fpuzzles(
        line, title="T\u00e9", author="A", extraregion=extra, **dict.fromkeys(chosen, True)
    )
    stored = read_only_puzzle(text)
    assert (stored.title, stored.author, stored.notes) == ("T\u00e9", "A", ())
    for name in ("fpuzzles", "f-puzzles-link", "sudokupad"):
        assert read_only_puzzle(write_puzzles(name, stored)) == stored
    names = {house.name.split(" ")[0] for house in stored.puzzle.variant.houses}
    assert ("knight's" in names) == ("antiknight" in chosen)
    assert ("king's" in names) == ("antiking" in chosen)


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (2, 4), (3, 4), (4, 4)])
def test_sizes_and_regions(box: tuple[int, int]) -> None:
    """Boards of other sizes and jigsaws survive a round trip, and named kinds keep their names."""
    puzzle = make_puzzle(1, sheet=Variant.standard(box), minimal=False).puzzle
    assert read_only_puzzle(write_puzzles("sudokupad", StoredPuzzle(puzzle))).puzzle == puzzle
    for variant in (Variant.anti_king(box), Variant.anti_knight(box), Variant.disjoint_groups(box)):
        empty_puzzle = SudokuPuzzle.empty(variant)
        assert (
            read_only_puzzle(write_puzzles("fpuzzles", StoredPuzzle(empty_puzzle))).puzzle
            == empty_puzzle
        )
    if box[0] * box[1] <= 9:
        jigsaw = SudokuPuzzle.empty(random_jigsaw(1, order=box[0] * box[1]))
        result = read_only_puzzle(write_puzzles("fpuzzles", StoredPuzzle(jigsaw))).puzzle
        assert result.variant.house_sets == jigsaw.variant.house_sets


@pytest.mark.parametrize("name", ["pencil", "fpuzzles"])
def test_pencil_marks_come_back(name: str) -> None:
    """Struck candidates remain struck after a round trip."""
    masks = [*get_candidates(StoredPuzzle(PUZZLE))]
    digit = solve(PUZZLE).givens.tolist()[0]
    removed_digit = next(d for d in range(9) if masks[0] >> d & 1 and d != digit)
    masks[0] &= ~(1 << removed_digit)
    stored = StoredPuzzle(PUZZLE, tuple(masks))
    assert get_candidates(read_only_puzzle(write_puzzles(name, stored))) == tuple(masks)


@pytest.mark.parametrize(
    "line",
    [
        f"{LINE} 7.2",
        f"{LINE} # a note",
        f"{LINE}:1:{LINE}",
        f"0000183b305c {LINE} 1.2",
        f"x,{LINE},y",
    ],
)
def test_notes_beside_a_line_are_left_out(line: str) -> None:
    """Ratings, comments, columns of tdoku and hashes of puzzle banks are ignored in a line."""
    assert find_puzzle(line) == LINE


def test_packed_texts_longer_than_a_puzzle_are_not_unpacked() -> None:
    """A packed text of more than 81 symbols is refused before its cells are counted."""
    assert _read_classic_puzzle("123456789" + "0" * 72).puzzle.number_of_givens == 9
    with pytest.raises(InvalidGridError, match="the link is damaged"):
        _read_classic_puzzle("0" * 82)
    with pytest.raises(InvalidGridError, match="the link holds 82 cells, not 81"):
        _read_classic_puzzle("A" + "0" * 80)


def test_comments_part_the_puzzles_of_a_sdk_file() -> None:
    """Each puzzle has the comments before it, and entered digits from its section of states."""
    entered = "5" + LINE[1:]
    rows = "\n".join(LINE[start : start + 9] for start in range(0, 81, 9))
    state = "\n".join(entered[start : start + 9] for start in range(0, 81, 9))
    text = f"#AAnn\n#DOne\n[Puzzle]\n{rows}\n[State]\n{state}\n#AZoe\n#DTwo\n[Puzzle]\n{rows}\n"
    stored = [*(read_stored_puzzles(text) or ())]
    assert [(each.title, each.author) for each in stored] == [("One", "Ann"), ("Two", "Zoe")]
    assert [each.puzzle for each in stored] == [PUZZLE] * 2
    assert [each.typed_digits[:2] for each in stored] == [(5, 0), ()]


@pytest.mark.parametrize("box", [(3, 4), (4, 3), (2, 6), (6, 2), (1, 12)])
def test_boards_have_the_boxes_of_their_regions(box: tuple[int, int]) -> None:
    """Regions that are boxes of any sides give a standard board, and others a jigsaw."""
    numbers = number_regions((12, 12), box)["box"].reshape(-1).tolist()
    assert make_board_variant(12, numbers) == Variant.standard(box)
    numbers[0], numbers[-1] = numbers[-1], numbers[0]
    if box != (1, 12):
        assert make_board_variant(12, numbers).regions


def test_letters_for_digits_are_noted() -> None:
    """Letters A to I are digits, which a note says; crossed digits have no note."""
    letters = LINE.translate(str.maketrans("123456789.0", "ABCDEFGHIzz"))
    for text in (letters, letters.lower()):
        stored = read_only_puzzle(text)
        assert stored.puzzle == PUZZLE
        assert stored.notes == ("letters A to I are read as 1 to 9, and z as an open cell",)
    crossed = LINE.translate(str.maketrans(".0", "xx"))
    assert read_only_puzzle(crossed).notes == ()


def test_candidates_are_what_givens_leave() -> None:
    """If a file has no pencil marks, candidates exclude the givens in peers."""
    masks = get_candidates(StoredPuzzle(SudokuPuzzle.from_text("1" + "0" * 79 + "9")))
    assert (masks[0], masks[1], masks[40], masks[79]) == (1, 0x1FE, 0x1FF, 0xFF)


@pytest.mark.parametrize("layout", ["{}", "{} ", "| {} "])
def test_spaces_for_open_cells(layout: str) -> None:
    """Spaces are read as open cells in lines, in plain rows and in rows with borders."""
    spaced_line = LINE.replace("0", " ")
    assert read_only_puzzle(spaced_line).puzzle == PUZZLE
    rows = (
        "".join(layout.format(symbol) for symbol in spaced_line[at : at + 9])
        for at in range(0, 81, 9)
    )
    assert read_only_puzzle("\n".join(rows)).puzzle == PUZZLE


_COLUMN_LAYOUTS = [
    "123456789",
    "1 2 3 4 5 6 7 8 9",
    "123|456|789",
    "|123|456|789|",
    "1 2 3   4 5 6   7 8 9",
    "| 1 2 3 | 4 5 6 | 7 8 9 |",
    "|1|2|3|4|5|6|7|8|9|",
    "| 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 |",
]


@pytest.mark.parametrize("layout", _COLUMN_LAYOUTS)
def test_spaces_in_each_column(layout: str) -> None:
    """Wherever a layout has digits, spaces are open cells, and digits are not lost."""
    for turn in (0, 3, 6):
        line = "".join(LINE[at + turn : at + 9] + LINE[at : at + turn] for at in range(0, 81, 9))
        rows = (
            layout.translate({ord(str(n)): line[at + n - 1] for n in range(1, 10)})
            for at in range(0, 81, 9)
        )
        text = "\n".join(rows).replace("0", " ")
        assert read_only_puzzle(text).puzzle.to_text() == line.replace("0", ".")


def test_arrays() -> None:
    """Rows of digits, a list of all digits, and lists of both are read."""
    digits = [int(digit) for digit in LINE]
    rows = [digits[at : at + 9] for at in range(0, 81, 9)]
    lines = [LINE[at : at + 9] for at in range(0, 81, 9)]
    for value in (digits, rows, [LINE], lines):
        assert read_only_puzzle(json.dumps(value)).puzzle == PUZZLE
    assert len([*(read_stored_puzzles(json.dumps([rows, digits, LINE])) or ())]) == 3
    for array in (np.array(rows), np.array(digits), np.array([rows])):
        assert read_only_puzzle(str(array)).puzzle == PUZZLE


@pytest.mark.parametrize("symbol", "Xx-?")
def test_other_symbols_for_open_cells(symbol: str) -> None:
    """Lines, rows and rows with borders are read with X, - or ? as open cells."""
    line = LINE[9:].replace("0", symbol) + symbol * 9
    rows = [line[at : at + 9] for at in range(0, 81, 9)]
    ruled = [" | ".join(" ".join(row[at : at + 3]) for at in (0, 3, 6)) for row in rows]
    ruled[3:3] = ["------+-------+------"]
    for text in (line, "\n".join(rows), "\n".join(ruled)):
        assert read_only_puzzle(text).puzzle.to_text() == line.replace(symbol, ".")
    assert len([*(read_stored_puzzles(f"{line}\n{line}") or ())]) == 2


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([*["1 2 3 4 | 5 6 7 8"] * 4, "-" * 17, *["1 2 3 4 | 5 6 7 8"] * 4]),
        "ABCDEFGHIJKLMNOPQRSTUVWXY" * 25,
        "x" + LINE[1:],
    ],
    ids=["rule", "letters", "two symbols"],
)
def test_symbols_with_another_meaning_are_left_alone(text: str) -> None:
    """A border of hyphens, X as a digit, and 0 for open cells keep their meanings."""
    assert detect_format(text) is None


def test_boards_of_sudokuwiki() -> None:
    """A published SudokuWiki board gives the givens, other digits and candidates of its puzzle."""
    start = "500001024020060090001700000000203006090000010200607000000009600040050030170800009"
    packed = (
        "050f2e0i46015y020466026212064i0a095u0i4601070b0d4m0f4m4a4j4q027n03bu0g06360936164a4i"
        "0o010o02474u067n07bu4q4i464i0b0u0g09064q0a4y040i0a051g5w035w01071y080u1g181609"
    )
    stored = read_only_puzzle(f"https://www.sudokuwiki.org/sudoku.htm?bd=S9B{packed}")
    puzzle = read_only_puzzle(f"https://www.sudokuwiki.org/sudoku.htm?bd={start}").puzzle
    digits, solution = stored.puzzle.givens, solve(puzzle).givens
    assert (digits[puzzle.givens >= 0] == puzzle.givens[puzzle.givens >= 0]).all()
    assert (digits[digits >= 0] == solution[digits >= 0]).all()
    assert all(
        mask >> digit & 1 for mask, digit in zip(get_candidates(stored), solution, strict=True)
    )
    assert stored.candidates is not None
    assert stored.candidates[2] == 0b1000100


CLUES: dict[str, list[Any] | bool] = {
    "killercage": [{"cells": ["R1C1", "R1C2"], "value": "7"}],
    "littlekillersum": [
        {"cell": "R0C4", "direction": "DL", "value": 12},
        {"cells": ["R1C4", "R2C3", "R3C2"], "value": 13},
    ],
    "thermometer": [{"lines": [["R4C4", "R5C5", "R5C6"], ["R4C4", "R3C4"]]}],
    "arrow": [{"cells": ["R7C7"], "lines": [["R7C7", "R8C8", "R9C8"]]}],
    "difference": [{"cells": ["R1C8", "R1C9"]}, {"cells": ["R2C8", "R2C9"], "value": "3"}],
    "ratio": [{"cells": ["R6C1", "R6C2"]}],
    "xv": [{"cells": ["R3C8", "R3C9"], "value": "X"}],
    "whispers": [{"lines": [["R8C1", "R8C2", "R9C3"]]}],
    "renban": [{"lines": [["R8C4", "R9C4", "R9C5"]]}],
    "palindrome": [{"lines": [["R4C7", "R5C8", "R6C9"]]}],
    "odd": [{"cell": "R2C2"}],
    "even": [{"cell": "R2C3"}],
    "betweenline": [{"lines": [["R2C9", "R3C9", "R4C9"]]}],
    "clone": [{"cells": ["R1C1", "R2C1"], "cloneCells": ["R5C2", "R6C2"]}],
    "minimum": [{"cell": "R5C5"}, {"cell": "R5C6"}],
    "maximum": [{"cell": "R7C1"}],
    "quadruple": [{"cells": ["R1C1", "R1C2", "R2C1", "R2C2"], "values": [1, 2, 2]}],
    "sandwichsum": [{"cell": "R0C3", "value": "0"}, {"cell": "R4C10", "value": 12}],
    "nonconsecutive": True,
    "negative": ["ratio", "xv"],
}
PAIRED = [*((key,) for key in CLUES), *list(combinations(CLUES, 2))[::3]]


@pytest.mark.parametrize("chosen", PAIRED)
def test_constraints_round_trip(chosen: tuple[str, ...]) -> None:
    """Each constraint, alone or with others, survives a round trip through JSON and links."""
    stored = read_only_puzzle(make_fpuzzles("0" * 81, **{key: CLUES[key] for key in chosen}))
    assert stored.puzzle.variant.constraints
    for name in ("fpuzzles", "f-puzzles-link", "sudokupad"):
        reread = read_only_puzzle(write_puzzles(name, stored))
        assert {*reread.puzzle.variant.constraints} == {*stored.puzzle.variant.constraints}
        assert read_only_puzzle(write_puzzles(name, reread)) == reread


@pytest.mark.parametrize(
    ("cell", "direction", "expected"),
    [
        ("R10C3", "UL", (73, 63)),
        ("R10C8", "UR", (80,)),
        ("R0C4", "DL", (2, 10, 18)),
        ("R0C7", "DR", (7, 17)),
    ],
)
def test_arrows_beside_the_grid(cell: str, direction: str, expected: tuple[int, ...]) -> None:
    """A little killer outside the grid sums the diagonal of its arrow, and is written with it."""
    clue = {"cell": cell, "direction": direction, "value": 9}
    stored = read_only_puzzle(make_fpuzzles("0" * 81, littlekillersum=[clue]))
    (rule,) = stored.puzzle.variant.constraints
    assert rule == Constraint("sum", expected, 9)
    (written_clue,) = json.loads(write_puzzles("fpuzzles", stored))["littlekillersum"]
    assert (written_clue["cell"], written_clue["direction"]) == (cell, direction)


@pytest.mark.parametrize("cell", ["R4C0", "R4C10"])
def test_sandwiches_are_those_of_their_line(cell: str) -> None:
    """A sandwich clue at either end of a row applies to the row."""
    clue = {"cell": cell, "value": 12}
    (rule,) = read_only_puzzle(
        make_fpuzzles("0" * 81, sandwichsum=[clue])
    ).puzzle.variant.constraints
    assert rule == Constraint("sandwich", tuple(range(27, 36)), 12)


@pytest.mark.parametrize(
    "value", [0, -1, 0.0, float("nan"), None, "", ".", " ", "-", "?", "x", "X"]
)
def test_open_cells_of_arrays(value: object) -> None:
    """Each usual value of an open cell in an array of cells is read as an open cell."""
    stored = read_only_puzzle(json.dumps([[1, value, value, value]] + [[value] * 4] * 3))
    assert stored.puzzle == SudokuPuzzle.from_text("1... .... .... ....")


@pytest.mark.parametrize("number", range(60))
def test_links_of_own_making(number: int) -> None:
    """Puzzles of all sizes with random constraints survive a round trip through links."""
    draws, kinds = seeded_draws(number), [*CONSTRAINTS]
    box = ((3, 3), (2, 3), (3, 3), (2, 4))[number % 4]
    standard = Variant.standard(box)
    digits = (random_grid(draws, box=box).cells.reshape(-1) + 1).tolist()
    kind_names = [kinds[(number + offset) % len(kinds)] for offset in (0, 0, 1, 7)]
    rules = [
        rule
        for kind in kind_names
        for rule in draw_satisfied_constraints(kind, standard, digits, draws)
    ]
    given_digits = [digit if draws.below(4) == 0 else 0 for digit in digits]
    puzzle = SudokuPuzzle(given_digits, standard.with_constraints(*dict.fromkeys(rules)))
    stored = StoredPuzzle(puzzle, title=f"Nr. {number} \u00fc", author="somebody")
    for name in ("fpuzzles", "f-puzzles-link", "sudokupad"):
        text = write_puzzles(name, stored)
        reread = read_only_puzzle(text)
        assert {*reread.puzzle.variant.constraints} == {*puzzle.variant.constraints}
        assert reread._replace(puzzle=puzzle, solution=None) == stored
        assert reread.puzzle.to_text() == puzzle.to_text()
        assert read_only_puzzle(write_puzzles(name, reread)) == reread


@pytest.mark.parametrize("kind", CONSTRAINT_MAKERS)
def test_made_puzzles_go_out_and_in(kind: str) -> None:
    """Made puzzles with constraints still have one solution after a round trip through a link."""
    puzzle, solution = make_constrained(1, kind=kind)
    result = read_only_puzzle(write_puzzles("sudokupad", StoredPuzzle(puzzle)))
    assert solve(result.puzzle).givens.tolist() == solution.givens.tolist()


def repeat_text(item: Any, count: int, /, **rule: Any) -> str:
    """Return an f-puzzles puzzle in which [0] is replaced by many copies of an item, which is
    faster than json.dumps."""
    return make_fpuzzles(**rule).replace("[0]", f"[{', '.join([json.dumps(item)] * count)}]")


DEEP = "[" * 10_000
LIES: list[str] = [
    *(
        make_fpuzzles().replace('"size": 9', f'"size": {n}')
        for n in ("8", "-1", "1e9", "true", '""')
    ),
    *(
        make_fpuzzles(killercage=[{"cells": ["R1C1"], "value": text}])
        for text in ("-5", " ", "x", "1e9")
    ),
    make_fpuzzles(killercage=[{"cells": ["R1C1"], "value": -5}]),
    make_fpuzzles(killercage=[{"cells": ["R1C1"], "value": "9" * 9}]),
    make_fpuzzles(killercage=[{"value": "5"}]),
    make_fpuzzles(thermometer=[{"lines": [["R1C1", "R1C1"]]}]),
    make_fpuzzles(thermometer=[{"lines": 5}]),
    *(repeat_text(["R1C1", "R2C2"], n, thermometer=[{"lines": [0]}]) for n in (15_000, 10**6)),
    make_fpuzzles(renban=[{"lines": [["R1C1", "R2C2"]]}] * 7_000),
    make_fpuzzles(arrow=[{"cells": ["R1C1"], "lines": [["R0C1", "R1C2"]]}]),
    make_fpuzzles(xv=[{"cells": ["R1C1", "R1C2"], "value": "Z"}]),
    make_fpuzzles(negative=["frogs"]),
    make_fpuzzles(negative=[{}]),
    make_fpuzzles(clone=[{"cells": ["R1C1", "R2C1"], "cloneCells": ["R5C2"]}]),
    make_fpuzzles(littlekillersum=[{"cell": "R0C4", "direction": "XX", "value": 12}]),
    make_fpuzzles(littlekillersum=[{"cell": "R0C4", "direction": "UL", "value": 12}]),
    make_fpuzzles(littlekillersum=[{"direction": "UL", "value": 12}]),
    *(
        make_fpuzzles(sandwichsum=[{"cell": cell, "value": 12}])
        for cell in ("R5C5", "R0C0", "R0C11", "R11C5", "R20C5", "R5C20", 5)
    ),
    make_fpuzzles(arrow=[{"cells": ["R1C1"], "lines": [["R5C5", "R1C2"]]}]),
    *(
        make_fpuzzles(quadruple=[{"cells": ["R1C1", "R1C2", "R2C1", cell], "values": values}])
        for cell, values in (
            ("R2C2", [10]),
            ("R2C2", [1] * 5),
            ("R3C3", [1]),
            ("R2C2", [[]]),
        )
    ),
    make_fpuzzles(minimum=[{"cell": "R1C1", "cells": []}, {}]),
    make_fpuzzles(frogs=[{"cells": ["R1C1"]}]),
    *(
        make_fpuzzles(extraregion=[{"cells": [cell]}])
        for cell in ("R0C1", "R10C1", "R1C99", "C1R1", 5)
    ),
    make_fpuzzles(extraregion=[{}]),
    make_fpuzzles(extraregion=[{"cells": ["R1C1", "R1C1"]}]),
    repeat_text({"cells": ["R1C1"]}, 10**6, extraregion=[0]),
    make_fpuzzles(extraregion="R1C1"),
    make_fpuzzles().replace('"value": 6', '"value": 10'),
    make_fpuzzles().replace('"value": 6', '"value": "6"'),
    make_fpuzzles().replace('"value": 6', '"region": 99'),
    make_fpuzzles().replace('"value": 6', '"givenPencilMarks": [1, 2]'),
    make_fpuzzles().replace("[[", "[[[", 1),
    '{"grid": ' + DEEP,
    '{"size": 9, "grid": ' + "[" * 9 + "]" * 9 + "}",
    DEEP,
    "[[1,2],[2]]",
    '["1234", {}]',
    '<!DOCTYPE x [<!ENTITY a "b">]><opensudoku><game data="&a;"/></opensudoku>',
    "<opensudoku>",
    "<opensudoku/>",
    '<opensudoku><game data="123"/></opensudoku>',
    "https://sudokupad.app/abcdef",
    "https://sudokupad.app/sclN4Ig",
    "https://sudokupad.app/scf" + "z" * 81,
    "https://sudokupad.app/scf123",
    f"https://sudokupad.app/scf{'o' * 13}K nonsense",  # after 81 open cells
    "https://f-puzzles.com/?load=%%%",
    "https://f-puzzles.com/",
    "https://www.sudokuwiki.org/sudoku.htm?bd=S9B0123",
    *(f"https://www.sudokuwiki.org/sudoku.htm?bd=S9B{cell}{'ep' * 80}" for cell in ("00", "eq")),
    f":0000:x:{LINE}:999:::\n:oops",
    f":0000:x:{LINE}:1 2:::",
]


@pytest.mark.parametrize("text", LIES, ids=lambda text: text[:30] + text[-30:])
def test_lies_are_refused(text: str) -> None:
    """Damaged and impossible input raises InvalidGridError within a tenth of a second."""
    assert detect_format(text) is not None
    durations = []
    for _ in range(3):  # a busy machine only ever adds time
        start = process_time()
        with pytest.raises(InvalidGridError):
            [*(read_stored_puzzles(text) or ())]
        durations.append(process_time() - start)
    assert min(durations) < LIMIT


SCL_ROWS = ",".join(
    f"[{','.join(f'{{v:{d}}}' if d != '0' else '' for d in LINE[at : at + 9])}]"
    for at in range(0, 81, 9)
)
SCL_BOXES = ",".join(
    str([[3 * band + row, 3 * stack + column] for row in range(3) for column in range(3)])
    for band in range(3)
    for stack in range(3)
).replace(" ", "")
SCL = f"{{id:x,cs:50,ce:[{SCL_ROWS}],re:[{SCL_BOXES}],metadata:{{t:'It\\'s',author:'A, B'}}"


@pytest.mark.parametrize(
    "link",
    [
        "sudokupad.app/scl{}",
        "https://app.crackingthecryptic.com/sudoku/ctc{}",
        "https://sudokupad.app/sudoku/?puzzleid=scl{}",
        "https://beta.sudokupad.app/scl{}?setting-x=1",
    ],
)
def test_drawings_of_sudokupad(link: str) -> None:
    """Digits, boxes, cages and titles are read from SudokuPad drawings in all kinds of links."""
    cage = "ca:[{ce:[[0,0],[0,1]],v:8,unique:t},{v:'rules: Normal sudoku rules apply.'}]"
    stored = read_only_puzzle(link.format(quote(compress(f"{SCL},{cage}}}"))))
    assert (stored.title, stored.author, stored.notes) == ("It's", "A, B", ())
    assert stored.puzzle.to_text() == PUZZLE.to_text()
    assert stored.puzzle.variant.constraints == (Constraint("killer", (0, 1), 8),)
    assert stored.puzzle.variant.house_sets >= PUZZLE.variant.house_sets
    words = read_only_puzzle(
        link.format(quote(compress(f"{SCL},ca:[{{v:'rules: No knights.'}}]}}")))
    )
    assert words.notes == ("rules in words are not applied: 'No knights.'",)
    for drawing in (
        "l:[{wp:[[0,0],[1,1]],c:FF00FF,th:9}]",
        "u:[{ct:[1,1],c:#F}]",
        "ce:[[,{v:9}]]",
        "ca:[{ce:[[0,9]],v:8}]",
        "ca:[{ce:[[0,1]],v:x}]",
        "re:[[[0,0]]]",
        "o:[",
        "ca:5",
    ):
        with pytest.raises(InvalidGridError):
            read_only_puzzle(link.format(quote(compress(f"{SCL},{drawing}}}"))))


@pytest.mark.parametrize(
    ("start", "cell", "no_notes", "notes"),
    [
        ("version: 1&#10;", "{}|{}|{}|", "-", "2,8,9,"),
        ("version: 2\n", "{}|{}|{}|", "0", "386"),
        ("version: 4\n", "{}|0|{}|{}|", "0", "386"),
    ],
)
def test_games_of_opensudoku(start: str, cell: str, no_notes: str, notes: str) -> None:
    """Givens, entered digits and notes are read from games of OpenSudoku."""
    frame = '<opensudoku version="2"><folder><game data="{}"/></folder></opensudoku>'
    first, later_digits = LINE[0], LINE[1:]
    data = start + cell.format(first, notes, 1)
    data += "".join(cell.format(d, no_notes, int(d == "0")) for d in later_digits)
    stored, masks = read_only_puzzle(frame.format(data)), get_candidates(StoredPuzzle(PUZZLE))
    assert stored.puzzle == PUZZLE
    assert stored.candidates == (masks[0] & 0b110000010, *masks[1:])
    for wrong in (data[:-2], data + "0", data.replace("|1|", "|x|", 1), data.replace(": ", ": 9")):
        with pytest.raises(InvalidGridError):
            read_only_puzzle(frame.format(wrong))


def test_decorations_are_left_out_with_a_note() -> None:
    """Decorative lines are ignored with a note; flags that are off have no effect."""
    stored = read_only_puzzle(
        make_fpuzzles(line=[{"lines": [["R1C1"]]}], antiknight=False, thermometer=[])
    )
    assert stored.notes == ("'line' is left out",)
    assert stored.puzzle == PUZZLE


def test_text_carries_the_rule() -> None:
    """Lines have the rule of unmarked kinds as a comment, once, and tables have it as a column."""
    stored, rule = StoredPuzzle(SudokuPuzzle.empty(Variant.anti_knight())), "a knight's move apart"
    assert [rule in line for line in write_puzzles("line", stored, stored).splitlines()] == [
        True,
        0,
        0,
    ]
    assert write_puzzles("csv", stored, stored).count(rule) == 2
    assert "#" not in write_puzzles("line", StoredPuzzle(PUZZLE))


def test_other_rules_are_not_written_as_ordinary_ones() -> None:
    """Formats for ordinary puzzles refuse other rules, and f-puzzles refuses rules it lacks."""
    stored = StoredPuzzle(SudokuPuzzle.empty(Variant.x()))
    for name in {*WRITTEN} - {"fpuzzles", "f-puzzles-link", "sudokupad", "line", "csv"}:
        with pytest.raises(InvalidGridError, match="ordinary"):
            write_puzzles(name, stored)
    for variant in (Variant.samurai(), Variant.standard((5, 5)), Variant.array((2, 3, 2, 2))):
        with pytest.raises(InvalidGridError, match="no boards"):
            write_puzzles("fpuzzles", StoredPuzzle(SudokuPuzzle.empty(variant)))


# The compression of links, against vectors of the JavaScript library.


VECTORS = json.loads((Path(__file__).parent / "lzstring.json").read_text("utf-8"))["vectors"]


@pytest.mark.parametrize(("text", "packed"), VECTORS)
def test_vectors(text: str, packed: str) -> None:
    """Texts of all kinds, including long and non-BMP texts, are compressed as by lz-string."""
    assert compress(text) == packed
    assert decompress(packed) == decompress(packed.rstrip("=").replace("+", " ")) == text


@given(st.text(max_size=300))
def test_there_and_back(text: str) -> None:
    """Decompressing a compressed text gives the text."""
    assert decompress(compress(text)) == text


@given(st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", max_size=200))
def test_damage_is_one_error(packed: str) -> None:
    """Random symbols are either decompressed or raise InvalidGridError."""
    with suppress(InvalidGridError):
        decompress(packed)


def test_no_text_is_longer_than_puzzles_are() -> None:
    """Links that are, or decompress to, more than a megabyte are refused."""
    bomb = compress("a" * 2_000_000)
    assert len(bomb) < 10_000
    for packed in (bomb, "A" * 2**20, "\u00e9"):
        with pytest.raises(InvalidGridError, match="damaged"):
            decompress(packed)


@pytest.mark.parametrize("depth", [7, 8])
def test_arrays_are_nested_seven_deep_at_most(depth: int) -> None:
    """Deeper arrays hold no puzzles, and might be an attack."""
    nested = "x = " + "[" * depth + "1" + "]" * depth
    with pytest.raises(InvalidGridError, match="nested too deep") if depth > 7 else nullcontext():
        _find_arrays(nested)
