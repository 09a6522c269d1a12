"""Record what the engine makes, draws, writes, reads and says: sentences, numbers and digests.

That results are right is shown where definitions and references are; records show that none moves.
After a change that is wanted, run this file with ``--update``, and read the differences.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import sha256
from inspect import signature
from io import BytesIO
from itertools import product
from pathlib import Path
from string import ascii_letters
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pytest

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.sudoku import (
    CONSTRAINTS,
    PATTERNS,
    VARIANTS,
    SudokuArray,
    SudokuPuzzle,
    Technique,
    Variant,
    VariantKind,
    anagram_index,
    anagrams,
    array_by_search,
    audit,
    box_by_box,
    canonical_form,
    canonical_puzzle,
    count_candidates,
    count_classes,
    count_solutions,
    cover_solutions,
    deductions,
    default_box,
    enumerate_rows,
    grade,
    grid_by_cells,
    grid_by_rows,
    grid_by_search,
    grid_total,
    is_unique,
    make_constrained,
    make_dataset,
    make_puzzle,
    random_grid,
    random_grids,
    random_jigsaw,
    random_solution,
    rank,
    read_batch,
    seeded_draws,
    shuffled_grid,
    solve,
    stir,
    stirred_grid,
    true_candidates,
    unrank,
)
from sudokucrypt.sudoku.drawing import MOST_PIXELS, PAPERS, Sheet, book, draw, to_svg
from sudokucrypt.sudoku.formats import PUZZLE_FORMATS, StoredPuzzle, read_stored_puzzles
from sudokucrypt.sudoku.formats.links import compress, decompress
from sudokucrypt.sudoku.making.constrained import CONSTRAINT_MAKERS, make_constrained_sheet
from sudokucrypt.sudoku.model.jigsaw_maps import label_regions
from sudokucrypt.typing import AnyArray, Box
from tests.damage import change_bytes
from tests.sudoku.constraints import draw_satisfied_constraints
from tests.sudoku.formats.test_formats import LIES, SCL, make_fpuzzles, repeat_text

Compare = Callable[[Path, object], None]
RECORDS = Path(__file__).with_name("records")
BOXES: list[Box] = [(1, 1), (1, 3), (2, 2), (2, 3), (3, 2), (3, 3)]
SHAPES: dict[str, list[Any]] = {
    "array": [(1, 1, 1, 1), (2, 1, 2, 3), (1, 2, 2, 2), (2, 3, 3, 2)],
    "dion-cube": [(2,), (4,)],
    "samurai": [(1, 1), (2, 2), (3, 3)],
    "jigsaw": [*BOXES, ("AAB", "ACB", "CCB"), ("AAB", "ABB", "CCC"), ("AA", "B")],
}
"""Shapes of kinds that take no box, or no box alone."""

SMALL: dict[str, Any] = {
    "array": (2, 1, 2, 3),
    "dion-cube": (2,),
    "x": (2, 3),
    **dict.fromkeys(("anti-king", "cube", "half-cube"), (3, 3)),
}
"""Shapes that are as small as full grids and the kind allow; of other kinds, 2x2 boxes."""

IMPOSSIBLE = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
"""A puzzle of Peter Norvig's without solution, which no short search finds."""

LINE = "000060070000030569000100000050400130008901600071002080000003000485010000060040000"


def simplify(value: Any) -> Any:
    """Return a value as texts, numbers and tuples of them."""
    if isinstance(value, SudokuPuzzle):
        return value.to_text(), value.variant.name
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return simplify([getattr(value, field.name) for field in fields(value)])
    if isinstance(value, Mapping):
        return tuple((name, simplify(each)) for name, each in value.items())
    if isinstance(value, list | tuple | Iterator):
        return tuple(simplify(each) for each in value)
    return value if isinstance(value, str | int | float | None) else str(value)


def describe(function: Callable[..., object], *arguments: Any, **options: Any) -> str:
    """Return a digest of what a function returns, or its error with the hint."""
    try:
        result = simplify(function(*arguments, **options))
    except SudokucryptError as error:
        return " | ".join(filter(None, (type(error).__name__, str(error), error.hint)))
    return sha256(repr(result).encode()).hexdigest()[:8]


