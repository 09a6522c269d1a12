"""ABNF without recursion as regular expressions (RFC 5234, RFC 7405)."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.kit.reference import RefusedError
from tests.kit.reference import header as headers
from tests.kit.replay import VECTORS
from tests.spec.examples import EXAMPLES, PAGES
from tests.spec.examples import headers as example_headers

_BLOCK = re.compile(r"^```abnf\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RULE = re.compile(r"^([a-z][a-z0-9-]*) += ((?:.*\n)(?: +.*\n)*)", re.MULTILINE)
_TOKEN = re.compile(
    r'%s"([^"]*)"|"([^"A-Za-z]*)"|%x([0-9A-F]+)(?:-([0-9A-F]+))?|(\d+)(?=[a-z(])|(\d*)\*(\d*)'
    r"|([a-z][a-z0-9-]*)|([][()/])"
)


def rules_of(page: Path) -> dict[str, str]:
    """The rules of all blocks of a page by name, without comments."""
    text = "".join(_BLOCK.findall(page.read_text(encoding="utf-8")))
    bare = re.sub(r" *;[^\"\n]*$", "", text, flags=re.MULTILINE)
    rules = _RULE.findall(bare)
    assert len(dict(rules)) == len(rules) == len(re.findall("^[a-z]", bare, re.MULTILINE))
    return dict(rules)


def pattern_of(name: str, rules: Mapping[str, str]) -> str:
    """The regular expression of a rule, in parentheses."""
    source, position, pattern, count = rules[name], 0, "", ""
    ends = []  # what closes each open group, and how often it occurs
    while position < len(source):
        if source[position].isspace():
            position += 1
            continue
        match = _TOKEN.match(source, position)
        assert match is not None, source[position:]
        position = match.end()
        exact, plain, low, high, times, least, most, rule, sign = match.groups()
        if times or most is not None:
            count = f"{{{times}}}" if times else f"{{{least or 0},{most}}}"
            continue
        if sign in ("(", "["):
            ends.append(count if sign == "(" else "?")
            pattern += "(?:"
        elif sign == "/":
            pattern += "|"
        elif sign:
            pattern += f"){ends.pop()}"
        elif low:
            pattern += rf"[\x{low}-\x{high or low}]{count}"
        elif rule:
            pattern += pattern_of(rule, rules) + count
        else:
            pattern += f"(?:{re.escape(exact or plain)}){count}"
        count = ""
    return f"(?:{pattern})"


# The grammar of docs/spec takes what the vectors take, and refuses what a grammar can refuse.


RULES = rules_of(PAGES / "grammar-v1.md")
HEADER, LINE = (re.compile(pattern_of(name, RULES)) for name in ("header", "description"))
_MAKERS = ("images", "encryptions", "frames", "jpegs")
_READERS = ("accept", "accept_pictures", "containers")

COUNTED = re.compile(
    r"description( alone)?: (.*padding.*|the last of 256 bytes .*|\d+ bytes .*|shape .*"
    r'|\S+ of \d channels|one frame .*|"\S+" for "gray"|a description without need|preview .*'
    r'|file: .*|sealed: .*("exif":\d+|500\]+|"72/1".*))'
)
"""Names of lines that the grammar matches and readers refuse: numbers and lengths are wrong."""


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
    assert len(result) > 250
    assert [text for text in result if not HEADER.fullmatch(text)] == []


def test_every_line_that_is_made_or_read_follows_the_grammar() -> None:
    """Lines of descriptions alone, and of pictures."""
    result = {case["line"] for case in cases("accept", "frames") if case.get("line")}
    assert len(result) > 90
    assert [text for text in result if not LINE.fullmatch(text)] == []


def test_headers_that_follow_the_grammar_and_are_refused_need_counting() -> None:
    """For these reasons, which the page leaves to the others; other faults break the grammar."""
    reasons = set()
    for case in cases("reject"):
        if case["what"] == "header" and HEADER.fullmatch(case["header"]):
            with pytest.raises(RefusedError) as caught:
                headers.read(case["header"].encode("ascii"))
            reasons.add(str(caught.value))
    assert reasons == {f"wrong {field}" for field in ("block_size", "rounds", "shape")}


def test_lines_that_follow_the_grammar_and_are_refused_need_counting() -> None:
    """Their names say what a grammar cannot count; what left breaks the grammar."""
    matched = [
        case["name"]
        for case in cases("reject")
        if case["what"] == "extras" and LINE.fullmatch(case["line"])
    ]
    assert len(matched) > 100
    assert [name for name in matched if not COUNTED.fullmatch(name)] == []
