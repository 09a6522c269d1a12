"""Puzzles in formats of other programs and from web pages are read and written completely."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pytest

from sudokucrypt.errors import InvalidGridError, SudokucryptError
from sudokucrypt.sudoku import (
    SudokuPuzzle,
    Variant,
    count_solutions,
    make_puzzle,
    random_jigsaw,
    solutions,
    solve,
)
from sudokucrypt.sudoku.formats import StoredPuzzle, add_metadata, read_stored_puzzles
from sudokucrypt.sudoku.formats.columns import PUZZLE_NAMES
from sudokucrypt.sudoku.formats.links import compress, decompress
from sudokucrypt.sudoku.making.constrained import CONSTRAINT_MAKERS, make_constrained
from sudokucrypt.sudoku.model.constraints import Constraint
from tests.cli.conftest import Run
from tests.sudoku.formats.test_formats import (
    LINE,
    PUZZLE,
    make_fpuzzles,
    read_only_puzzle,
    write_puzzles,
)

DOTS = LINE.replace("0", ".")
ROWS = [LINE[at : at + 9] for at in range(0, 81, 9)]
CELLS = [[int(digit) for digit in row] for row in ROWS]
LEETCODE_ROWS = [[digit if digit != "0" else "." for digit in row] for row in ROWS]
SOLUTION = solve(PUZZLE).to_text()
FLIPPED_LINE = LINE.translate(str.maketrans("123456789", "987654321"))


def write_braces(value: object) -> str:
    """Return a list in the syntax of C and Java."""
    return str(value).replace("[", "{").replace("]", "}")


def read_link(link: str) -> dict[str, Any]:
    """Return the JSON in a link to SudokuPad."""
    fields: dict[str, Any] = json.loads(decompress(unquote(link.strip().partition("fpuzzles")[2])))
    return fields


@pytest.mark.parametrize("kind", CONSTRAINT_MAKERS)
def test_a_link_is_the_whole_puzzle(kind: str, run: Run) -> None:
    """The link in the JSON of `puzzle` contains givens, constraints, rules, title and solution."""
    puzzle_json = run(
        "sudoku puzzle --seed 2 --box 2x3 --format json --with-solution --constraints", kind
    )
    puzzle = json.loads(puzzle_json.out)
    linked_puzzle = read_link(puzzle["link"])
    digits = [cell.get("value", 0) for row in linked_puzzle["grid"] for cell in row]
    assert digits == [int(digit) for digit in puzzle["givens"].replace(".", "0")]
    assert linked_puzzle["solution"] == [int(digit) for digit in puzzle["solution"]]
    assert linked_puzzle["title"].endswith("Sudoku")
    assert len(linked_puzzle["title"]) > len("Sudoku")
    assert linked_puzzle["ruleset"].startswith("Normal sudoku rules apply. ")
    solved = run("sudoku solve -", stdin=puzzle["link"].encode())
    assert solved.sheets.strip() == puzzle["solution"]


def test_links_keep_texts_and_solutions(run: Run) -> None:
    """`convert` of a link keeps its title, author, rules and solution."""
    words = {"title": "T\u00e9", "author": "A", "rules": "Normal sudoku rules apply. Be kind."}
    puzzle_with_texts = add_metadata(StoredPuzzle(PUZZLE, solution=solve(PUZZLE)), words)
    text = write_puzzles("f-puzzles-link", puzzle_with_texts)
    assert read_only_puzzle(text) == puzzle_with_texts
    Path("link").write_text(text)
    second_link = read_only_puzzle(run("sudoku convert link --to sudokupad").out)
    assert second_link == puzzle_with_texts
    for form in ("sdk", "csv", "line"):
        out = run("sudoku convert link --to", form).out
        assert all(word in out for word in words.values())
    page = run("sudoku convert link --to html").out
    assert '"words": "Normal sudoku rules apply. Be kind."' in page
    Path("own.sdk").write_text(write_puzzles("sdk", puzzle_with_texts))
    assert read_only_puzzle(run("sudoku convert own.sdk --to fpuzzles").out) == puzzle_with_texts


def test_packed_links_are_those_of_the_javascript_library() -> None:
    """A link is the same as by lz-string 1.5.0 and encodeURIComponent in JavaScript."""
    puzzle = SudokuPuzzle.from_text("1.....2..3.....4")
    link = write_puzzles("sudokupad", StoredPuzzle(puzzle, title="Tiny", author="A/B"))
    assert link == (Path(__file__).parent / "tiny-link.txt").read_text("utf-8")
    assert read_only_puzzle(link).author == "A/B"


GAMES_WITH_TYPED_DIGITS = {
    "f-puzzles": make_fpuzzles(LINE).replace("{}", '{"value": 5}', 1),
    "opensudoku": '<opensudoku><game data="version: 1&#10;'
    + "".join(f"{d if n else 5}|-|{int(d == '0')}|" for n, d in enumerate(LINE))
    + '"/></opensudoku>',
    "hodoku": f":0000:x:+5{LINE[1:]}::::",
    "hodoku line": f"+5{LINE[1:]}",
    "sdk": "[Puzzle]\n" + "\n".join(ROWS) + f"\n[State]\n5{ROWS[0][1:]}\n" + "\n".join(ROWS[1:]),
    "sudokuwiki": "https://www.sudokuwiki.org/sudoku.htm?bd=S9B0e"
    + "".join(f"0{d}" if d != "0" else "ep" for d in LINE[1:]),
}


@pytest.mark.parametrize("name", GAMES_WITH_TYPED_DIGITS)
def test_typed_digits_are_no_givens(name: str, run: Run) -> None:
    """Digits that a player typed are no givens; a note counts them, and hints include them."""
    game = read_only_puzzle(GAMES_WITH_TYPED_DIGITS[name])
    assert game.puzzle == PUZZLE
    assert game.typed_digits == (5, *[0] * 80)
    assert any(note.startswith("1 typed digit is no given") for note in game.notes)
    assert game.position().number_of_givens == PUZZLE.number_of_givens + 1
    Path("game").write_text(GAMES_WITH_TYPED_DIGITS[name])
    result = run("sudoku solve game", says="1 typed digit")
    assert result.sheets.strip() == SOLUTION
    is_right = SOLUTION[0] == "5"
    run("sudoku solve game --hint", code=0 if is_right else 4)
    trace = run("sudoku solve game --trace").out
    assert ("5 in r1c1" not in trace) == is_right or not is_right


def test_a_wrong_typed_digit_is_named(run: Run) -> None:
    """`solve --hint` names a wrong typed digit; other commands ignore typed digits."""
    wrong_digit = next(d for d in "123456789" if d != SOLUTION[0])
    Path("game").write_text(make_fpuzzles(LINE).replace("{}", f'{{"value": {wrong_digit}}}', 1))
    result = run("sudoku solve game --hint", code=4)
    assert f"the digit {wrong_digit} that was typed into r1c1 is wrong" in result.err
    run("sudoku check game")


def test_outdated_marks_refuse_nothing(run: Run) -> None:
    """Pencil marks that contradict the givens are ignored with a note that names the cell."""
    given_digit = next(digit for digit in ROWS[0] if digit != "0")
    for pencil_marks, removed_marks in ((f"[{given_digit}]", ["r1c1"]), ('[0, "x", null, 99]', [])):
        stored = read_only_puzzle(
            make_fpuzzles(LINE).replace("{}", f'{{"centerPencilMarks": {pencil_marks}}}', 1)
        )
        assert stored.puzzle == PUZZLE
        assert [note.rpartition(": ")[2] for note in stored.notes] == removed_marks
    struck = " ".join(f"{digit}11" for digit in range(1, 10))
    library_puzzle = read_only_puzzle(f":0000:x:{LINE}:{struck}:::")
    assert library_puzzle.notes == ("outdated pencil marks are left out: r1c1",)
    game = '<game data="{}"/>'
    frame = f"<opensudoku>{game.format(LINE)}{game.format('12')}{game.format(LINE)}</opensudoku>"
    Path("games").write_text(frame)
    result = run("sudoku solve games", says="game 2: a game of OpenSudoku has 81 cells", code=4)
    assert result.sheets == f"{SOLUTION}\n{SOLUTION}\n"
    clashing_digits = "55" + LINE[2:]
    Path("games").write_text(
        f"<opensudoku>{game.format(clashing_digits)}{game.format(LINE)}</opensudoku>"
    )
    run("sudoku solve games", says="game 1: row 1 holds 5 twice", code=4)


@pytest.mark.parametrize(
    "prolog",
    ["", "<!-- mine -->", "<!DOCTYPE opensudoku>", '<?xml version="1.0" encoding="ISO-8859-1"?>\n'],
)
def test_unusual_beginnings_of_xml(prolog: str, run: Run) -> None:
    """XML with comments, document types without entities and other encodings is read."""
    text = f'{prolog}<opensudoku><name>Gr\u00f6\u00dfe</name><game data="{LINE}"/></opensudoku>'
    Path("game").write_bytes(text.encode("latin-1" if "8859" in prolog else "utf-8"))
    assert run("sudoku convert game --to sdk").out.startswith("#DGr\u00f6\u00dfe")


@pytest.mark.parametrize("box", [(1, 5), (1, 7), (2, 3), (3, 2), (2, 4), (4, 2), (2, 5), (3, 4)])
def test_boards_without_square_boxes(box: tuple[int, int], run: Run) -> None:
    """A puzzle with boxes of any shape is converted to a link, and solved from this link."""
    puzzle_and_solution = make_puzzle(3, sheet=Variant.standard(box), minimal=False)
    link = write_puzzles("sudokupad", StoredPuzzle(puzzle_and_solution.puzzle))
    assert read_only_puzzle(link).puzzle == puzzle_and_solution.puzzle
    solved = run("sudoku solve -", stdin=link.encode())
    assert solved.out.strip() == puzzle_and_solution.solution.to_text()
    assert json.loads(run("sudoku solve", link.strip(), "--format", "json").out)["box"] == [*box]


@pytest.mark.parametrize("options", [(), ("--box", "2x3"), ("--box", "2x4")])
def test_jigsaws_go_through_links(options: tuple[str, ...], run: Run) -> None:
    """A generated jigsaw, read from stdin, can be converted to a link and solved."""
    command = ("sudoku", "puzzle", "--jigsaw", "--seed", "4", "--no-rating", "--format", "json")
    puzzle_json = run(*command, "--with-solution", *options).out
    link = run("sudoku convert - --to sudokupad", stdin=puzzle_json.encode()).out
    solved = run("sudoku solve -", stdin=link.encode())
    assert solved.out.strip() == json.loads(puzzle_json)["solution"]


def test_rules_around_a_jigsaw_are_kept() -> None:
    """Regions and an anti-knight rule in a file are both read; formats without rules refuse it."""
    variant = random_jigsaw(1, order=6)
    knights = variant.with_houses(
        "Anti-knight",
        [h for h in Variant.anti_knight((2, 3)).houses if h.name.startswith("knight")],
        Variant.anti_knight().rule,
    )
    empty_puzzle = StoredPuzzle(SudokuPuzzle.empty(knights))
    assert (
        read_only_puzzle(write_puzzles("fpuzzles", empty_puzzle)).puzzle.variant.house_sets
        == knights.house_sets
    )
    for name in ("line", "csv"):
        with pytest.raises(InvalidGridError, match="regions"):
            write_puzzles(name, empty_puzzle)


def test_disjoint_groups_of_other_boxes_are_refused() -> None:
    """Disjoint groups with other boxes cannot be written, since f-puzzles implies square boxes."""
    for box, message in (((2, 4), None), ((4, 2), "no rule like disjoint group")):
        empty_puzzle = StoredPuzzle(SudokuPuzzle.empty(Variant.disjoint_groups(box)))
        if message is None:
            assert (
                read_only_puzzle(write_puzzles("fpuzzles", empty_puzzle)).puzzle
                == empty_puzzle.puzzle
            )
        else:
            with pytest.raises(InvalidGridError, match=message):
                write_puzzles("fpuzzles", empty_puzzle)


PASTED_TEXTS = {
    "leetcode": json.dumps(LEETCODE_ROWS),
    "leetcode, quoted rows": json.dumps([row.replace("0", ".") for row in ROWS]),
    "python": f"board = {CELLS}",
    "python, spread": "grid = [\n" + "".join(f"    {row},\n" for row in CELLS) + "]\n",
    "python, quotes": f"sudoku = {LEETCODE_ROWS}",
    "python, numpy": f"x = np.array({CELLS}, dtype=np.int8)",
    "python, none": f"[{', '.join(str(row) for row in CELLS)}]".replace("0", "None"),
    "numpy, printed": str(np.array(CELLS)),
    "numpy, floats": str(np.array(CELLS, dtype=float)),
    "numpy, repr": repr(np.array(CELLS)),
    "c": f"int grid[9][9] = {write_braces(CELLS)};",
    "c, comments": f"// mine\nconst int g[N][N] = {write_braces(CELLS)}; // end",
    "c, bare": f"{write_braces(CELLS)[:-1]}}};",
    "java": f"int[][] board = new int[][] {write_braces(CELLS)};",
    "c++": f"std::vector<std::vector<char>> board = {write_braces(LEETCODE_ROWS)};",
    "object": json.dumps({"board": CELLS}),
    "object, python": str({"board": CELLS}),
    "object, wrapped": json.dumps(
        {"newboard": {"grids": [{"value": CELLS, "difficulty": "Easy"}], "results": 1}}
    ),
    "object, flat": json.dumps({"mission": 1, "puzzle": [d for row in CELLS for d in row]}),
    "title": "My puzzle\n" + "\n".join(ROWS),
    "title, percent": "% mine - medium\n" + "\n".join(ROWS),
    "title, slashes": "// mine\n" + "\n".join(ROWS),
    "title, blank": "Puzzle 1:\n\n" + "\n".join(ROWS),
    "title, ruled": "Mine:\n" + PUZZLE.pretty(),
    "ruler": "123456789\n" + "\n".join(ROWS),
    "rule below": "\n".join(ROWS) + "\n=========",
    "trailer": "\n".join(ROWS) + "\n\ndifficulty: hard",
    "crosses": "Mine\n" + "\n".join(ROWS).replace("0", "X"),
    "euler": "Grid 01\n" + "\n".join(ROWS),
    "seed": "".join("zABCDEFGHI"[int(digit)] for digit in LINE),
    "address": f"https://example.org/play?level=3&p={LINE}#top",
    "address, dots": f"http://example.org/{DOTS}",
}


@pytest.mark.parametrize("name", PASTED_TEXTS)
def test_pasted_puzzles(name: str, run: Run) -> None:
    """Pasted puzzles in many notations are read from an argument and from a file."""
    for source in (PASTED_TEXTS[name], "file"):
        Path("file").write_text(PASTED_TEXTS[name])
        result = run("sudoku solve", source)
        assert result.out.strip() == SOLUTION


def test_several_grids_with_titles(run: Run) -> None:
    """Fifty grids with titles, as in Project Euler's problem 96, are read; messages name lines."""
    flipped_rows = [FLIPPED_LINE[start : start + 9] for start in range(0, 81, 9)]
    text = "\n".join(
        ["Grid 01", *ROWS, "Grid 02", *flipped_rows, "Grid 03", "11" + ROWS[0][2:], *ROWS[1:]]
    )
    result = run("sudoku solve -", stdin=text.encode(), says="line 22: row 1 holds 1 twice", code=4)
    assert result.out.split() == [SOLUTION, solve(FLIPPED_LINE).to_text()]


