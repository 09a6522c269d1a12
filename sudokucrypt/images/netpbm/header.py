"""The text in front of the samples of a Netpbm file.

::

    P5 # comment        P7                  PF
    columns rows 255    WIDTH columns       columns rows
                        HEIGHT rows         -1.0
                        DEPTH 4
                        MAXVAL 255
                        TUPLTYPE RGB_ALPHA
                        ENDHDR
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source

_GAP = rb"(?:[ \t\n\v\f\r]|#[^\n\r]*[\n\r])+"
_NUMBER = _GAP + rb"(\d{1,9})"
_ONE_SPACE = rb"[ \t\n\v\f\r]"
_BITMAP = re.compile(rb"P[14]" + _NUMBER * 2 + _ONE_SPACE)
_GRAY_OR_COLOR = re.compile(rb"P[2356]" + _NUMBER * 3 + _ONE_SPACE)
_FLOATS = re.compile(rb"P[fF]" + _NUMBER * 2 + _GAP + rb"([-+]?[0-9.eE+-]{1,30})\r?" + _ONE_SPACE)
_ARRAY = re.compile(rb"P7[ \t]*\n(?:[^\n]*\n)*?ENDHDR[ \t]*\n")
_LINE = re.compile(rb"([A-Z]+)[ \t]+(.*?)[ \t\r]*")
_COMMENT = re.compile(rb"#([^\n\r]*)")
_CHANNELS: Final = {b"1": 1, b"2": 1, b"3": 3, b"4": 1, b"5": 1, b"6": 3, b"f": 1, b"F": 3}
# Kinds of pixels in a PAM file; without a name their number of channels says it all.
_KINDS: Final = {
    b"": (1, 2, 3, 4),
    b"BLACKANDWHITE": (1,),
    b"BLACKANDWHITE_ALPHA": (2,),
    b"GRAYSCALE": (1,),
    b"GRAYSCALE_ALPHA": (2,),
    b"RGB": (3,),
    b"RGB_ALPHA": (4,),
}
_DEPTHS: Final = (1, 3, 15, 255, 65535)
_LONGEST: Final = 2**20


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a Netpbm file says of itself.

    Parameters
    ----------
    kind : bytes
        The character behind the P.
    rows, columns, channels : int
        The picture.
    largest : int
        The value that stands for white; 0 for floats.
    dtype : dtype
        Type of binary samples in the file.
    end : int
        Where the samples begin.
    comment : str
        All comments, one a line.
    scaled : bool
        Whether floats count in another unit than 1.
    """

    kind: bytes
    rows: int
    columns: int
    channels: int
    largest: int
    dtype: np.dtype[Any]
    end: int
    comment: str
    scaled: bool = False


def read_header(source: Source) -> Header:
    """Return what the file says of itself.

    Raises
    ------
    InvalidImageError
        If something is missing.
    UnsupportedError
        If the samples do not fill whole bits: 0..1023 would have to be scaled.
    """
    kind = source.data[1:2]
    start = source.data[:_LONGEST]
    if kind == b"7":
        return _read_array_header(source, start)
    pattern = {b"1": _BITMAP, b"4": _BITMAP, b"f": _FLOATS, b"F": _FLOATS}.get(kind, _GRAY_OR_COLOR)
    match = pattern.match(start)
    if match is None:
        raise source.damaged("its header is not two sides and a largest value")
    columns, rows = int(match[1]), int(match[2])
    largest, scaled, dtype = 1, False, np.dtype("u1")
    if pattern is _FLOATS:
        largest, scaled, dtype = 0, *_read_scale(source, match[3])
    elif pattern is _GRAY_OR_COLOR:
        largest, dtype = _read_largest(source, int(match[3]))
    return Header(
        kind=kind,
        rows=rows,
        columns=columns,
        channels=_CHANNELS[kind],
        largest=largest,
        dtype=dtype,
        end=match.end(),
        comment=_read_comment(match[0]),
        scaled=scaled,
    )


def _read_array_header(source: Source, start: bytes) -> Header:
    """Return what the lines of a PAM file say."""
    match = _ARRAY.match(start)
    if match is None:
        raise source.damaged("its header has no end")
    values: dict[bytes, bytes] = {}
    comments = []
    for line in match[0].split(b"\n")[1:-2]:
        if line.startswith(b"#"):
            comments.append(line)
        elif found := _LINE.fullmatch(line):
            # A kind may take several lines; then no program knows it.
            values[found[1]] = values.get(found[1], b"") + found[2]
        elif line.strip():
            raise source.damaged("a line of its header is no name and value")
    numbers = []
    for name in (b"HEIGHT", b"WIDTH", b"DEPTH", b"MAXVAL"):
        text = values.get(name, b"")
        if not text.isdigit() or len(text) > 9:
            raise source.damaged(f"its header has no {name.decode()}")
        numbers.append(int(text))
    rows, columns, channels, largest = numbers
    if channels not in _KINDS.get(values.get(b"TUPLTYPE", b""), ()):
        raise source.unsupported("a PAM with channels that are not gray, RGB and alpha")
    largest, dtype = _read_largest(source, largest)
    return Header(
        kind=b"7",
        rows=rows,
        columns=columns,
        channels=channels,
        largest=largest,
        dtype=dtype,
        end=match.end(),
        comment=_read_comment(b"\n".join(comments)),
    )


def _read_largest(source: Source, largest: int) -> tuple[int, np.dtype[Any]]:
    if largest not in _DEPTHS:
        depths = "/".join(str(depth) for depth in _DEPTHS)
        raise source.unsupported(f"a Netpbm file with {largest} as largest value, not {depths}")
    return largest, np.dtype(">u2" if largest > 255 else "u1")


def _read_scale(source: Source, text: bytes) -> tuple[bool, np.dtype[Any]]:
    """Return whether the scale is not 1, and the byte order that its sign says."""
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not scale:
        raise source.damaged("its scale is no number")
    return abs(scale) != 1, np.dtype("<f4" if scale < 0 else ">f4")


def _read_comment(head: bytes) -> str:
    lines = [line.strip() for line in _COMMENT.findall(head)]
    data = b"\n".join(line for line in lines if line)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
