"""Audits: each planted fault is found, and no other faults are reported."""

import io
import json
from contextlib import suppress
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from numpy.typing import ArrayLike

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku import Symmetry, make_puzzles, seeded_draws
from sudokucrypt.sudoku.datasets.auditing import audit
from sudokucrypt.sudoku.datasets.columns import find_pair
from sudokucrypt.sudoku.datasets.rows import PuzzleFile
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.typing import AnyArray, IntArray

MADE = make_puzzles(6, 1)
PUZZLE, SOLUTION = (sheet.to_text() for sheet in MADE[0])
OTHERS = [puzzle.to_text() for puzzle, _ in MADE[1:]]
GIVEN, OPEN = min(map(PUZZLE.index, "123456789")), PUZZLE.index(".")
CELLS = np.array([int(symbol) for symbol in PUZZLE.replace(".", "0")]).reshape(9, 9)


def format_line(cells: ArrayLike) -> str:
    """Return the line form of digits."""
    return "".join(map(str, np.asarray(cells).ravel().tolist())).replace("0", ".")


def list_faults(content: str | bytes, against: str | None = None) -> list[str]:
    """Return all faults of a text as sentences."""
    data = content.encode() if isinstance(content, str) else content
    other_file = None if against is None else io.BytesIO(against.encode())
    return [str(fault) for fault in audit(io.BytesIO(data), against=other_file)]


def replace_cell(text: str, cell: int, symbol: str) -> str:
    """Return a text with another symbol in a cell."""
    return text[:cell] + symbol + text[cell + 1 :]


def remove_givens(count: int) -> str:
    """Return the puzzle without its first givens."""
    text = PUZZLE
    for _ in range(count):
        text = replace_cell(text, next(at for at in range(81) if text[at] != "."), ".")
    return text


EXCHANGED = SOLUTION.translate(str.maketrans("12", "21"))
ROWS = [1, 0, 2, 3, 4, 5, 6, 7, 8]
BANDS = [3, 4, 5, 0, 1, 2, 6, 7, 8]
STRANGE = MADE[1].solution.to_text()
FIRST = next(at for at in range(81) if PUZZLE[at] not in (".", STRANGE[at]))
POSITION = f"r{FIRST // 9 + 1}c{FIRST % 9 + 1}"
PLANTED: dict[str, tuple[str | bytes, str]] = {
    "too short": (PUZZLE[:-1], "has 80 symbols, not 81"),
    "too long": (PUZZLE + "1", "has 82 symbols, not 81"),
    "another size": ("1.....2..3.....4", "has 16 symbols, not 81"),
    "wrong symbol": (replace_cell(PUZZLE, OPEN, "x"), f"unknown symbol 'x' at position {OPEN + 1}"),
    "foreign digit": (
        replace_cell(PUZZLE, OPEN, "٣"),
        f"unknown symbol '٣' at position {OPEN + 1}",
    ),
    "no text": (PUZZLE.encode() + b"\xff", "is not text"),
    "long": ("." * 100_000, "has 100000 symbols"),
    "endless": ("." * 1_100_000, "is not text, or too long"),
    "twice in a row": ("5...5" + "." * 76, "5 twice in row 1"),
    "twice in a column": ("5" + "." * 26 + "5" + "." * 53, "5 twice in column 1"),
    "twice in a box": ("5" + "." * 9 + "5" + "." * 70, "5 twice in box 1"),
    "no solution": ("12345678." + "." * 17 + "9" + "." * 54, "has no solution"),
    "an unlucky given": (
        replace_cell(PUZZLE, OPEN, next(d for d in "123456789" if d != SOLUTION[OPEN])),
        "",
    ),
    "several": (remove_givens(1), "solutions"),
    "many": (remove_givens(15), "more than 100 solutions"),
    "empty": ("." * 81, "more than 100 solutions"),
    "short solution": (f"{PUZZLE},{SOLUTION[:-1]}", "a solution with 80 symbols, not 81"),
    "open solution": (f"{PUZZLE},{replace_cell(SOLUTION, 4, '0')}", "the symbol '0' at position 5"),
    "no grid": (f"{PUZZLE},{SOLUTION[0] * 2}{SOLUTION[2:]}", f"{SOLUTION[0]} twice in row 1"),
    "contradiction": (f"{PUZZLE},{EXCHANGED}", "contradicts the given"),
    "of another puzzle": (f"{PUZZLE}:1:{STRANGE}", f"with {STRANGE[FIRST]} in {POSITION}, which"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted(name: str) -> None:
    """A faulty line among good lines is reported with its number and fault."""
    content, text = PLANTED[name]
    data = content if isinstance(content, bytes) else content.encode()
    good_lines = "\n".join(OTHERS).encode()
    faults = list_faults(good_lines + b"\n" + data + b"\n" + SOLUTION.encode())
    assert [fault.startswith("line 6 ") for fault in faults] == [True]
    assert text in faults[0]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("relabeled", np.where(CELLS > 0, 10 - CELLS, 0)),
        ("transposed", CELLS.T),
        ("rows exchanged", CELLS[ROWS]),
        ("columns exchanged", CELLS[:, ROWS]),
        ("bands exchanged", CELLS[BANDS]),
        ("stacks exchanged", CELLS[:, BANDS]),
        ("turned", np.rot90(CELLS)),
    ],
)
def test_symmetric_duplicates(name: str, cells: IntArray) -> None:
    """A puzzle and its image under a symmetry are reported as duplicates, in one file and across
    two."""
    del name
    text = "\n".join([PUZZLE, *OTHERS, format_line(cells)])
    assert list_faults(text) == ["line 7 is the same as line 1 up to symmetry"]
    other_fault = "line 1 is the same as line 7 of the other file up to symmetry"
    assert list_faults(
        format_line(cells[:, ::-1]), "\n".join([*OTHERS, "", format_line(cells)])
    ) == [other_fault]