@pytest.mark.parametrize(
    "link",
    [
        "sudokupad.app/sclera",
        "https://sudokupad.app/abc123",
        "https://f-puzzles.com/?id=y3abc",
        "https://tinyurl.com/yc4",
        "http://localhost:8000/?p=12",
        "https://www.sudokuwiki.org/sudoku.htm",
    ],
)
def test_addresses_without_a_puzzle(link: str) -> None:
    """A URL without a puzzle in it leads to an error that says to open the page."""
    with pytest.raises(InvalidGridError, match="does not contain its puzzle") as caught:
        read_only_puzzle(link)
    assert "copy its long link" in (caught.value.hint or "")


def test_a_lost_slash_is_repaired() -> None:
    """A link in which // became / is still read; our own links contain no slash."""
    link_start, packed_puzzle = write_puzzles(
        "sudokupad", StoredPuzzle(PUZZLE, title="\uffff")
    ).split("fpuzzles")
    assert "/" not in packed_puzzle
    assert "//" in unquote(packed_puzzle)
    damaged_text = unquote(packed_puzzle).replace("//", "/", 1)
    assert read_only_puzzle(f"{link_start}fpuzzles{damaged_text}") == read_only_puzzle(
        f"{link_start}fpuzzles{packed_puzzle}"
    )


