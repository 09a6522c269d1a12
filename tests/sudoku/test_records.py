"""Record what the engine makes, draws, writes, reads and says: sentences, numbers and digests.

That results are right is shown where definitions and references are; records show that none moves.
After a change that is wanted, run this file with ``--update``, and read the differences.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.sudoku import (
    CONSTRAINTS,
    PATTERNS,
    VARIANTS,
    SudokuPuzzle,
    Technique,
    Variant,
    VariantKind,
    audit,
    box_by_box,
    canonical_form,
    canonical_puzzle,
    count_candidates,
    count_solutions,
    cover_solutions,
    deductions,
    enumerate_rows,
    grade,
    grid_total,
    make_dataset,
    make_puzzle,
    random_grid,
    random_solution,
    rank,
    seeded_draws,
    shuffled_grid,
    solve,
    stir,
    true_candidates,
    unrank,
)
from sudokucrypt.sudoku.drawing import PAPERS, Sheet, book, draw, to_svg
from sudokucrypt.sudoku.formats import PUZZLE_FORMATS, StoredPuzzle, read_stored
from sudokucrypt.sudoku.making.constrained import CONSTRAINT_MAKERS, make_constrained_sheet
from sudokucrypt.typing import Box
from tests.damage import change_bytes
from tests.sudoku.constraints import draw_satisfied_constraints
from tests.sudoku.formats.test_formats import LIES

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
    yield "ordinary", StoredPuzzle(SudokuPuzzle.from_text(LINE), title="Nr. 1", author="A")
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
    grid = made.make(seeded_draws(seed), steps.append if made.traced else None, None)
    return grid.to_text(), grid.pretty(), steps


def test_grids(compare_with_record: Compare) -> None:
    """Each kind has the same rules and words, and each method makes the same grids by steps."""
    found = {}
    for name, kind in VARIANTS.items():
        for shape in SHAPES.get(name, BOXES):
            found[f"{name}, {shape}"] = rules = describe(draw_rules, kind, shape)
            if "Error" not in rules:
                found[f"{name}, {shape}, words"] = draw_rules(kind, shape).legend
                for method, seed in product(kind.methods_for(shape), range(2)):
                    label = f"{name}, {shape}, {method}, {seed}"
                    found[label] = describe(make_grid, kind, shape, method, seed)
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


def test_drawings(compare_with_record: Compare) -> None:
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
    for columns in (0, 1, 2, 5, 9):
        found[f"{columns} columns"] = describe(draw, sheets[:7], columns=columns)
    compare_with_record(RECORDS / "drawings.json", found)


def test_texts(compare_with_record: Compare) -> None:
    """Each format is written as it was, and damaged texts are read or refused as they were."""
    found: dict[str, object] = {}
    forms = [form for form in PUZZLE_FORMATS.values() if form.write]
    for (name, stored), form in product(list_puzzles(), forms):
        label, write = f"{name}, {form.name}", form.write
        assert write is not None
        found[label] = written = describe(write, [stored])
        if not form.single:
            found[f"{label}, two"] = describe(write, [stored, stored])
        if "Error" not in written:
            text, source = write([stored]), random.Random(label)  # noqa: S311
            damaged = (change_bytes(source, text.encode()) for _ in range(6))
            found[f"{label}, read"] = describe(read_stored, text)
            results = [describe(read_stored, data.decode("utf-8", "replace")) for data in damaged]
            found[f"{label}, damaged"] = describe(list, results)
    for text in LIES:
        if len(text) < 10_000:
            found[f"{text[:30]} {describe(str, text)}"] = describe(read_stored, text)
    compare_with_record(RECORDS / "texts.json", found)


def test_symmetry(compare_with_record: Compare) -> None:
    """Grids are stirred as they were, and have the same canonical forms."""
    found = {}
    for box, seed in product([*BOXES, (3, 2), (2, 4), (4, 2), (5, 1)], range(3)):
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
    found["box by box"] = describe(box_by_box, 1, samples=3)
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
    compare_with_record(RECORDS / "collections.json", found)