def draw_rules(kind: VariantKind, shape: Any) -> Variant:
    """Return the rules of a kind; rules that are random are always the same."""
    return kind.rules(shape)(seeded_draws(3))


def list_rules() -> Iterator[tuple[str, Variant]]:
    """Yield a small variant of each kind."""
    for name, kind in VARIANTS.items():
        yield name, draw_rules(kind, SMALL.get(name, (2, 2)))


def list_constrained(boxes: list[Box]) -> Iterator[tuple[str, Variant, list[int]]]:
    """Yield variants with constraints of each kind, with a grid that satisfies them."""
    for (number, kind), box in product(enumerate(CONSTRAINTS), boxes):
        draws, standard = seeded_draws(number), Variant.standard(box)
        digits = (random_grid(draws, box=box).cells.reshape(-1) + 1).tolist()
        constraints = [
            rule
            for _ in range(2)
            for rule in draw_satisfied_constraints(kind, standard, digits, draws)
        ]
        yield kind, standard.with_constraints(*dict.fromkeys(constraints)), digits


def list_puzzles() -> Iterator[tuple[str, StoredPuzzle]]:
    """Yield a puzzle of each kind, and one with constraints of each kind."""
    ordinary = SudokuPuzzle.from_text(LINE)
    yield "ordinary", StoredPuzzle(ordinary, title="Nr. 1", author="A")
    digits = (solve(ordinary).givens + 1).tolist()
    typed = [digit * (LINE[cell] == "0" and cell % 4 == 1) for cell, digit in enumerate(digits)]
    marks = tuple(
        0 if digit else (1 << cell % 9 | 1 << cell % 7) for cell, digit in enumerate(typed)
    )
    yield "begun", StoredPuzzle(ordinary, candidates=marks, typed_digits=tuple(typed))
    yield "one cell", StoredPuzzle(SudokuPuzzle.from_text("."), rules="Think.")
    for name, variant in list_rules():
        puzzle = make_puzzle(5, sheet=variant, minimal=False).puzzle
        yield name, StoredPuzzle(puzzle, rules="Place digits.")
    for name, variant, digits in list_constrained([(2, 3)]):
        sheet = SudokuPuzzle(digits, variant)
        yield name, StoredPuzzle(make_puzzle(5, sheet=sheet, minimal=False).puzzle)


def make_grid(kind: VariantKind, shape: Any, method: str, seed: int) -> object:
    """Return a full grid as text and picture, and the steps of the method."""
    steps: list[str] = []
    made = kind.methods_for(shape)[method]
    grid = made.make(seeded_draws(seed), steps.append if made.reports_steps else None, None)
    return grid.to_text(), grid.pretty(), steps


def test_grids(compare_with_record: Compare) -> None:
    """Each kind has the same rules and words, and each method makes the same grids by steps."""
    found = {}
    for name, kind in VARIANTS.items():
        for shape in SHAPES.get(name, BOXES):
            found[f"{name}, {shape}"] = rules = describe(draw_rules, kind, shape)
            if "Error" not in rules:
                variant = draw_rules(kind, shape)
                tables = variant.rules, variant.memberships, variant.regions
                found[f"{name}, {shape}, tables"] = describe(list, tables)
                found[f"{name}, {shape}, words"] = variant.legend
                for method, seed in product(kind.methods_for(shape), range(2)):
                    label = f"{name}, {shape}, {method}, {seed}"
                    found[label] = describe(make_grid, kind, shape, method, seed)
    for shape in (
        (3, 3, 3, 3),
        (1, 9, 1, 1),
        (2, 41, 1, 1),
        (2, 5, 2, 1),
        (1, 1, 3, 4),
        (5, 1, 1, 20),
    ):
        array = SudokuArray.base(shape)
        found[f"array {shape}"] = describe(list, [array.pretty(), array.to_text(), repr(array)])
    for count in (1, 63, 64, 65, 66):
        found[f"{count} regions"] = describe(label_regions, np.arange(count)[None])
    compare_with_record(RECORDS / "grids.json", found)