@pytest.mark.parametrize(
    ("rule", "note"),
    [
        ({"arrow": [{"cells": ["R1C1"], "lines": []}]}, "'arrow'"),
        ({"arrow": [{"cells": ["R1C1"], "lines": [["R1C1"]]}]}, "'arrow'"),
        ({"thermometer": [{"lines": [["R1C1"]]}]}, "'thermometer'"),
        ({"betweenline": [{"lines": [["R1C1", "R1C2"]]}]}, "'betweenline'"),
        ({"sandwichsum": [{"cell": "R0C5"}]}, "'sandwichsum'"),
        (
            {"littlekillersum": [{"cell": "R0C4", "direction": "DL", "value": ""}]},
            "'littlekillersum'",
        ),
        ({"quadruple": [{"cells": ["R1C1", "R1C2", "R2C1", "R2C2"], "values": []}]}, "'quadruple'"),
        ({"xv": [{"cells": ["R1C1", "R1C2"], "value": ""}]}, "'xv'"),
        ({"killercage": [{"cells": [], "value": "5"}]}, "'killercage'"),
    ],
)
def test_constraints_without_effect(rule: dict[str, Any], note: str) -> None:
    """A constraint without a value or cells is ignored with a note, as in other solvers."""
    puzzle = read_only_puzzle(make_fpuzzles(LINE, **rule))
    assert puzzle.puzzle == PUZZLE
    assert puzzle.notes == (f"clues of {note} that say nothing are left out: 1",)


