"""The grammar of docs/spec takes what the vectors take, and refuses what a grammar can refuse."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.reference import RefusedError, description
from tests.kit.reference import header as headers
from tests.kit.replay_parts import described
from tests.spec.abnf import pattern_of, rules_of
from tests.spec.examples import EXAMPLES, PAGES
from tests.spec.examples import headers as example_headers

VECTORS = Path(headers.__file__).parents[1] / "vectors"
RULES = rules_of(PAGES / "grammar-v1.md")
HEADER, LINE = (re.compile(pattern_of(name, RULES)) for name in ("header", "description"))
_MAKERS = ("images", "encryptions", "frames", "regions", "jpegs")
_READERS = ("accept", "accept_pictures", "containers")

READERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "header": lambda case: headers.read(case["header"].encode("ascii")),
    "extras": lambda case: description.read(b"\n".join(described(case))),
}
BEYOND_A_GRAMMAR = {
    "header": {
        "mask: a length in more bytes than it needs, or than five",
        "mask: an empty run",
        "mask: the last length is cut off",
        *(f"wrong {field}" for field in ("block_size", "region", "rounds", "shape")),
    },
    "extras": {
        "a mode of other channels",
        "a part of a color",
        "a picture that needs no description",
        "a preview that is no WebP file",
        "a file that is padded to less than its size",
        "a preview that is too long",
        "a readable copy of what no frame has",
        "a value of the wrong",
        "a wrong length",
        "another form than that of a file",
        "bits of another type",
        "equal palettes",
        "more alphas than colors",
        "no alphas",
        "padded to another length",
        "padding that is not zero",
        "palettes in another order than they are used",
    },
}
"""Why the reference refuses what the grammars match."""


def cases(*names: str) -> Iterator[dict[str, Any]]:
    """The cases of some files, without those of texts that are too long to be shown."""
    for name in names:
        content = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
        yield from (case for case in content["cases"] if not case.get("fill"))


def test_every_header_that_is_made_or_read_follows_the_grammar() -> None:
    """Those of the vectors, and those of the examples on the pages."""
    result = {
        case["header"]
        for case in cases(*_MAKERS, *_READERS)
        if case.get("header") and not case.get("refused")
    }
    result |= {
        each.to_bytes().decode("ascii") for name in EXAMPLES for each in example_headers(name)
    }
    assert len(result) > 400
    assert [text for text in result if not HEADER.fullmatch(text)] == []


def test_every_line_that_is_made_or_read_follows_the_grammar() -> None:
    """Lines of descriptions alone, and of pictures."""
    result = {case["line"] for case in cases("accept", "frames", "regions") if case.get("line")}
    assert len(result) > 100
    assert [text for text in result if not LINE.fullmatch(text)] == []


@pytest.mark.parametrize("what", BEYOND_A_GRAMMAR)
def test_what_follows_the_grammar_and_is_refused_needs_counting(what: str) -> None:
    """For these reasons, which the page leaves to the others; other faults break the grammar."""
    field, grammar = {"header": ("header", HEADER), "extras": ("line", LINE)}[what]
    reasons = set()
    for case in cases("reject"):
        if case["what"] == what and grammar.fullmatch(case[field]):
            with pytest.raises(RefusedError) as caught:
                READERS[what](case)
            reasons.add(str(caught.value).partition(" kind: ")[0])
    assert reasons == BEYOND_A_GRAMMAR[what]
