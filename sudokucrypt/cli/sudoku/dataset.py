"""``sudokucrypt sudoku dataset``: write collections of rated puzzles for machine learning."""

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import numpy as np

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.cli.options import PATH_TYPE
from sudokucrypt.cli.sudoku.hand_solving import list_step_fields
from sudokucrypt.cli.sudoku.puzzle_options import rating_option, technique_option
from sudokucrypt.cli.sudoku.sheet_options import choose_seed, seed_option
from sudokucrypt.storage import require_free, write_atomically
from sudokucrypt.sudoku.datasets.making import Example, make_dataset

_MIN_COUNT_FOR_PROCESSES = 1000  # fewer puzzles are made faster in one process
_RECORD_TYPE = np.dtype(
    [
        ("puzzle", "u1", (81,)),
        ("solution", "u1", (81,)),
        ("number_of_givens", "u1"),
        ("level", "U8"),
        ("rating", "<f8"),
        ("technique", "U24"),
        ("split", "U5"),
    ]
)


@click.command("dataset")
@option("--count N", "How many puzzles.", type=click.IntRange(1), required=True)
@seed_option
@rating_option
@technique_option
@option(
    "--split SHARE",
    "Name a part 'train' and the rest 'test', such as 0.9: no solution is in both up to symmetry.",
    type=float,
)
@option("--trace", "Add all steps of the solution by hand (JSON only).")
@option(
    "--jobs N",
    "Processes; by default one for each core where there are many puzzles.",
    type=click.IntRange(1, 1024),
)
@option(
    "-o, --output OUT",
    "File of JSON lines (.jsonl), or an array of records for NumPy (.npy).",
    type=PATH_TYPE,
    required=True,
)
@option("--force", "Replace existing output.")
def command(
    *,
    count: int,
    seed: int | None,
    rating: tuple[float, float] | None,
    technique: sudoku.Technique | None,
    split: float | None,
    trace: bool,
    jobs: int | None,
    output: Path,
    force: bool,
) -> None:
    """Make a collection of 9x9 puzzles, rated, with their solutions.

    Solutions are drawn from all grids, and no two are the same up to symmetry. The same seed and
    options give the same bytes, with any number of processes.
    """
    suffix = output.suffix.lower()
    if suffix not in (".jsonl", ".npy"):
        raise click.UsageError(f"'{output}' must end in .jsonl or .npy")
    if trace and suffix == ".npy":
        raise click.UsageError("a .npy file cannot store --trace; write a .jsonl file")
    if not force:
        require_free(output)
    seed = choose_seed(seed)
    examples = make_dataset(
        count,
        seed,
        rating=rating,
        technique=technique,
        split=split,
        trace=trace,
        jobs=jobs or (1 if count < _MIN_COUNT_FOR_PROCESSES else None),
    )
    with show_progress_bar(
        "making puzzles", stages=10 if count >= _MIN_COUNT_FOR_PROCESSES else 0
    ) as advance:

        def iterate_with_progress() -> Iterator[Example]:
            for number, example in enumerate(examples, 1):
                yield example
                advance(number, count)

        parts = (
            _iterate_lines(iterate_with_progress(), seed)
            if suffix == ".jsonl"
            else _iterate_array_parts(iterate_with_progress(), count)
        )
        write_atomically({output: parts}, replace=force)


def _name_hardest_technique(example: Example) -> str:
    """Return the name of the hardest technique of a puzzle, or empty text if it has none."""
    technique = example.grade.hardest
    return "" if technique is None else technique.label


def _iterate_lines(examples: Iterable[Example], seed: int) -> Iterator[bytes]:
    """Yield a line of JSON for each puzzle."""
    for number, example in enumerate(examples, 1):
        fields = {
            "givens": example.puzzle.to_text(),
            "solution": example.solution.to_text(),
            "number_of_givens": example.puzzle.number_of_givens,
            "level": example.grade.level.label,
            "rating": example.grade.rating,
            "technique": _name_hardest_technique(example),
            **({"split": example.side} if example.side else {}),
            "seed": seed,
            "number": number,
            **(
                {"steps": [list_step_fields(step) for step in example.steps]}
                if example.steps
                else {}
            ),
        }
        yield f"{json.dumps(fields)}\n".encode()


def _iterate_array_parts(examples: Iterable[Example], count: int) -> Iterator[bytes]:
    """Yield the parts of a NumPy file: its header, then each record."""
    header_stream = io.BytesIO()
    fields = {"descr": _RECORD_TYPE.descr, "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(header_stream, fields)
    yield header_stream.getvalue()
    for example in examples:
        grade = example.grade
        record = (
            example.puzzle.givens + 1,
            example.solution.givens + 1,
            example.puzzle.number_of_givens,
            grade.level.label,
            grade.rating,
            _name_hardest_technique(example),
            example.side or "",
        )
        yield np.array([record], dtype=_RECORD_TYPE).tobytes()
