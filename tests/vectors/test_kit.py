"""The kit is whole: its files are what `schema.json` says, are frozen, and can be run."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.kit import replay
from tests.kit.replay import KINDS, VECTORS, load
from tests.vectors.test_vectors import slow_if

SCHEMA: dict[str, Any] = json.loads((VECTORS.parent / "schema.json").read_text(encoding="ascii"))
DIGEST_BYTES = 8
EARLIER: dict[str, Any] = json.loads(
    Path(__file__).with_name("lines_of_1_1.json").read_text(encoding="ascii")
)
"""Digests of the lines of 1.1.0 that stayed, joined, and how many others there are, by file."""


def test_schema_is_a_schema_of_every_file() -> None:
    """The schema is valid, and names each kind of which there is a file."""
    Draft202012Validator.check_schema(SCHEMA)
    assert {choice["$ref"] for choice in SCHEMA["oneOf"]} == {f"#/$defs/{name}" for name in KINDS}


@pytest.mark.parametrize("kind", slow_if(KINDS, "reject accept reject_pictures containers images"))
def test_file_is_valid(kind: str) -> None:
    """The file is of its kind, and of no other."""
    content = json.loads((VECTORS / f"{kind}.json").read_text(encoding="ascii"))
    one = {"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]}
    Draft202012Validator(one).validate(content)
    content["cases"] = content["cases"][:3]
    Draft202012Validator(SCHEMA).validate(content)
    content["cases"][0]["more"] = None
    assert not Draft202012Validator(one).is_valid(content)


def test_vectors_are_frozen() -> None:
    """No byte of a file changes unless SHA256SUMS does, and the README has a line on each."""
    files = sorted(VECTORS.glob("*.json"))
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    assert (VECTORS / "SHA256SUMS").read_text(encoding="ascii") == "".join(sums)
    readme = (VECTORS.parent / "README.md").read_text(encoding="utf-8")
    assert all(f"`{path.stem}`" in readme for path in files)


@pytest.mark.parametrize("kind", KINDS)
def test_cases_that_stayed_are_those_of_1_1(kind: str) -> None:
    """Every line is one of 1.1.0 or one of the new ones, which are counted."""
    digests, step = EARLIER["lines"][kind], 2 * DIGEST_BYTES
    stayed = {digests[at : at + step] for at in range(0, len(digests), step)}
    lines = (json.dumps(case, separators=(",", ":")).encode() for case in load(kind))
    now = {hashlib.sha256(line).hexdigest()[:step] for line in lines}
    assert stayed <= now
    assert len(now - stayed) == EARLIER["new"].get(kind, 0)


def test_the_kit_is_run_by_a_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command asks the reference the vectors that are named, and prints what disagrees."""
    assert replay.main(["draws", "cards"]) == 0
    assert capsys.readouterr().out == "draws: 41 cases\ncards: 23 cases\n"
    monkeypatch.setattr(
        replay,
        "load",
        lambda _: [{"label": "one", "words": [7], "bounds": [4], "below": [2], "used": 1}],
    )
    assert replay.main(["draws"]) == 1
    assert capsys.readouterr().out.startswith("draws: one: below: [3] is not [2]\n")
