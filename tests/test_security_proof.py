"""The page on the security proof: its numbers, its quotations, and what it says of labels."""

import hashlib
import itertools
import re
from math import log2
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
PROOF = (DOCS / "explanation" / "security-proof.md").read_text(encoding="utf-8")
SCRAMBLING = (DOCS / "spec" / "scrambling-v1.md").read_text(encoding="utf-8")
PREFIX = b"sudokucrypt/v1/"
EXAMPLE = {"q_e": 2**32, "q_d": 2**40, "c": 2**32, "l": 2**20}
"""The symbols of the section on the bound in numbers."""


def tables(page: str, heading: str) -> list[list[list[str]]]:
    """Return the cells of each table under a heading, without its first two rows."""
    section = re.split(rf"^#+ {re.escape(heading)}\n", page, flags=re.MULTILINE)[1]
    section = re.split(r"^#+ ", section, flags=re.MULTILINE)[0]
    result = re.findall(r"(?:^\|.*\|\n)+", section, re.MULTILINE)
    return [
        [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()[2:]]
        for table in result
    ]


def value(formula: str, work: int) -> float:
    """Return what a formula of the page gives for t units of work."""
    product = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", formula.strip("`")).replace("^", "**")
    return float(eval(product, {"__builtins__": {}}, {**EXAMPLE, "t": work}))  # noqa: S307


def find_shown(probability: float) -> str:
    return f"2^{log2(probability):.1f}"


def test_numbers_are_those_of_the_formulas() -> None:
    """Every row of both tables, and the sum, is what its formula gives."""
    summed, beside = tables(PROOF, "The bound in numbers")
    *rows, (label, _, *sums) = summed
    assert label == "**sum**"
    assert len(rows) == 6
    for column, work in enumerate((2**80, 2**100)):
        for row in rows + beside:
            assert row[2 + column] == find_shown(value(row[1], work)), row
        assert sums[column] == find_shown(sum(value(row[1], work) for row in rows))
        assert sum(value(row[1], work) for row in rows) < work**2 / 2**256


def test_blocks_hold_every_message() -> None:
    """A message has at most l blocks in the largest header, and an info at most three."""
    header = 33554432
    assert f"longer than {header} bytes" in SCRAMBLING
    assert f"at most {header} bytes" in PROOF
    digests = 2**32 // 2**20 * 32
    assert hmac_blocks(8 + header + 8 + digests) <= EXAMPLE["l"]
    longest = max(map(len, labels())) + len("/frame/4294967295")
    assert hmac_blocks(len(PREFIX) + longest + 1 + 32 + 1) <= 3


def hmac_blocks(length: int) -> int:
    """Return how many blocks the inner hash of HMAC-SHA-256 has for a message of this length."""
    return -(-(64 + length + 1 + 8) // 64)


def test_quotations_stand_in_the_specification() -> None:
    """Every quotation stands, word for word, under the heading that its link names."""
    pattern = r'\(\.\./spec/([\w-]+\.md)#([\w-]+)\): ((?:"[^"]+"(?:, and )?)+)'
    result = re.findall(pattern, PROOF)
    assert len(result) >= 16
    for name, anchor, quoted in result:
        section = find_section((DOCS / "spec" / name).read_text(encoding="utf-8"), anchor)
        for words in re.findall(r'"([^"]+)"', quoted.replace(r"\|", "|")):
            assert words in section, (name, anchor, words)


def find_section(page: str, anchor: str) -> str:
    """Return the text from the heading with this anchor to the next one of its depth or less."""
    parts = re.split(r"^(#+) (.+)\n", page, flags=re.MULTILINE)[1:]
    headings = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
    names = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for _, title, _ in headings]
    start = names.index(anchor)
    deeper = itertools.takewhile(
        lambda heading: len(heading[0]) > len(headings[start][0]), headings[start + 1 :]
    )
    return "\n".join([headings[start][2], *(text for _, _, text in deeper)])


def labels() -> dict[str, str]:
    """Return the uses in the table of section 1 with their levels."""
    (rows,) = tables(SCRAMBLING, "Subkeys")
    uses = [(use, level) for level, cell, *_ in rows for use in re.findall(r"`([^`]+)`", cell)]
    assert len(uses) == len(dict(uses)) >= 15
    return dict(uses)


def with_parts() -> set[str]:
    """Return all uses, with those of some parts of a JPEG."""
    framed = ("picture/permutation", "picture/dc", "picture/ac")
    return set(labels()) | {
        f"{use}/frame/{frame}"
        for use in labels()
        if use.startswith(framed)
        for frame in (1, 2, 10, 12, 112)
    }


def test_labels_belong_to_one_level() -> None:
    """A use is printable ASCII, names its level, and names no part."""
    for use, level in labels().items():
        assert re.fullmatch(r"[a-z/-]+", use)
        assert use.startswith("lock" if level == "passphrase" else f"{level}/")
        assert "/frame/" not in use


def test_infos_are_injective() -> None:
    """Use and context are read back from every info, whatever bytes the context holds."""
    contexts = (None, b"", b"\0", b"a", b"a\0", bytes(32), b"/right\0", *map(str.encode, labels()))
    infos = set()
    for use, context in itertools.product(with_parts(), contexts):
        info = PREFIX + use.encode() + (b"" if context is None else b"\0" + context)
        name, zero, rest = info.removeprefix(PREFIX).partition(b"\0")
        assert (name.decode(), rest if zero else None) == (use, context)
        infos.add(info)
    assert len(infos) == len(with_parts()) * len(contexts)


def test_labels_of_the_construction_are_in_the_table() -> None:
    """The page derives nothing under a label that the specification lacks."""
    (block,) = re.findall(r"^```text\n(message.*?)^```$", PROOF, re.MULTILINE | re.DOTALL)
    used = re.findall(r"D\([KP], ([a-z/]+)", block)
    assert set(used) == {use for use in labels() if re.fullmatch(r"[a-z]+/[a-z]+", use)} - {
        "master/id",
        "master/map",
        "master/context",
        "picture/dc",  # of the scheme for JPEG files, which is not in this block
        "picture/ac",
    }


def test_scrypt_does_not_commit_to_the_passphrase() -> None:
    """A short passphrase and the same with a zero byte have one key, as the page says."""
    first, second = (hashlib.scrypt(text, salt=bytes(16), n=2, r=8, p=1) for text in (b"a", b"a\0"))
    assert first == second
