"""The engine of the page gives the same results as the package for JPEG files of other programs."""

import json
import random
from typing import Any

import pytest

from tests.images.jpeg.corpus import list_corpus
from tests.reports.browser import Page
from tests.spec.examples import JPEG, read_example
from tests.vectors.makers import make_jpegs

pytestmark = pytest.mark.programs("chromium")
_PART_COUNT = 32
_UNSENT_SCAN = "0: 1 63 0 2;"
"""In the script of files that lack bits, which are not scrambled as JPEG files."""


def _compare_with_vectors(engine: Page, plain_files: dict[str, bytes]) -> Any:
    """Return the names of vectors from these files with which the engine disagrees."""
    generator = random.Random(len(plain_files))  # noqa: S311 - the same again in every run
    cases = []
    for name, data in plain_files.items():
        salt = generator.choice([None, generator.randbytes(16).hex()])
        cases.append(make_jpegs({"label": name, "salt": salt, "rounds": None, "plain": data.hex()}))
    return engine.value(f"replay('jpegs', {json.dumps(cases)})")


@pytest.mark.parametrize("share", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_files_of_other_programs(engine: Page, share: int) -> None:
    """Package and engine give the same header and blocks for a file, and each restores it."""
    files = {
        name: data
        for name, data in list_corpus().items()
        if len(data) < 2500 and _UNSENT_SCAN not in name
    }
    chosen_files = dict(list(files.items())[share::_PART_COUNT])
    assert chosen_files
    assert _compare_with_vectors(engine, chosen_files) == {"failures": [], "skipped": 0}


def test_the_example_of_the_specification(engine: Page) -> None:
    """The engine restores the file of the worked example in the specification."""
    assert JPEG.hex() in "".join(read_example("jpeg-v1").split())
    assert _compare_with_vectors(engine, {"example": JPEG}) == {"failures": [], "skipped": 0}