def test_exact_duplicates() -> None:
    """Equal puzzles with different symbols for open cells are duplicates of the first of them."""
    zeros = PUZZLE.replace(".", "0")
    text = "\n".join([PUZZLE, format_line(CELLS.T), zeros, format_line(CELLS.T)])
    assert list_faults(text, f"{PUZZLE}\n") == [
        "line 1 is the same as line 1 of the other file",
        "line 2 is the same as line 1 up to symmetry",
        "line 2 is the same as line 1 of the other file up to symmetry",
        "line 3 is the same as line 1",
        "line 3 is the same as line 1 of the other file",
        "line 4 is the same as line 2",
        "line 4 is the same as line 1 of the other file up to symmetry",
    ]


def test_classes_of_several_solutions() -> None:
    """Equivalent puzzles with a few solutions are duplicates; puzzles without solution only if
    equal."""
    several = remove_givens(1)
    cells = np.array([int(symbol) for symbol in several.replace(".", "0")]).reshape(9, 9)
    faults = list_faults(f"{several}\n{format_line(cells.T)}\n")
    assert faults[-1] == "line 2 is the same as line 1 up to symmetry"


def test_most_symmetric_solution() -> None:
    """Puzzles of the grid with 648 automorphisms are duplicates only if they are equivalent."""
    grid = SudokuPuzzle.from_text(
        "123456789456789123789123456231564897564897231897231564312645978645978312978312645"
    )
    pairs = make_puzzles(2, 3, sheet=grid)
    lines = [puzzle.to_text() for puzzle, _ in pairs]
    source = seeded_draws(5)
    lines += [Symmetry.random((3, 3), source).apply(pairs[0].puzzle).to_text() for _ in range(5)]
    faults = [f"line {line} is the same as line 1 up to symmetry" for line in range(3, 8)]
    assert list_faults("\n".join(lines)) == faults


