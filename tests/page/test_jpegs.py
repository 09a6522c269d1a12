"""The engine of the page makes the same of JPEG files of other programs as the package."""

import json
import random
from typing import Any

import pytest

from tests.images.jpeg.corpus import list_corpus
from tests.reports.browser import Page
from tests.spec.examples import JPEG, read_example
from tests.vectors.makers import jpegs

pytestmark = pytest.mark.programs("chromium")
_SHARE = 32
_UNSENT = "0: 1 63 0 2;"
"""In the script of files that lack bits, which are not scrambled as JPEG files."""


def _replay(engine: Page, plain_files: dict[str, bytes]) -> Any:
    """Return in which of the vectors that the package makes of these files the page disagrees."""
    chance = random.Random(len(plain_files))  # noqa: S311 - the same again in every run
    cases = []
    for name, data in plain_files.items():
        salt = chance.choice([None, chance.randbytes(16).hex()])
        cases.append(jpegs({"label": name, "salt": salt, "rounds": None, "plain": data.hex()}))
    return engine.value(f"replay('jpegs', {json.dumps(cases)})")


@pytest.mark.parametrize("share", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_files_of_other_programs(engine: Page, share: int) -> None:
    """Package and page make the same header and blocks, and each restores the file."""
    files = {
        name: data
        for name, data in list_corpus().items()
        if len(data) < 2500 and _UNSENT not in name
    }
    chosen = dict(list(files.items())[share::_SHARE])
    assert chosen
    assert _replay(engine, chosen) == {"failures": [], "skipped": 0}


def test_the_example_of_the_specification(engine: Page) -> None:
    """The page restores the file of the worked example, whose bytes the specification shows."""
    assert JPEG.hex() in "".join(read_example("jpeg-v1").split())
    assert _replay(engine, {"example": JPEG}) == {"failures": [], "skipped": 0}