def test_puzzles(compare_with_record: Compare) -> None:
    """The same puzzles are made for each kind, method, pattern and number of givens."""
    wishes: dict[str, dict[str, Any]] = {}
    for (name, variant), method, minimal in product(list_rules(), ("remove", "add"), (True, False)):
        options = {"method": method, "minimal": minimal}
        wishes[f"{name}, {options}"] = {"sheet": variant, **options}
    for pattern, box, givens in product(PATTERNS, ((2, 2), (2, 3), (3, 2)), (None, 9)):
        options = {"pattern": pattern, "givens": givens, "attempts": 3}
        wishes[f"{box}, {options}"] = {"sheet": Variant.standard(box), **options}
    for givens in (0, 3, 4, 5, 8, 16, 17):
        sheet = Variant.standard((2, 2))
        wishes[f"{givens} givens"] = {"sheet": sheet, "givens": givens, "attempts": 4}
    found = {name: describe(make_puzzle, 7, **options) for name, options in wishes.items()}
    compare_with_record(RECORDS / "puzzles.json", found)


def test_constraints(compare_with_record: Compare) -> None:
    """Constraints are made, worded and searched for as they were."""
    found = {}
    for kind, box, seed in product(CONSTRAINT_MAKERS, BOXES, range(3)):
        rules, draws = Variant.standard(box), seeded_draws(seed)
        variant = make_constrained_sheet(draws, kinds=[kind], rules=rules).variant
        shown = describe(list, variant.constraints)
        found[f"{kind}, {box}, {seed}"] = f"{len(variant.constraints)}, {shown}"
    for kind, variant, _ in list_constrained([(2, 3), (3, 3)]):
        parts = variant.relations, variant.constraint_scopes, variant.marks
        found[f"{kind}, {variant.name}"] = variant.legend
        found[f"{kind}, {variant.name}, parts"] = describe(list, parts)
    compare_with_record(RECORDS / "constraints.json", found)