FORMS = {
    "CR LF": (f"{PUZZLE}\r\n{OTHERS[0]}\r\n".encode(), "lines end in CR LF"),
    "CR": (f"{PUZZLE}\r{OTHERS[0]}\r".encode(), "lines end in CR"),
    "mixed": (f"{PUZZLE}\r\n{OTHERS[0]}\n".encode(), "lines end in LF and CR LF"),
    "mark": (f"{PUZZLE}\n{OTHERS[0]}".encode("utf-8-sig"), "byte order mark"),
    "UTF-16": (f"{PUZZLE}\n{OTHERS[0]}".encode("utf-16"), "UTF-16"),
    "blank": (f"{PUZZLE}\n\n\n{OTHERS[0]}\n".encode(), "blank lines: 2, the first is line 2"),
    "comment": (f"# a\n{PUZZLE}\n{OTHERS[0]}\n".encode(), "begin with #: 1"),
    "full": (f"{SOLUTION}\n{PUZZLE}".encode(), "without an open cell: 1"),
    "header": (f"id,quizzes\n1,{PUZZLE}\n2,{OTHERS[0]}\n".encode(), "line 1 names the columns"),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_text(name: str) -> None:
    """Unusual line ends, encodings, comments and blank lines give remarks, but no faults."""
    data, remark = FORMS[name]
    result = audit(io.BytesIO(data))
    assert (result.unique, [*result]) == (2, [])
    assert remark in "\n".join(result.remarks)


def test_kinds_of_rows(tmp_path: Path) -> None:
    """Puzzles and solutions are found in tables, JSON, lines with notes, puzzle banks and
    arrays."""
    rows = [
        f"{PUZZLE},{SOLUTION}",
        f"{PUZZLE}:1:{SOLUTION}",
        f"0000183b305c {PUZZLE}  1.2",
        f"{PUZZLE} # note {SOLUTION}",
        ",".join(PUZZLE + SOLUTION).replace(".", "0"),
        json.dumps({"question": PUZZLE, "answer": SOLUTION}),
        json.dumps({"puzzle": CELLS.tolist(), "solution": [int(d) for d in SOLUTION]}),
        f'source;puzzle;solution\na;"{PUZZLE}";"{SOLUTION}"',
        f'name,puzzle,solution\n"a, b","{PUZZLE}",{SOLUTION}',
        f"solution\tpuzzle\n{SOLUTION}\t{PUZZLE}",
    ]
    for text in rows:
        result = audit(io.BytesIO(text.encode()))
        assert (result.unique, result.solved, [*result]) == (1, "305c" not in text, [])
    text = f'{{"quiz": "{PUZZLE}"}}\n{{"quiz": "{PUZZLE}\n{{"grids": 1}}\n7'
    assert list_faults(text) == [f"line {line} has no puzzle" for line in (2, 3, 4)]
    text = f"puzzle,solution\n{PUZZLE}\n,\n"
    assert list_faults(text) == [
        "line 2 has a solution with 0 symbols, not 81",
        "line 3 has no puzzle",
    ]
    fields = [("answer", "u1", (9, 9)), ("id", "i4"), ("puzzle", "i2", (81,))]
    table = np.zeros(3, dtype=fields)
    table["puzzle"], table["answer"] = CELLS.ravel(), 1
    table["puzzle"][2, 3] = 300
    table["answer"][0] = np.array([*map(int, SOLUTION)]).reshape(9, 9)
    path = tmp_path / "table.npy"
    np.save(path, table)
    assert [str(fault) for fault in audit(path)] == [
        "line 2 has a solution with 1 twice in row 1",
        "line 2 is the same as line 1",
        "line 3 has the unknown symbol '?' at position 4",
    ]
    np.save(path, CELLS[None])
    assert audit(path, against=path).faults.total() == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\x93NUMPY\x01\x00", "damaged array"),
        (b"a\0b\0", "not text"),
        (b"\x1f\x8b\x08\0", "not text"),
        (b"", "no puzzle"),
        (b"\n# none\n", "no puzzle"),
    ],
)
def test_no_collection(content: bytes, text: str, tmp_path: Path) -> None:
    """Files that are neither text nor an array of puzzles are refused."""
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InvalidGridError, match=text):
        audit(path)