def test_a_missing_ratio_dot_rules_out_the_ratios_in_use() -> None:
    """With a ratio dot of 3, neighbors without a dot have neither the ratio 1:2 nor 1:3."""
    variant = Variant.standard((2, 2))
    neighbor_pairs = [(n, n + 1) for n in range(16) if n % 4 < 3] + [(n, n + 4) for n in range(12)]

    def is_ratio(a: int, b: int, *values: int) -> bool:
        return any(a == k * b or b == k * a for k in values)

    grids = [(grid.givens + 1).tolist() for grid in solutions(SudokuPuzzle.empty(variant))]
    assert len(grids) == 288
    for cells in ((0, 1), (1, 2)):
        rule = variant.with_constraints(Constraint("ratio", cells, 3), Constraint("negative-ratio"))
        expected = sum(
            is_ratio(grid[cells[0]], grid[cells[1]], 3)
            and not any(
                is_ratio(grid[a], grid[b], 2, 3) for a, b in neighbor_pairs if (a, b) != cells
            )
            for grid in grids
        )
        assert count_solutions(rule) == expected


def test_metadata_of_sudokupad_become_rules() -> None:
    """Anti-knight and anti-king are read from metadata, and cages that may repeat digits."""
    drawing = {
        "cells": [[{}] * 9] * 9,
        "cages": [
            {"cells": [[0, 0], [0, 1]], "value": 8, "unique": False},
            {"cells": [[1, 1], [1, 2]], "unique": False},
            {"cells": [[3, 3], [3, 4]], "value": "5"},
        ],
        "metadata": {"antiknight": True, "antiking": "true", "title": "X", "solution": "1" * 81},
    }
    text = json.dumps(drawing)
    for stored in (
        read_only_puzzle(text),
        read_only_puzzle("sudokupad.app/scl" + quote(compress(text), safe="")),
    ):
        names = {house.name.split(" ")[0] for house in stored.puzzle.variant.houses}
        assert {"knight's", "king's"} <= names
        assert stored.puzzle.variant.constraints == (
            Constraint("sum", (0, 1), 8),
            Constraint("killer", (30, 31), 5),
        )
        assert (stored.title, stored.solution) == ("X", None)


