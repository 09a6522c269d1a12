"""The page on the security proof: its numbers, quotations and labels."""

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


def read_tables(page: str, heading: str) -> list[list[list[str]]]:
    """Return the cells of each table under a heading, without its first two rows."""
    section = re.split(rf"^#+ {re.escape(heading)}\n", page, flags=re.MULTILINE)[1]
    section = re.split(r"^#+ ", section, flags=re.MULTILINE)[0]
    result = re.findall(r"(?:^\|.*\|\n)+", section, re.MULTILINE)
    return [
        [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()[2:]]
        for table in result
    ]


def evaluate_formula(formula: str, work: int) -> float:
    """Return the value of a formula of the page for t units of work."""
    product = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", formula.strip("`")).replace("^", "**")
    return float(eval(product, {"__builtins__": {}}, {**EXAMPLE, "t": work}))  # noqa: S307


def format_probability(probability: float) -> str:
    return f"2^{log2(probability):.1f}"


def test_numbers_are_those_of_the_formulas() -> None:
    """Each row of both tables, and the sum, has the value of its formula."""
    summed_table, other_table = read_tables(PROOF, "The bound in numbers")
    *rows, (label, _, *formulas) = summed_table
    assert label == "**sum**"
    assert len(rows) == 6
    for column, work in enumerate((2**80, 2**100)):
        for row in rows + other_table:
            assert row[2 + column] == format_probability(evaluate_formula(row[1], work)), row
        assert formulas[column] == format_probability(
            sum(evaluate_formula(row[1], work) for row in rows)
        )
        assert sum(evaluate_formula(row[1], work) for row in rows) < work**2 / 2**256


def test_blocks_hold_every_message() -> None:
    """A message has at most l blocks with the largest header, and an info at most three."""
    header = 33554432
    assert f"longer than {header} bytes" in SCRAMBLING
    assert f"at most {header} bytes" in PROOF
    digests = 2**32 // 2**20 * 32
    assert count_hmac_blocks(8 + header + 8 + digests) <= EXAMPLE["l"]
    longest = max(map(len, read_labels())) + len("/frame/4294967295")
    assert count_hmac_blocks(len(PREFIX) + longest + 1 + 32 + 1) <= 3


def count_hmac_blocks(length: int) -> int:
    """Return the number of blocks that the inner hash of HMAC-SHA-256 has for a message."""
    return -(-(64 + length + 1 + 8) // 64)


def test_quotations_are_in_the_specification() -> None:
    """Each quotation is found, word for word, under the heading of its link."""
    pattern = r'\(\.\./spec/([\w-]+\.md)#([\w-]+)\): ((?:"[^"]+"(?:, and )?)+)'
    result = re.findall(pattern, PROOF)
    assert len(result) >= 16
    for name, anchor, quotations in result:
        section = find_section((DOCS / "spec" / name).read_text(encoding="utf-8"), anchor)
        for quotation in re.findall(r'"([^"]+)"', quotations.replace(r"\|", "|")):
            assert quotation in section, (name, anchor, quotation)


def find_section(page: str, anchor: str) -> str:
    """Return the text under the heading with an anchor, with its subsections."""
    section_parts = re.split(r"^(#+) (.+)\n", page, flags=re.MULTILINE)[1:]
    headings = list(zip(section_parts[::3], section_parts[1::3], section_parts[2::3], strict=True))
    names = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for _, title, _ in headings]
    start_index = names.index(anchor)
    deeper = itertools.takewhile(
        lambda heading: len(heading[0]) > len(headings[start_index][0]), headings[start_index + 1 :]
    )
    return "\n".join([headings[start_index][2], *(text for _, _, text in deeper)])


def read_labels() -> dict[str, str]:
    """Return the uses in the table of section 1 with their levels."""
    (rows,) = read_tables(SCRAMBLING, "Subkeys")
    uses = [(use, level) for level, cell, *_ in rows for use in re.findall(r"`([^`]+)`", cell)]
    assert len(uses) == len(dict(uses)) >= 15
    return dict(uses)


def list_uses() -> set[str]:
    """Return all uses, and some of those for parts of a JPEG."""
    prefixes = ("picture/permutation", "picture/dc", "picture/ac")
    return set(read_labels()) | {
        f"{use}/frame/{frame}"
        for use in read_labels()
        if use.startswith(prefixes)
        for frame in (1, 2, 10, 12, 112)
    }


def test_labels_belong_to_one_level() -> None:
    """A use is printable ASCII, begins with its level, and has no number of a frame."""
    for use, level in read_labels().items():
        assert re.fullmatch(r"[a-z/-]+", use)
        assert use.startswith("lock" if level == "passphrase" else f"{level}/")
        assert "/frame/" not in use


def test_infos_are_injective() -> None:
    """Use and context can be read back from every info, whatever bytes the context has."""
    contexts = (
        None,
        b"",
        b"\0",
        b"a",
        b"a\0",
        bytes(32),
        b"/right\0",
        *map(str.encode, read_labels()),
    )
    infos = set()
    for use, context in itertools.product(list_uses(), contexts):
        info = PREFIX + use.encode() + (b"" if context is None else b"\0" + context)
        name, separator, decoded_context = info.removeprefix(PREFIX).partition(b"\0")
        assert (name.decode(), decoded_context if separator else None) == (use, context)
        infos.add(info)
    assert len(infos) == len(list_uses()) * len(contexts)


def test_labels_of_the_construction_are_in_the_table() -> None:
    """The construction on the page uses exactly the labels of the table, without five of them."""
    (block,) = re.findall(r"^```text\n(message.*?)^```$", PROOF, re.MULTILINE | re.DOTALL)
    used = re.findall(r"D\([KP], ([a-z/]+)", block)
    assert set(used) == {use for use in read_labels() if re.fullmatch(r"[a-z]+/[a-z]+", use)} - {
        "master/id",
        "master/map",
        "master/context",
        "picture/dc",  # of the scheme for JPEG files, which is not in this block
        "picture/ac",
    }


def test_scrypt_does_not_commit_to_the_passphrase() -> None:
    """scrypt gives a passphrase and the same with a zero byte one key, as the page says."""
    first, second = (hashlib.scrypt(text, salt=bytes(16), n=2, r=8, p=1) for text in (b"a", b"a\0"))
    assert first == second