@pytest.mark.parametrize(
    "array", [np.zeros((2, 16), int), np.zeros(81), np.array({}, dtype=object)]
)
def test_no_puzzles_in_arrays(array: AnyArray, tmp_path: Path) -> None:
    """Arrays of other shapes and types, and truncated arrays, are refused."""
    path = tmp_path / "a.npy"
    np.save(path, array, allow_pickle=True)
    with pytest.raises(InvalidGridError):
        audit(path)
    np.save(path, np.zeros((5, 81), dtype=np.uint8))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidGridError, match="last row"):
        audit(path)


def test_long_rows() -> None:
    """Rows with many steps are read, and blocks of long rows contain fewer rows."""
    steps = ["step"] * 20_000
    line = json.dumps({"puzzle": PUZZLE, "steps": steps})
    assert list_faults(f"{line}\n{line}") == ["line 2 is the same as line 1"]
    texts = "\n".join(["." * 1_000_000] * 40).encode()
    sizes = [len(block) for block in PuzzleFile(io.BytesIO(texts), "long").blocks(1000)]
    assert sizes == [17, 17, 6]


def test_counts() -> None:
    """Givens, ratings, techniques, classes and shared solutions are counted."""
    text = "\n".join([PUZZLE, format_line(CELLS.T), *OTHERS])
    stream = io.BytesIO(text.encode())
    result = audit(stream, against=io.BytesIO(SOLUTION.encode()), rate=True)
    assert not stream.closed
    assert (result.rows, result.unique, result.classes, result.solution_classes) == (7, 7, 6, 6)
    assert (result.against, result.shared_solutions) == (1, 2)
    assert result.ratings is not None
    assert result.givens.total() == result.ratings.ratings.total() == 7
    assert result.ratings.techniques["hidden single"] == 7


def test_puzzles_among_words() -> None:
    """A puzzle is found after many words; if no word looks like one, the longest word is used."""
    notes = " ".join(["x", *["word"] * 80])
    assert find_pair(f"{notes} {PUZZLE}") == (PUZZLE, None)
    assert find_pair(" ".join(PUZZLE) + f" {SOLUTION}") == (PUZZLE, SOLUTION)
    assert find_pair("12 of 1234567 left").puzzle == "1234567"


def _make_case(count: int) -> tuple[IntArray, IntArray]:
    """Return puzzles and their solutions, no two of which are equivalent."""
    pairs = make_puzzles(count, 1)
    sheets = [np.array([pair[part].givens + 1 for pair in pairs]) for part in (0, 1)]
    return sheets[0], sheets[1]


@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("dtype", ["u1", "i8"])
def test_archives_and_digits_that_are_one_too_high(shift: int, dtype: str, tmp_path: Path) -> None:
    """Arrays named puzzles and solutions are read together, also with digits 2 to 10 as in HRM and
    TRM."""
    puzzles, solutions = _make_case(4)
    cells = [(part + shift).astype(dtype) for part in (puzzles, solutions)]
    path = tmp_path / "made.npz"
    np.savez_compressed(path, inputs=cells[0], labels=cells[1].reshape(-1, 9, 9), note=[1])
    result = audit(path)
    assert (result.rows, result.unique, result.solved) == (4, 4, 4)
    assert [*result] == []
    assert bool(result.remarks) == bool(shift)
    np.save(tmp_path / "made.npy", cells[0])
    assert audit(tmp_path / "made.npy").unique == 4
    np.savez(path, other=cells[0])
    assert audit(path).unique == 4
    np.savez(path, one=cells[0], two=cells[1])
    with pytest.raises(InvalidGridError, match="no array of puzzles") as error_info:
        audit(path)
    assert error_info.value.hint == "call one 'puzzles', as in np.savez"
    with ZipFile(path, "w") as archive:
        archive.writestr("puzzles.txt", "1")
    with pytest.raises(InvalidGridError, match="no array of puzzles") as error_info:
        audit(path)
    assert error_info.value.hint == "unpack it first"