def test_drawings(compare_with_record: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and books of all kinds and constraints are drawn as they were."""
    found, sheets = {}, []
    for name, stored in list_puzzles():
        puzzle = stored.puzzle
        sheet = Sheet(shown=puzzle, caption=f"{name} 1")
        solution = Sheet(shown=random_solution(puzzle, 1), givens=puzzle)
        sheets.append(sheet)
        for cell in (None, 1, 6, 13, 31, 57):
            found[f"{name}, {cell}"] = describe(draw, [sheet], cell=cell)
        found[f"{name}, three"] = describe(draw, [sheet, solution, sheet], cell=20)
        found[f"{name}, SVG"] = describe(to_svg, draw([solution], cell=30))
        found[f"{name}, book"] = describe(book, [sheet] * 3, [solution])
    for paper, per_page, count in product(PAPERS, (None, 1, 2, 3, 6, 12, 30), (1, 7)):
        options = {"title": f"On {paper}", "paper": paper, "per_page": per_page}
        found[f"{count}, {options}"] = describe(book, sheets[:count], sheets[:count], **options)
    found["most pixels"] = str(MOST_PIXELS)
    monkeypatch.setattr("sudokucrypt.sudoku.drawing.page.MOST_PIXELS", 2**12)
    for count in (1, 2, 3):
        found[f"{count} small ones"] = describe(draw, sheets[:1] * count)
    for columns in (0, 1, 2, 5, 9):
        found[f"{columns} columns"] = describe(draw, sheets[:7], columns=columns)
    compare_with_record(RECORDS / "drawings.json", found)


def make_damaged_link() -> str:
    """Return a link in which one slash stands for two, as some programs leave it."""
    write = PUZZLE_FORMATS["sudokupad"].write
    assert write is not None
    title = "\ufffd\ufffd"  # whose bits become slashes
    link = unquote(write([StoredPuzzle(SudokuPuzzle.from_text(LINE), title=title)]))
    before, after = link.rsplit("//", 1)
    assert "app" in before
    return f"{before}/{after}"


def test_texts(compare_with_record: Compare) -> None:
    """Each format is written as it was, and damaged texts are read or refused as they were."""
    found: dict[str, object] = {}
    for form in PUZZLE_FORMATS.values():
        found[form.name] = [form.title, form.single, form.typed, form.raw]
    forms = [form for form in PUZZLE_FORMATS.values() if form.write]
    for (name, stored), form in product(list_puzzles(), forms):
        label, write = f"{name}, {form.name}", form.write
        assert write is not None
        found[label] = written = describe(write, [stored])
        if not form.single:
            found[f"{label}, two"] = describe(write, [stored, stored])
        if "Error" not in written:
            text, source = write([stored]), random.Random(label)  # noqa: S311
            count = 60 if name in ("ordinary", "begun") else 6
            damaged = (change_bytes(source, text.encode()) for _ in range(count))
            found[f"{label}, read"] = describe(read_stored_puzzles, text)
            results = [
                describe(read_stored_puzzles, data.decode("utf-8", "replace")) for data in damaged
            ]
            found[f"{label}, damaged"] = describe(list, results)
    for name, stored in list_puzzles():
        found[f"{name}, position"] = describe(stored.position)
        text, source = stored.puzzle.pretty(), random.Random(name)  # noqa: S311
        changed = [change_bytes(source, text.encode()).decode("utf-8", "replace") for _ in range(9)]
        line = stored.puzzle.to_text()
        laid_out = [line[:9] + "\n" + line[9:], line.replace(".", "_"), " ".join(line), f"[{line}]"]
        results = [
            describe(read, each)
            for each in (text, line, *changed, *laid_out)
            for read in (SudokuPuzzle.from_text, read_batch)
        ]
        found[f"{name}, pictures"] = describe(list, results)
    for text in (
        "12|34|34|12|21|43|43|21",
        "1234|3412|2143|4321",
        "1 2|3 4|5 6",
        "1|2",
        "|1|",
        "1",
    ):
        found[text] = describe(SudokuPuzzle.from_text, text)
    link = f"https://sudokupad.app/scf0123456789{ascii_letters[26:]}{ascii_letters[:24]}0000"
    texts = [repeat_text({"cells": ["R1C1"]}, count, extraregion=[0]) for count in (512, 513)]
    cells = [f"{digit}|0|0|" for digit in LINE]
    for changed in ([], ["12|0|0|"], ["|0|0|"], ["1|0|"], ["1|0|0|", "1|0|0|"], ["1|6|1|"]):
        data = "".join([*cells[: 81 - len(changed)], *changed])
        texts.append(f'<opensudoku><game data="version: 2\n{data}"/></opensudoku>')
    values = ("x", "'x'", "1.5", "10", "'7'", "'10'", "t", "[]", "-1", "''", "007")
    drawings = [compress(f"{SCL.replace('v:6', f'v:{value}', 1)}}}") for value in values]
    texts += [f"https://sudokupad.app/scl{quote(packed)}" for packed in drawings]
    found["long links"] = [describe(decompress, "N" * count) for count in (2**15, 2**15 + 1)]
    regions = ("[]", "[5]", "[[[0,9]]]", "5", "[" + "[]," * 82 + "[]]", "[[[0,0],[0,1]]]")
    drawings = [compress(f"{SCL.partition('re:')[0]}re:{text}}}") for text in regions]
    texts += [f"https://sudokupad.app/scl{quote(packed)}" for packed in drawings]
    room = 2**18 - len(make_fpuzzles(title=""))
    texts += [make_fpuzzles(title="x" * count) for count in (room, room + 1)]
    by_columns = [[{"region": column} for column in range(6)] for _ in range(6)]
    texts.append(json.dumps({"size": 6, "grid": by_columns}))
    texts += [f"[{board}]" for board in (make_fpuzzles(), f"{make_fpuzzles()},{make_fpuzzles()}")]
    texts += [make_damaged_link(), link, f"https://example.org/{LINE} //"]
    states = [solve(LINE).to_text(), LINE, "", LINE[1:]]
    texts += [f"[Puzzle]\n{LINE}\n[State]\n{state}\n" for state in states]
    for text in [*LIES, *texts]:
        if len(text) < 300_000:
            found[f"{text[:30]} {describe(str, text)}"] = describe(read_stored_puzzles, text)
    compare_with_record(RECORDS / "texts.json", found)


def test_symmetry(compare_with_record: Compare) -> None:
    """Grids are stirred as they were, and have the same canonical forms."""
    found = {}
    for box, seed in product([*BOXES, (2, 4), (4, 2), (5, 1)], range(3)):
        stirred = stir(shuffled_grid(0, box=box), seed, amount=5 * seed)
        found[f"{box}, {seed}, stirred"] = describe(stirred.to_text)
        found[f"{box}, {seed}"] = describe(canonical_form, stirred)
    for box, seed in product(((1, 4), (2, 2), (2, 3), (3, 2), (3, 3)), range(3)):
        puzzle = make_puzzle(seed, sheet=Variant.standard(box)).puzzle
        found[f"{box}, {seed}, puzzle"] = describe(canonical_puzzle, puzzle)
    compare_with_record(RECORDS / "symmetry.json", found)


def test_numbers(compare_with_record: Compare) -> None:
    """Grids and classes are counted and numbered as they were."""
    found = {}
    for name, kind in VARIANTS.items():
        for shape in SHAPES.get(name, BOXES[:-1]):
            found[f"{name}, {shape}, sheets"] = describe(kind.count_sheets, shape)
            found[f"{name}, {shape}, classes"] = describe(kind.count_classes, shape)
    for box in ((2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3)):
        total = grid_total(box)
        for part in range(-1, 6):
            number = part * total // 5
            found[f"{box}, {number}"] = describe(unrank, number, box)
            if 0 <= number < total:
                assert rank(unrank(number, box)) == number
    for box in ((1, 1), (2, 2), (2, 3), (3, 3)):
        steps: list[object] = []
        grids = list(enumerate_rows(40, box, trace=steps.append))
        found[f"{box}, by rows"] = describe(list, [grids, steps])
    reports: list[tuple[int, int]] = []
    count_classes((2, 3), progress=lambda *step: reports.append(step))
    found["reports"] = describe(list, reports)
    counts = box_by_box(1, samples=3)
    found["box by box"] = describe(list, [counts, counts.estimate])
    compare_with_record(RECORDS / "numbers.json", found)


def test_solving(compare_with_record: Compare) -> None:
    """Puzzles are graded and solved by the same steps, and leave the same candidates."""
    found = {}
    for name, stored in list_puzzles():
        puzzle = stored.puzzle
        found[f"{name}, steps"] = describe(deductions, puzzle)
        found[f"{name}, grade"] = describe(grade, puzzle)
        found[f"{name}, number"] = describe(count_solutions, puzzle, 50)
        found[f"{name}, candidates"] = describe(true_candidates, puzzle)
        found[f"{name}, counted"] = describe(count_candidates, puzzle, 3)
        if not puzzle.variant.constraints:
            found[f"{name}, cover"] = describe(cover_solutions, puzzle)
    compare_with_record(RECORDS / "solving.json", found)


def list_arrays(lines: list[str]) -> Iterator[tuple[str, AnyArray]]:
    """Yield puzzles as arrays of all types and shapes."""
    digits = np.array([[*map(int, line)] for line in lines])
    for kind in ("i1", "u1", ">i2", "i8", "f4", "U1", "bool"):
        yield kind, digits.astype(kind)
    for shape in ((162,), (2, 81), (2, 9, 9), (81, 2), (2, 1, 81), (1, 2, 81), (2, 3, 27)):
        yield str(shape), digits.reshape(shape)
        yield f"{shape}, by columns", np.asfortranarray(digits.reshape(shape))
    for change in (1, 2, -1, 9):
        yield f"{change} more", digits + change
    yield "one puzzle", digits[0]
    yield "texts", np.array(lines)
    for names in (("puzzle", "solution"), ("solution", "puzzle"), ("quiz", "n"), ("a", "b")):
        records = np.zeros(1, [(name, "i1", 81) for name in names])
        for name, row in zip(names, digits, strict=True):
            records[name] = row
        yield str(names), records


def test_collections(compare_with_record: Compare) -> None:
    """Collections are made and audited as they were."""
    found = {}
    wishes: list[dict[str, Any]] = [
        {},
        {"rating": (1.0, 1.2)},
        {"technique": Technique.HIDDEN_PAIR},
        {"split": 0.5, "trace": True},
        {"rating": (2.0, 1.0)},
        {"split": 1.0},
    ]
    for wish in wishes:
        found[str(wish)] = describe(make_dataset, 3, 2, **wish)
    source = random.Random(1)  # noqa: S311
    lines = [LINE, solve(LINE).to_text(), *(each.puzzle.to_text() for each in make_dataset(9, 1))]
    lines += [f"{line},{solve(line).to_text()}" for line in lines]
    for number in range(30):
        rows = [source.choice(lines).encode() for _ in range(6)]
        rows = [change_bytes(source, row) if source.random() < 0.4 else row for row in rows]
        text = b"\n".join(rows)
        found[f"collection {number}"] = describe(
            audit, BytesIO(text), rate=number % 3 == 0, threads=1
        )
    both = {"puzzle": [LINE, lines[2]], "solution": [solve(LINE).to_text(), lines[1]]}
    records = [dict(zip(both, pair, strict=True)) for pair in zip(*both.values(), strict=True)]
    tables: list[object] = [
        both,
        records,
        {"data": records},
        {"rows": [{"row": each} for each in records]},
        {"columns": [*both], "data": [*zip(*both.values(), strict=True)]},
        {name: dict(enumerate(values)) for name, values in both.items()},
        both | {"solution": both["solution"][:1]},
        {"puzzles": [[*text] for text in both["puzzle"]]},
        {"puzzles": [[*map("0123456789".find, text)] for text in both["puzzle"]]},
        {"puzzles": [[f"0{digit}" for digit in text] for text in both["puzzle"]]},
        {"puzzles": [[text[row : row + 9] for row in range(0, 81, 9)] for text in both["puzzle"]]},
        {name: [f"{text[:30]} \n{text[30:]}" for text in both[name]] for name in both},
    ]
    for number, table in enumerate(tables):
        text = json.dumps(table).encode()
        for label in ("", ", changed", ", changed in another way"):
            found[f"table {number}{label}"] = describe(audit, BytesIO(text), threads=1)
            text = change_bytes(source, text)
    answers = [f"{lines[0]};{lines[1][:40]} {lines[1][40:]}", f"{lines[0]}\t{lines[1]}", ""]
    answers += [
        f"puzzle,solution,n\n{lines[0]},{lines[1]},3\n{lines[0]}",
        f"n;puzzle\n1;{lines[0]}",
    ]
    for number, answer in enumerate(
        [*answers, "\r\n".join(answers), "\ufeff" + "\n".join(answers)]
    ):
        for encoding in ("utf-8", "utf-16"):
            file = BytesIO(answer.encode(encoding))
            found[f"text {number}, {encoding}"] = describe(audit, file, threads=1)
    for name, array in list_arrays(lines[:2]):
        np.save(file := BytesIO(), array)
        np.savez(archive := BytesIO(), puzzles=array, other=array)
        found[f"array {name}"] = describe(audit, BytesIO(file.getvalue()), threads=1)
        found[f"archive {name}"] = describe(audit, BytesIO(archive.getvalue()), threads=1)
    against = BytesIO("\n".join(lines[3:6]).encode())
    found["against others"] = describe(
        audit, BytesIO("\n".join(lines).encode()), against=against, threads=1
    )
    reports: list[int] = []
    audit(BytesIO(f"{LINE}\n".encode() * 700), rate=True, threads=1, progress=reports.append)
    found["reports"] = str(reports)
    compare_with_record(RECORDS / "collections.json", found)


LIMITS: list[tuple[Callable[..., object], list[dict[str, Any]]]] = [
    (random_jigsaw, [{"order": order} for order in (0, 1, 2, 20, 21)]),
    (grid_by_search, [{"box": box} for box in ((0, 1), (1, 64), (5, 13))]),
    (grid_by_search, [{"attempts": count} for count in (-1, 0, 1)]),
    (grid_by_search, [{}]),
    (stirred_grid, [{}]),
    (random_grid, [{}]),
    (random_jigsaw, [{}]),
    (partial(stir, solve(LINE)), [{}]),
    (partial(enumerate_rows, 2), [{}]),
    (random_solution, [{"puzzle": Variant.latin(order)} for order in (1, 64, 65)]),
    (grid_by_rows, [{"box": box} for box in ((3, 3), (2, 5))]),
    (grid_by_cells, [{"box": box} for box in ((2, 5), (5, 13))]),
    (partial(array_by_search, (1, 1, 8, 8)), [{}, {"attempts": 0}]),
    (partial(array_by_search, (1, 1, 5, 13)), [{}]),
    (partial(array_by_search, (65, 1, 64, 1)), [{}]),
    (shuffled_grid, [{}, *({"box": box} for box in ((0, 0), (1, 1), (8, 9)))]),
    (stirred_grid, [{"box": (2, 3), "amount": amount} for amount in (-1, 0, 1)]),
    (stirred_grid, [{"box": (256, 257)}]),
    (partial(random_grids, 2), [{"first": first} for first in (0, 1, 255)]),
    (partial(random_grids, -1), [{}]),
    (make_puzzle, [{"sheet": Variant.latin(order), "attempts": 1} for order in (1, 65)]),
    (make_puzzle, [{"givens": givens} for givens in (-1, 19, 20, 81, 82, range(5, 3))]),
    (make_puzzle, [{"rating": rating} for rating in ((0.9, 2.0), (1.0, 11.1), (3.0, 2.0))]),
    (make_puzzle, [{"attempts": attempts} for attempts in (0, 1)]),
    (make_constrained, [{"box": box} for box in ((1, 1), (2, 2), (4, 5))]),
    (make_constrained, [{"kind": kind} for kind in ("", "frogs", ("arrow", "kropki"))]),
    (box_by_box, [{"samples": samples} for samples in (-1, 0)]),
    (default_box, [{"order": order} for order in (0, 1, 2, 7, 12, 64, 72)]),
    (partial(count_solutions, LINE), [{"limit": limit} for limit in (-1, 0, 1, 2)]),
    (partial(count_solutions, LINE), [{"patience": nodes} for nodes in (-1, 0, 1, 100)]),
    (partial(count_solutions, LINE), [{"budget": nodes} for nodes in (-1, 0, 1, 100)]),
    (partial(count_solutions, IMPOSSIBLE), [{"patience": n} for n in (1999, 2000, 2001, 4500)]),
    (partial(count_solutions, IMPOSSIBLE), [{"budget": n} for n in (1999, 2000, 2001, 4500)]),
    (partial(count_candidates, "." * 16), [{"limit": limit} for limit in (0, 287, 288, 289)]),
    (partial(is_unique, LINE), [{"patience": nodes} for nodes in (0, 1, 100)]),
    (partial(enumerate_rows, box=(2, 2)), [{"limit": limit} for limit in (-1, 0, 1, None)]),
    (anagram_index, [{"digits": digits} for digits in ([], [0], [2, 0, 1], [1, 1], [0, 3])]),
    (anagrams, [{"order": order} for order in (-1, 0, 1, 4, 10, 11)]),
]
"""Functions with values at the ends of ranges and beyond."""


def test_limits(compare_with_record: Compare) -> None:
    """Values at the ends of ranges and beyond give the same results or refusals."""
    found = {}
    for function, all_options in LIMITS:
        called = getattr(function, "func", function)
        arguments = getattr(function, "args", ())[:1]
        takes_source = "source" in signature(function).parameters
        for options in all_options:
            label = f"{called.__name__}, {str(arguments)[:30]}, {options}"
            found[label] = describe(function, **options, **({"source": 1} if takes_source else {}))
    compare_with_record(RECORDS / "limits.json", found)
