"""Of EXIF only the tags that are allowed are copied, with values of the right form."""

import struct
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.images.cleartext.exif import (
    FILE,
    INTEROPERABILITY,
    PLACE,
    SHOT,
    Rule,
    cleartext_exif,
)
from sudokucrypt.images.tiff.directory import SIZES, Field, Order, Tree
from sudokucrypt.images.tiff.exif import Block, build

_ORDERS: tuple[Order, ...] = ("<", ">")
_SECRET = bytes(range(7, 47))
_TEXTS = {
    "text": b"Lake, early morning\0",
    "wide text": "See, früh am Morgen\0".encode("utf-16-le"),
    "coded text": b"ASCII\0\0\0Lake, early morning",
}


def _field(rule: Rule) -> Field:
    """A value that a rule allows."""
    if rule.form == "numbers":
        return Field(rule.kinds[0], bytes(range(1, 1 + SIZES[rule.kinds[0]])) * rule.counts[0])
    return Field(rule.kinds[0], _TEXTS[rule.form])


def _fields(rules: Mapping[int, Rule]) -> dict[int, Field]:
    return {tag: _field(rule) for tag, rule in rules.items()}


def _block(
    file: Mapping[int, Field], shot: Mapping[int, Field] | None = None, order: Order = "<"
) -> bytes:
    branches = {} if shot is None else {34665: Tree(dict(shot))}
    block = build(order, Tree(dict(file), branches))
    assert block is not None
    return block


def _tree(block: bytes | None) -> Tree:
    parsed = Block.parse(block or b"")
    assert parsed is not None
    return parsed.tree


@pytest.mark.parametrize("order", _ORDERS)
def test_everything_that_is_allowed_is_copied(order: Order) -> None:
    """A block of all allowed tags, and no others, is copied byte for byte."""
    shot = Tree(_fields(SHOT), {40965: Tree(_fields(INTEROPERABILITY))})
    block = build(order, Tree(_fields(FILE), {34665: shot, 34853: Tree(_fields(PLACE))}))
    assert cleartext_exif(block) == block


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.slow)])
def test_every_other_tag_is_dropped(step: int) -> None:
    """Of all 65535 tags in each directory those that are not listed are gone."""
    values = Field(7, b"\1\2\3")
    pointers = {34665, 34853, 40965}
    tags = {tag: values for tag in range(1, 65536, step) if tag not in pointers}
    for first in range(0, 65536, 8192):
        part = {tag: value for tag, value in tags.items() if first <= tag < first + 8192}
        block = _block({271: Field(2, b"Maker\0")} | {t: v for t, v in part.items() if t != 271})
        allowed = {tag for tag, rule in FILE.items() if 7 in rule.kinds} - set(range(40091, 40096))
        assert set(_tree(cleartext_exif(block)).fields) == {271} | allowed & part.keys()
    block = _block({271: Field(2, b"Maker\0")}, {t: v for t, v in tags.items() if t < 60000})
    assert cleartext_exif(block) == _block({271: Field(2, b"Maker\0")})


@pytest.mark.parametrize("order", _ORDERS)
def test_thumbnails_and_gaps_are_dropped(order: Order) -> None:
    """The second directory, its picture, and bytes between or behind values are not copied."""
    block = _block({271: Field(2, b"A maker\0")}, {37500: Field(7, _SECRET)}, order)
    size = len(block)
    end = 10 + 12 * struct.unpack(order + "H", block[8:10])[0]
    second = struct.pack(order + "HHHIII", 1, 513, 4, 1, size + 18, 0)
    whole = block[:end] + struct.pack(order + "I", size) + block[end + 4 :] + second + _SECRET
    parsed = Block.parse(whole)
    assert parsed is not None
    assert parsed.thumbnail
    assert cleartext_exif(whole) == _block({271: Field(2, b"A maker\0")}, order=order)