COLLECTIONS = {
    "strings": json.dumps([LINE, FLIPPED_LINE]),
    "objects": json.dumps([{"puzzle": LINE}, {"quiz": FLIPPED_LINE}]),
    "indented": json.dumps([{"puzzle": LINE}, {"puzzle": FLIPPED_LINE}], indent=1),
    "wrapped": json.dumps({"puzzles": [{"puzzle": LINE}, {"puzzle": FLIPPED_LINE}]}),
    "wrapped strings": json.dumps({"name": "mine", "puzzles": [LINE, FLIPPED_LINE]}),
    "wrapped arrays": json.dumps({"boards": [CELLS, FLIPPED_LINE]}),
    "pandas columns": json.dumps(
        {"quizzes": {"0": LINE, "1": FLIPPED_LINE}, "n": {"0": 1, "1": 2}}
    ),
    "pandas list": json.dumps({"puzzle": [LINE, FLIPPED_LINE], "solution": [SOLUTION, SOLUTION]}),
    "pandas split": json.dumps(
        {"columns": ["puzzle", "rating"], "index": [0, 1], "data": [[LINE, 1], [FLIPPED_LINE, 2]]}
    ),
    "pandas index": json.dumps({"0": {"puzzle": LINE}, "1": {"puzzle": FLIPPED_LINE}}),
    "pandas table": json.dumps(
        {"schema": {"fields": []}, "data": [{"puzzle": LINE}, {"puzzle": FLIPPED_LINE}]}
    ),
    "lines": "".join(json.dumps({"givens": line}) + "\n" for line in (LINE, FLIPPED_LINE)),
    "pairs": json.dumps([[LINE, SOLUTION], [FLIPPED_LINE, solve(FLIPPED_LINE).to_text()]]),
    "programs": f"a = {CELLS}\nb = {[[10 - d if d else 0 for d in row] for row in CELLS]}",
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_collections_in_json(name: str, run: Run) -> None:
    """JSON with two puzzles, nested in any way, is read as two puzzles by each command."""
    Path("two.json").write_text(COLLECTIONS[name])
    assert run("sudoku solve two.json").out.split() == [SOLUTION, solve(FLIPPED_LINE).to_text()]
    assert run("sudoku check two.json").out.count("with one solution") == 2
    assert len(run("sudoku rate two.json").out.splitlines()) == 2
    assert run("sudoku convert two.json --to line").out.split() == [
        DOTS, FLIPPED_LINE.replace("0", ".")
    ]  # fmt: skip
    if name != "programs":
        audited = run("sudoku audit two.json", code=None).out
        assert "rows: 2, readable puzzles: 2" in audited


@pytest.mark.parametrize("column", PUZZLE_NAMES)
def test_all_commands_know_the_same_columns(column: str, run: Run) -> None:
    """`solve` and `audit` know the same names of columns, in tables and in JSON."""
    Path("in.csv").write_text(f"id,{column}\n7,{LINE}\n")
    Path("in.json").write_text(json.dumps([{"id": 7, column.upper(): LINE}] * 1))
    for name in ("in.csv", "in.json"):
        assert run("sudoku solve", name).out.strip() == SOLUTION
        assert "readable puzzles: 1" in run("sudoku audit", name).out


@pytest.mark.parametrize("text", ["24 cells", "x" * 24, "My puzzle", "[1, 2", "{'a': 1}", "[[]]"])
def test_errors_name_what_would_be_read(text: str, run: Run) -> None:
    """Text that is not a puzzle is refused without an internal error; the hint names readable
    formats."""
    result = run("sudoku solve", text, code=4)
    assert "cells are not a grid" not in result.err
    assert "unexpected" not in result.err


def test_read_stored_stops_at_the_first_error() -> None:
    """`read_stored` yields the puzzles before the first unreadable one, then raises its error."""
    puzzles = read_stored_puzzles(json.dumps([LINE, "12"]))
    assert puzzles is not None
    assert next(puzzles).puzzle == PUZZLE
    with pytest.raises(SudokucryptError):
        next(puzzles)


def test_made_puzzles_of_one_solution_only() -> None:
    """A link of a puzzle with several solutions contains no solution."""
    ambiguous_puzzle = StoredPuzzle(SudokuPuzzle.empty(Variant.standard((2, 2))))
    assert "solution" not in json.loads(write_puzzles("fpuzzles", ambiguous_puzzle))
    puzzle_and_solution = make_constrained(1, kind="killer", box=(2, 2))
    written_puzzle = json.loads(write_puzzles("fpuzzles", StoredPuzzle(puzzle_and_solution.puzzle)))
    assert written_puzzle["solution"] == (puzzle_and_solution.solution.givens + 1).tolist()


def test_an_audit_of_a_leak_fails(run: Run) -> None:
    """`audit --against` fails if the solutions of a test file are in the training file."""
    Path("train.json").write_text(json.dumps([{"puzzle": LINE, "solution": SOLUTION}]))
    fewer_givens = "." * 9 + SOLUTION[9:]
    Path("test.txt").write_text(f"{fewer_givens}\n")
    run("sudoku audit test.txt")
    result = run("sudoku audit test.txt --against train.json", code=4)
    assert "faults: solution-against (1)" in result.out
