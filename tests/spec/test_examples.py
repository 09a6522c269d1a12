"""The worked examples of the pages are made, not typed, and the reference restores them."""

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kit.reference import robust
from tests.spec.examples import (
    CONTEXT,
    EXAMPLES,
    EXTRAS,
    PAGES,
    PLAIN,
    SPOKEN,
    headers,
    shown,
)
from tests.test_docs import ROOT
from tests.vectors.common import KEY, SALT, little
from tests.vectors.forge import forged

MASTER = KEY.to_bytes()
PROTECTED = re.compile(
    r"^(?:scrambled|encrypted) +((?:(?: {15})?[0-9a-f]{2}(?: [0-9a-f]{2})+\n)+)", re.M
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_pages_show_what_the_package_makes(name: str) -> None:
    """`python -m tests.spec.examples` would change no page."""
    assert shown(name) == EXAMPLES[name]()


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_pages_say_what_is_normative_and_since_when(page: Path) -> None:
    """The paragraph below the title names dates, and releases that are in the changelog."""
    status = page.read_text(encoding="utf-8").split("\n\n")[1]
    assert "normative" in status
    assert re.search(r" on \d+ \w+ 20\d\d", status)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r" release (\d[\d.]*\d)", status)
    assert releases
    known = re.findall(r"^## (\d[\d.]*\d) - ", changes, re.M)
    coming = [release for release in releases if release not in known]
    assert not coming or ("\n## Unreleased\n" in changes and min(coming) > max(known))


@pytest.mark.parametrize("name", ["scrambling-v1", "encryption-v1", "pictures-v1"])
def test_the_pictures_of_the_pages_are_made_step_by_step(name: str) -> None:
    """Every header and the samples below it are those that `forge` makes by the pages."""
    samples = [bytes.fromhex(text) for text in PROTECTED.findall(shown(name))]
    for header, data in zip(headers(name), samples, strict=True):
        options: dict[str, Any] = {"scheme": header.scheme, "salt": SALT.hex()}
        options |= {"frame": {"samples": little(PLAIN).hex(), "shape": [6, 6], "dtype": "uint8"}}
        if header.kdf is not None:
            options |= {"kdf": header.kdf, "passphrase": SPOKEN}
        if header.salt is None:
            options["context"] = CONTEXT
        if header.encrypted_metadata is not None:
            options["extras"] = {"bytes": EXTRAS.hex()}
        result = forged(options)
        assert (result.header, result.frame.data) == (header.to_bytes(), data)


def field(page: str, name: str) -> str:
    """What stands beside a name in the example of a page, without its line ends."""
    match = re.search(rf"^{name} +(.*\n(?: {{15}}.*\n)*)", shown(page), re.M)
    assert match is not None
    return " ".join(match[1].split())


def test_the_reference_makes_the_sheet_of_the_page() -> None:
    """With the same header and samples."""
    picture: robust.Picture = [[(sample,) for sample in row] for row in PLAIN.tolist()]
    header, sheet = robust.scramble(picture, MASTER, salt=SALT, profile=0)
    assert header.hex() == field("robust-v1", "header")
    digest = hashlib.sha256(np.array(sheet, dtype=np.uint8).tobytes()).hexdigest()
    assert field("robust-v1", "SHA-256").startswith(digest)