@pytest.mark.parametrize(
    ("tag", "field"),
    [
        (271, Field(7, b"Maker\0")),  # a type that the tag does not have
        (271, Field(2, b"")),
        (271, Field(2, b"\0Maker\0")),
        (271, Field(2, _SECRET)),  # no text
        (270, Field(2, b"\xff\xfe\0")),
        (270, Field(2, b"x" * 1025 + b"\0")),
        (270, Field(2, b"/9j/4AAQ" * 8 + b"\0")),  # coded bytes
        (274, Field(3, bytes(4))),  # too many numbers
        (282, Field(5, bytes(16))),
        (40091, Field(1, b"odd")),
        (40091, Field(1, b"\0\xd8\0\xd8")),  # half a surrogate
        (40091, Field(1, "x".encode("utf-16-le") * 2049)),
        (34377, Field(1, _SECRET)),
        (700, Field(1, b"<x/>")),
        (330, Field(4, bytes(4))),
        (513, Field(4, bytes(4))),
    ],
)
def test_values_of_another_form_are_dropped(tag: int, field: Field) -> None:
    """What a tag cannot be is not copied, and the rest is."""
    block = _block({272: Field(2, b"Model 1\0"), tag: field})
    assert cleartext_exif(block) == _block({272: Field(2, b"Model 1\0")})


@pytest.mark.parametrize(
    ("comment", "copied"),
    [
        (b"ASCII\0\0\0Early morning\0\0\0", b"ASCII\0\0\0Early morning"),
        (bytes(8) + b"Early morning", bytes(8) + b"Early morning"),
        (
            b"UNICODE\0" + "früh\0more".encode("utf-16-le"),
            b"UNICODE\0" + "früh".encode("utf-16-le"),
        ),
        (b"ASCII\0\0\0" + _SECRET, None),
        (b"ASCII\0\0\0caf\xe9", None),
        (b"UNICODE\0" + bytes(range(128, 168)), None),
        (bytes(8) + _SECRET, None),
        (b"JIS\0\0\0\0\0text", None),
        (b"ASCII", None),
        (b"ASCII\0\0\0\0\0", None),
    ],
)
def test_comments_are_texts(comment: bytes, copied: bytes | None) -> None:
    """A comment is copied up to its end if it is text, and else not at all."""
    tree = _tree(cleartext_exif(_block({271: Field(2, b"Maker\0")}, {37510: Field(7, comment)})))
    expected = {} if copied is None else {34665: Tree({37510: Field(7, copied)})}
    assert tree.branches == expected


def test_what_follows_the_end_of_a_text_is_dropped() -> None:
    """Texts end at their first zero; a copyright notice has two parts."""
    fields = {tag: Field(2, b"one\0two\0three\0") for tag in (271, 33432)}
    assert _tree(cleartext_exif(_block(fields))).fields == {
        271: Field(2, b"one\0"),
        33432: Field(2, b"one\0two\0"),
    }


_BASE = build(
    "<",
    Tree(
        {**_fields(FILE), 65000: Field(7, _SECRET)},
        {34665: Tree({**_fields(SHOT), 37500: Field(7, _SECRET)}), 34853: Tree(_fields(PLACE))},
    ),
)


@settings(max_examples=60)
@given(st.data())
def test_damaged_blocks(data: st.DataObject) -> None:
    """Whatever bytes are changed, nothing is raised, and the copy is its own copy."""
    assert _BASE is not None
    block = bytearray(_BASE)
    for _ in range(data.draw(st.integers(1, 6))):
        block[data.draw(st.integers(0, len(block) - 1))] = data.draw(st.integers(0, 255))
    copy = cleartext_exif(bytes(block[: data.draw(st.integers(len(block) // 2, len(block)))]))
    assert cleartext_exif(copy) == copy


@given(st.binary(max_size=200), st.sampled_from([b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08", b""]))
def test_any_bytes(rest: bytes, start: bytes) -> None:
    """Nothing is raised, and the copy is its own copy."""
    copy = cleartext_exif(start + rest)
    assert cleartext_exif(copy) == copy
