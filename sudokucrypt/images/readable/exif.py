"""EXIF rebuilt from the tags that are allowed, each value looked at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.readable.exif_tags import FILE, INTEROPERABILITY, PLACE, SHOT
from sudokucrypt.images.readable.plain_text import MOST_CHARACTERS, is_plain
from sudokucrypt.images.tiff import exif
from sudokucrypt.images.tiff.directory import SIZES, Field, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.images.readable.exif_tags import Rule
    from sudokucrypt.images.tiff.directory import Order

_LIMIT: Final = 16 * 2**20
_COPYRIGHT: Final = 33432
_CODE_LENGTH: Final = 8
_ASCII_CODE, _UNICODE_CODE = b"ASCII\0\0\0", b"UNICODE\0"
_EUROPEAN = re.compile("[\0-\u052f\u2010-\u2044\u20ac]*")
_CODECS: Final[Mapping[Order, str]] = {"<": "utf-16-le", ">": "utf-16-be"}


def readable_exif(block: bytes | None) -> bytes | None:
    """Return a block with nothing but the allowed tags, or none if there is none to be made."""
    if block is None or len(block) > _LIMIT:
        return None
    parsed = exif.Block.parse(block)
    if parsed is None:
        return None
    order, tree = parsed.order, parsed.tree
    branches = {
        exif.EXIF: _tree(tree.branches.get(exif.EXIF), SHOT, order),
        exif.GPS: _tree(tree.branches.get(exif.GPS), PLACE, order),
    }
    top = _tree(tree, FILE, order)
    return exif.build(order, Tree(top.fields, {tag: t for tag, t in branches.items() if t}))


def _tree(tree: Tree | None, rules: Mapping[int, Rule], order: Order) -> Tree:
    """Return what is allowed of a directory, and of the one about interoperability below it."""
    if tree is None:
        return Tree()
    fields = {}
    for tag, field in tree.fields.items():
        value = _value(tag, field, rules[tag], order) if tag in rules else None
        if value is not None:
            fields[tag] = value
    deeper = _tree(tree.branches.get(exif.INTEROPERABILITY), INTEROPERABILITY, order)
    return Tree(fields, {exif.INTEROPERABILITY: deeper} if deeper else {})


def _value(tag: int, field: Field, rule: Rule, order: Order) -> Field | None:
    """Return the value of a tag if it is what it must be."""
    if field.kind not in rule.kinds:
        return None
    if rule.form == "numbers":
        return field if len(field.data) // SIZES[field.kind] in rule.counts else None
    if rule.form == "text":
        data = _text(field.data, parts=2 if tag == _COPYRIGHT else 1)
    elif rule.form == "wide text":
        data = _wide_text(field.data, _CODECS["<"], end=True)
    else:
        data = _coded_text(field.data, order)
    return None if data is None else Field(field.kind, data)


def _text(data: bytes, *, parts: int = 1) -> bytes | None:
    """Return a text with its end; what follows the end is not copied.

    A copyright notice has two parts, for the photographer and for the editor.
    """
    found = b"\0".join(data.split(b"\0")[:parts]).rstrip(b"\0")
    try:
        text = found.decode()
    except UnicodeDecodeError:
        return None
    return found + b"\0" if is_plain(text.replace("\0", "\n")) else None


def _wide_text(data: bytes, codec: str, *, end: bool) -> bytes | None:
    """Return a text in UTF-16, of the scripts of Europe.

    Most pairs of bytes are characters of the scripts of Asia: samples could pass for those. XMP has
    them in UTF-8, for which samples cannot pass.
    """
    if len(data) > 4 * MOST_CHARACTERS or len(data) % 2:
        return None
    try:
        text = data.decode(codec).partition("\0")[0]
    except UnicodeDecodeError:
        return None
    if not _EUROPEAN.fullmatch(text) or not is_plain(text):
        return None
    return (text + "\0" * end).encode(codec)


def _coded_text(data: bytes, order: Order) -> bytes | None:
    """Return a text behind the name of its code."""
    code, rest = data[:_CODE_LENGTH], data[_CODE_LENGTH:]
    if code == _UNICODE_CODE:
        text = _wide_text(rest, _CODECS[order], end=False)
    elif code in (_ASCII_CODE, bytes(_CODE_LENGTH)) and rest.isascii():
        text = _text(rest)
        text = None if text is None else text[:-1]
    else:
        return None
    return None if text is None else code + text
