"""EXIF rebuilt from the tags that are allowed, each value looked at.

Never copied: notes of makers, tables of sensors and of colors, tags that lead to pictures or to
other directories, and every number that is not listed here.

References
----------
.. [1] CIPA DC-008-2024, "Exchangeable image file format: Exif version 3.0", 4.6.
.. [2] Adobe, "TIFF", revision 6.0, 1992, section 8.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from sudokucrypt.images.cleartext.wrappings import MOST_CHARACTERS, is_plain
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.images.tiff import exif

_UTF_8, _SIGNED_RATIONAL = 129, 10


class Rule(NamedTuple):
    """What the values of a tag must be: wide text is UTF-16, coded text names its code first."""

    form: Literal["numbers", "text", "wide text", "coded text"]
    kinds: tuple[int, ...]  # the types that they may have
    counts: tuple[int, ...] = ()  # how many numbers there may be


def _numbers(*kinds: int, counts: tuple[int, ...] = (1,)) -> Rule:
    return Rule("numbers", kinds, counts)


_SHORT, _LONG, _INTEGER = _numbers(d.SHORT), _numbers(d.LONG), _numbers(d.SHORT, d.LONG)
_RATIO, _SIGNED = _numbers(d.RATIONAL), _numbers(_SIGNED_RATIONAL)
_ANGLE = _numbers(d.RATIONAL, counts=(3,))
_CODE, _LETTERS = _numbers(d.UNDEFINED), _numbers(d.UNDEFINED, counts=(4,))
_TEXT = Rule("text", (d.ASCII, _UTF_8))
_WIDE_TEXT = Rule("wide text", (d.BYTE, d.UNDEFINED))
_CODED_TEXT = Rule("coded text", (d.UNDEFINED,))

# What the directories about file, shot and place may hold.
FILE: Final[Mapping[int, Rule]] = {
    # Description, make, model, software, time, artist, computer, copyright.
    **dict.fromkeys((270, 271, 272, 305, 306, 315, 316, 33432), _TEXT),
    **dict.fromkeys((274, 296, 531), _SHORT),  # orientation, unit, place of color samples
    **dict.fromkeys((282, 283), _RATIO),  # pixels per unit
    **dict.fromkeys((18246, 18249), _SHORT),  # stars and percents of Windows
    **dict.fromkeys(range(40091, 40096), _WIDE_TEXT),  # title and such of Windows
}
SHOT: Final[Mapping[int, Rule]] = {
    **dict.fromkeys((33434, 33437, 37122, 37378, *range(37381, 37383), 37386), _RATIO),
    **dict.fromkeys((37889, 37890, 37892, 41483, 41486, 41487, 41493, 41988, 42240), _RATIO),
    **dict.fromkeys((37377, 37379, 37380, 37888, 37891, 37893), _SIGNED),
    **dict.fromkeys((34850, 34864, *range(37383, 37386), 40961, 41488, 41495), _SHORT),
    **dict.fromkeys((*range(41985, 41988), *range(41989, 41995), 41996, 42080), _SHORT),
    **dict.fromkeys(range(34865, 34870), _LONG),  # sensitivities
    **dict.fromkeys((40962, 40963), _INTEGER),  # columns and rows
    34855: _numbers(d.SHORT, counts=(1, 2)),  # sensitivity
    37396: _numbers(d.SHORT, counts=(2, 3, 4)),  # where the subject is
    **dict.fromkeys((41492, 42081), _numbers(d.SHORT, counts=(2,))),
    42034: _numbers(d.RATIONAL, counts=(4,)),  # focal lengths and apertures of the lens
    **dict.fromkeys((36864, 37121, 40960), _LETTERS),  # versions, order of channels
    **dict.fromkeys((41728, 41729), _CODE),  # kinds of source and scene
    **dict.fromkeys((34852, 36867, 36868, *range(36880, 36883), *range(37520, 37523)), _TEXT),
    **dict.fromkeys((40964, 42016, *range(42032, 42034), *range(42035, 42045)), _TEXT),
    37510: _CODED_TEXT,  # comment
}
PLACE: Final[Mapping[int, Rule]] = {
    0: _numbers(d.BYTE, counts=(4,)),  # version
    5: _numbers(d.BYTE),  # above or below the sea
    30: _SHORT,  # corrected or not
    **dict.fromkeys((6, 11, 13, 15, 17, 24, 26, 31), _RATIO),
    **dict.fromkeys((2, 4, 7, 20, 22), _ANGLE),  # places, and the time of day
    **dict.fromkeys((1, 3, 8, 9, 10, 12, 14, 16, 18, 19, 21, 23, 25, 29), _TEXT),
    **dict.fromkeys((27, 28), _CODED_TEXT),  # method, and name of the area
}
# How files go together.
INTEROPERABILITY: Final[Mapping[int, Rule]] = {
    **dict.fromkeys((1, 4096), _TEXT),
    2: _LETTERS,
    **dict.fromkeys((4097, 4098), _INTEGER),
}

_LIMIT: Final = 16 * 2**20
_COPYRIGHT: Final = 33432
_CODE_LENGTH: Final = 8
_ASCII_CODE, _UNICODE_CODE = b"ASCII\0\0\0", b"UNICODE\0"
_EUROPEAN = re.compile("[\0-\u052f\u2010-\u2044\u20ac]*")
_CODECS: Final[Mapping[d.Order, str]] = {"<": "utf-16-le", ">": "utf-16-be"}


def cleartext_exif(block: bytes | None) -> bytes | None:
    """Return a block with nothing but the allowed tags, or none if there is none to be made."""
    parsed = exif.Block.parse(block) if block and len(block) <= _LIMIT else None
    if parsed is None:
        return None
    order, tree = parsed.order, parsed.tree
    branches = {
        exif.EXIF: _tree(tree.branches.get(exif.EXIF), SHOT, order),
        exif.GPS: _tree(tree.branches.get(exif.GPS), PLACE, order),
    }
    top = _tree(tree, FILE, order)
    return exif.build(order, d.Tree(top.fields, {tag: t for tag, t in branches.items() if t}))


def _tree(tree: d.Tree | None, rules: Mapping[int, Rule], order: d.Order) -> d.Tree:
    """Return what is allowed of a directory, and of the one about interoperability below it."""
    if tree is None:
        return d.Tree()
    fields = {}
    for tag, field in tree.fields.items():
        value = _value(tag, field, rules[tag], order) if tag in rules else None
        if value is not None:
            fields[tag] = value
    deeper = _tree(tree.branches.get(exif.INTEROPERABILITY), INTEROPERABILITY, order)
    return d.Tree(fields, {exif.INTEROPERABILITY: deeper} if deeper else {})


def _value(tag: int, field: d.Field, rule: Rule, order: d.Order) -> d.Field | None:
    if field.kind not in rule.kinds:
        return None
    if rule.form == "numbers":
        return field if len(field.data) // d.SIZES[field.kind] in rule.counts else None
    if rule.form == "text":
        data = _text(field.data, parts=2 if tag == _COPYRIGHT else 1)
    elif rule.form == "wide text":
        data = _wide_text(field.data, _CODECS["<"], end=True)
    else:
        data = _coded_text(field.data, order)
    return None if data is None else d.Field(field.kind, data)


def _text(data: bytes, *, parts: int = 1) -> bytes | None:
    """Return a text with its end, and nothing behind it; photographer and editor are two parts."""
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


def _coded_text(data: bytes, order: d.Order) -> bytes | None:
    code, rest = data[:_CODE_LENGTH], data[_CODE_LENGTH:]
    if code == _UNICODE_CODE:
        text = _wide_text(rest, _CODECS[order], end=False)
    else:
        plain = code in (_ASCII_CODE, bytes(_CODE_LENGTH)) and rest.isascii()
        text = _text(rest) if plain else None
        text = text and text.removesuffix(b"\0")
    return None if text is None else code + text