def test_damaged_arrays_are_one_error(tmp_path: Path) -> None:
    """A truncated or changed .npy or .npz file raises InvalidGridError and no other error."""
    puzzles, solutions = _make_case(2)
    draws = seeded_draws(5)
    np.save(tmp_path / "a.npy", puzzles)
    np.savez_compressed(tmp_path / "a.npz", puzzles=puzzles, solutions=solutions)
    for name in ("a.npy", "a.npz"):
        content = (tmp_path / name).read_bytes()
        for _ in range(150):
            data = bytearray(content)
            index = draws.below(min(len(data), 300))
            data[index : index + draws.below(3)] = bytes([draws.below(256)] * draws.below(3))
            with suppress(InvalidGridError):
                audit(io.BytesIO(bytes(data)), threads=1)
    header = b"\x93NUMPY\x01\x00\x10\x00{'descr': '<i8' \n"  # cut inside of its dictionary
    with pytest.raises(InvalidGridError, match="damaged"):
        audit(io.BytesIO(header))


def test_solutions_of_the_other_file_are_faults(tmp_path: Path) -> None:
    """Test puzzles with solutions of the training file are faults, also if only equivalent."""
    puzzles, solutions = _make_case(3)
    train, test = tmp_path / "train.csv", tmp_path / "test.txt"
    train.write_text(f"puzzle,solution\n{format_line(puzzles[0])},{format_line(solutions[0])}\n")
    transposed = solutions[0].reshape(9, 9).T.ravel()
    test.write_text(format_line(np.where(np.arange(81) > 8, transposed, 0)) + "\n")
    assert [*audit(test)] == []
    (fault,) = audit(test, against=train)
    assert str(fault) == "line 1 has the solution of line 2 of the other file up to symmetry"
    test.write_text(f"{format_line(puzzles[1])}\n{format_line(puzzles[2])}\n")
    assert [*audit(test, against=train)] == []
    assert [fault.kind.label for fault in audit(train, against=train)] == ["duplicate-against"]


def test_an_array_of_json_is_many_rows() -> None:
    """A JSON array on one line has a row for each puzzle, with its solution and faults."""
    rows = [
        {"quiz": PUZZLE, "ANSWER": SOLUTION},
        {"quiz": "11" + PUZZLE[2:]},
        {"quiz": PUZZLE[:80]},
    ]
    json_text = json.dumps(rows)
    for text in (json_text, json.dumps({"data": rows}, indent=2), f"\ufeff{json_text}"):
        result = audit(io.BytesIO(text.encode()))
        assert (result.rows, result.puzzles, result.solved) == (3, 2, 1)
        assert [str(fault) for fault in result] == [
            "line 2 has 1 twice in row 1",
            "line 3 has 80 symbols, not 81",
        ]
    for wrong in ("[" * 5000, '[{"puzzle": ', "[1, 2, 3]"):
        with pytest.raises(InvalidGridError):
            audit(io.BytesIO(wrong.encode()))


@pytest.mark.parametrize(
    ("data", "hint"), [(b"\x1f\x8b\x08\0" * 9, "unpack it first"), (b"text\0" * 9, None)]
)
def test_files_that_are_no_text_are_refused(data: bytes, hint: str | None) -> None:
    """Only a file that is packed is to be unpacked."""
    with pytest.raises(InvalidGridError, match="is not text") as caught:
        audit(io.BytesIO(data))
    assert caught.value.hint == hint
