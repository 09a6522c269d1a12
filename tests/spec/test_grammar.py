"""The grammar of docs/spec as regular expressions, and the examples of its pages.

The grammar is ABNF without recursion (RFC 5234, RFC 7405).
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kit.reference import RefusedError, robust
from tests.kit.reference import header as headers
from tests.kit.replay import VECTORS
from tests.spec.examples import (
    CONTEXT,
    EXAMPLES,
    EXTRAS,
    PAGES,
    PHRASE,
    PLAIN,
    read_example,
)
from tests.spec.examples import read_headers as example_headers
from tests.test_docs import ROOT
from tests.vectors.common import KEY, SALT, write_little
from tests.vectors.forge import forge_still

_BLOCK = re.compile(r"^```abnf\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RULE = re.compile(r"^([a-z][a-z0-9-]*) += ((?:.*\n)(?: +.*\n)*)", re.MULTILINE)
_TOKEN = re.compile(
    r'%s"([^"]*)"|"([^"A-Za-z]*)"|%x([0-9A-F]+)(?:-([0-9A-F]+))?|(\d+)(?=[a-z(])|(\d*)\*(\d*)'
    r"|([a-z][a-z0-9-]*)|([][()/])"
)


def read_rules(page: Path) -> dict[str, str]:
    """Return the rules in all blocks of a page by name, without comments."""
    text = "".join(_BLOCK.findall(page.read_text(encoding="utf-8")))
    without_comments = re.sub(r" *;[^\"\n]*$", "", text, flags=re.MULTILINE)
    rules = _RULE.findall(without_comments)
    assert (
        len(dict(rules)) == len(rules) == len(re.findall("^[a-z]", without_comments, re.MULTILINE))
    )
    return dict(rules)


def build_pattern(name: str, rules: Mapping[str, str]) -> str:
    """Return the regular expression of a rule, in parentheses."""
    source, position, pattern, count = rules[name], 0, "", ""
    group_ends = []  # for each open group, its closing sign and its repetition
    while position < len(source):
        if source[position].isspace():
            position += 1
            continue
        match = _TOKEN.match(source, position)
        assert match is not None, source[position:]
        position = match.end()
        exact, plain, first_code, last_code, times, minimum, maximum, rule, sign = match.groups()
        if times or maximum is not None:
            count = f"{{{times}}}" if times else f"{{{minimum or 0},{maximum}}}"
            continue
        if sign in ("(", "["):
            group_ends.append(count if sign == "(" else "?")
            pattern += "(?:"
        elif sign == "/":
            pattern += "|"
        elif sign:
            pattern += f"){group_ends.pop()}"
        elif first_code:
            pattern += rf"[\x{first_code}-\x{last_code or first_code}]{count}"
        elif rule:
            pattern += build_pattern(rule, rules) + count
        else:
            pattern += f"(?:{re.escape(exact or plain)}){count}"
        count = ""
    return f"(?:{pattern})"


# The grammar of docs/spec, compared with the vectors.


RULES = read_rules(PAGES / "grammar-v1.md")
HEADER, LINE = (re.compile(build_pattern(name, RULES)) for name in ("header", "description"))
_MAKERS = ("images", "encryptions", "frames", "jpegs")
_READERS = ("accept", "accept_pictures", "containers", "segments")

UNCHECKED_REASONS = re.compile(
    r"description( alone)?: (.*padding.*|the last of 256 bytes .*|\d+ bytes .*|shape .*"
    r'|\S+ of \d channels|one frame .*|"\S+" for "gray"|a description without need|preview .*'
    r'|file: .*|sealed: .*("exif":\d+|500\]+|"72/1".*))'
)
"""Names of lines that the grammar matches and readers refuse: numbers and lengths are wrong."""


def list_cases(*names: str) -> Iterator[dict[str, Any]]:
    """Return the test vectors in the given files, except those with abbreviated texts."""
    for name in names:
        content = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
        yield from (case for case in content["cases"] if not case.get("fill"))


def test_valid_headers_match_the_grammar() -> None:
    """Every valid header of the vectors, and of the examples on the pages, matches the grammar."""
    result = {
        case["header"]
        for case in list_cases(*_MAKERS, *_READERS)
        if case.get("header") and not case.get("refused")
    }
    result |= {
        each.to_bytes().decode("ascii") for name in EXAMPLES for each in example_headers(name)
    }
    assert len(result) > 250
    assert [text for text in result if not HEADER.fullmatch(text)] == []


def test_valid_descriptions_match_the_grammar() -> None:
    """Every valid line of a description, alone and in pictures, matches the grammar."""
    result = {
        case["line"] for case in list_cases("accept", "frames", "segments") if case.get("line")
    }
    assert len(result) > 90
    assert [text for text in result if not LINE.fullmatch(text)] == []


def test_refused_headers_break_the_grammar() -> None:
    """Refused headers break the grammar, except for listed reasons beyond a grammar."""
    reasons = set()
    for case in list_cases("reject"):
        if case["what"] == "header" and HEADER.fullmatch(case["header"]):
            with pytest.raises(RefusedError) as error_info:
                headers.read(case["header"].encode("ascii"))
            reasons.add(str(error_info.value))
    assert reasons == {f"wrong {field}" for field in ("block_size", "rounds", "shape")}


def test_refused_descriptions_break_the_grammar() -> None:
    """Refused lines break the grammar, except for listed reasons beyond a grammar."""
    matching_names = [
        case["name"]
        for case in list_cases("reject")
        if case["what"] == "extras" and LINE.fullmatch(case["line"])
    ]
    assert len(matching_names) > 100
    assert [name for name in matching_names if not UNCHECKED_REASONS.fullmatch(name)] == []


# The worked examples of the pages, compared with the package and the reference.


MASTER = KEY.to_bytes()
PROTECTED = re.compile(
    r"^(?:scrambled|encrypted) +((?:(?: {15})?[0-9a-f]{2}(?: [0-9a-f]{2})+\n)+)", re.M
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_up_to_date(name: str) -> None:
    """`python -m tests.spec.examples` would change no page."""
    assert read_example(name) == EXAMPLES[name]()


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_pages_state_their_status(page: Path) -> None:
    """The paragraph below the title of a page names dates, and releases in the changelog."""
    status = page.read_text(encoding="utf-8").split("\n\n")[1]
    assert "normative" in status
    assert re.search(r" on \d+ \w+ 20\d\d", status)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r" release (\d[\d.]*\d)", status)
    assert releases
    known_releases = re.findall(r"^## (\d[\d.]*\d) - ", changelog, re.M)
    coming = [release for release in releases if release not in known_releases]
    assert not coming or ("\n## Unreleased\n" in changelog and min(coming) > max(known_releases))


@pytest.mark.parametrize("name", ["scrambling-v1", "encryption-v1", "pictures-v1"])
def test_the_reference_makes_the_pictures_of_the_pages(name: str) -> None:
    """The reference implementation makes every header and picture of the examples."""
    samples = [bytes.fromhex(text) for text in PROTECTED.findall(read_example(name))]
    for header, data in zip(example_headers(name), samples, strict=True):
        options: dict[str, Any] = {"scheme": header.scheme, "salt": SALT.hex()}
        options |= {
            "frame": {"samples": write_little(PLAIN).hex(), "shape": [6, 6], "dtype": "uint8"}
        }
        if header.kdf is not None:
            options |= {"kdf": header.kdf, "passphrase": PHRASE}
        if header.salt is None:
            options["context"] = CONTEXT
        if header.encrypted_metadata is not None:
            options["extras"] = {"bytes": EXTRAS.hex()}
        result = forge_still(options)
        assert (result.header, result.frame.data) == (header.to_bytes(), data)


def read_field(page: str, name: str) -> str:
    """Return the value of a name in the example of a page, without line ends."""
    match = re.search(rf"^{name} +(.*\n(?: {{15}}.*\n)*)", read_example(page), re.M)
    assert match is not None
    return " ".join(match[1].split())


def test_the_reference_makes_the_carrier_of_the_page() -> None:
    """The reference makes the carrier image of the page from its header and samples."""
    picture: robust.Picture = [[(sample,) for sample in row] for row in PLAIN.tolist()]
    header, carrier_image = robust.scramble(picture, MASTER, salt=SALT, profile=0)
    assert header.hex() == read_field("robust-v1", "header")
    digest = hashlib.sha256(np.array(carrier_image, dtype=np.uint8).tobytes()).hexdigest()
    assert read_field("robust-v1", "SHA-256").startswith(digest)
