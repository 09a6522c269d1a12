"""The vectors in other engines than that of Chromium, in which `test_engine` asks them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit.replay import VECTORS
from tests.page.browsers import browsing
from tests.page.conftest import engine_code
from tests.page.node import run_node
from tests.page.test_engine import KINDS, SKIPPED

ALL = {
    kind: json.loads((VECTORS / f"{kind}.json").read_text(encoding="ascii"))["cases"]
    for kind in KINDS
}
WANTED = {kind: {"failures": [], "skipped": SKIPPED.get(kind, 0)} for kind in KINDS}


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("firefox-esr", marks=pytest.mark.programs("firefox-esr")),
        pytest.param(
            "WebKitWebDriver",
            marks=[pytest.mark.nightly, pytest.mark.programs("WebKitWebDriver", "Xvfb")],
        ),
    ],
)
def test_vectors(program: str, engine_file: Path, tmp_path: Path) -> None:
    """What is accepted and refused, and every byte that is made, are those of the specification."""
    with browsing(program, tmp_path) as opened:
        opened.open(engine_file)
        for kind, cases in ALL.items():
            result = opened.value(f"replay({kind!r}, {json.dumps(cases)})")
            assert result == WANTED[kind], kind


@pytest.mark.programs("node")
def test_vectors_in_node() -> None:
    """The same in Node."""
    script = """
        const replay = new Function(`${argument.code}; return replay;`)();
        const results = {};
        for (const kind in argument.all) results[kind] = await replay(kind, argument.all[kind]);
        return results;
    """
    result: Any = run_node(script, {"code": engine_code(), "all": ALL})
    assert result == WANTED
