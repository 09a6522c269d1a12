"""Netpbm: PBM, PGM, PPM, PAM and PFM, as text or binary.

::

    P6  # comment           P7                  PF
    columns rows 255        WIDTH columns       columns rows
    samples                 HEIGHT rows         -1.0
                            DEPTH 4             samples
                            MAXVAL 255
                            TUPLTYPE RGB_ALPHA
                            ENDHDR
                            samples
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from sudokucrypt.images.bits import unpack_bits
from sudokucrypt.images.driver import Driver
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import NATURAL_MODES, Frame, Picture
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

_START = re.compile(rb"P[1-7Ff][ \t\n\v\f\r#]")
_SPACE = b" \t\n\v\f\r"
_DIGITS_AND_SPACE = b"0123456789" + _SPACE
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
class _Header:
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


def _read_header(source: Source) -> _Header:
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
    return _Header(
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


def _read_array_header(source: Source, start: bytes) -> _Header:
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
    return _Header(
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


def _decode(source: Source) -> Picture:
    """Read a Netpbm picture; see `read_picture` for what is raised."""
    header = _read_header(source)
    width = header.dtype.itemsize
    shape = source.shape(header.rows, header.columns, header.channels, width=width)
    if header.kind == b"1":
        samples = _read_digits(source, header)
    elif header.kind in (b"2", b"3"):
        samples = _read_numbers(source, header)
    else:
        samples = _read_binary(source, header)
    samples = samples.reshape(shape)
    if header.kind in (b"1", b"4"):
        # One is black in a bitmap.
        samples = ~samples
    metadata = Metadata()
    if header.comment:
        metadata = replace(metadata, texts=(("Comment", header.comment),))
    frame = Frame(
        pixels=samples,
        mode=NATURAL_MODES[header.channels],
        bits={3: 2, 15: 4}.get(header.largest),
        metadata=metadata,
    )
    left_out = ("scale",) if header.scaled else ()
    return Picture(frames=(frame,), format="PPM", left_out=left_out)


def _read_binary(source: Source, header: _Header) -> AnyArray:
    """Return samples that fill the rest of the file exactly."""
    columns = header.columns * header.channels
    packed = header.kind == b"4"
    row_bytes = (columns + 7) // 8 if packed else columns * header.dtype.itemsize
    end = header.end + header.rows * row_bytes
    if end > len(source.data):
        raise source.cut_short()
    if end < len(source.data):
        # Either a second picture, or a line end too many before the samples shifted them all.
        raise source.unsupported("a Netpbm file with more bytes than one picture has")
    lines = np.frombuffer(source.data, np.uint8, end - header.end, header.end)
    lines = lines.reshape(header.rows, row_bytes)
    if packed:
        return unpack_bits(lines, 1, columns)
    if header.dtype.kind == "f":
        floats: AnyArray = lines[::-1].copy().view(header.dtype).astype(np.float32)
        return floats
    return _narrowed(source, lines.view(header.dtype), header)


def _read_digits(source: Source, header: _Header) -> AnyArray:
    """Return a bitmap written as zeros and ones, with or without space between them."""
    digits = source.data[header.end :].translate(None, _SPACE)
    if digits.translate(None, b"01"):
        raise source.damaged("its samples are not all 0 or 1")
    count = header.rows * header.columns
    if len(digits) != count:
        raise source.damaged(f"it promises {count} samples and holds {len(digits)}")
    ones: AnyArray = np.frombuffer(digits, np.uint8) == ord("1")
    return ones


def _read_numbers(source: Source, header: _Header) -> AnyArray:
    """Return samples written as decimal numbers."""
    text = source.data[header.end :]
    # A file cut inside its last number would pass for a whole one.
    if not text.endswith(tuple(bytes([space]) for space in _SPACE)):
        raise source.cut_short()
    if text.translate(None, _DIGITS_AND_SPACE):
        raise source.damaged("its samples are not all numbers")
    samples = np.fromstring(text, dtype=np.int64, sep=" ")
    count = header.rows * header.columns * header.channels
    if len(samples) != count:
        raise source.damaged(f"it promises {count} samples and holds {len(samples)}")
    return _narrowed(source, samples, header)


def _narrowed(source: Source, samples: AnyArray, header: _Header) -> AnyArray:
    """Return samples in the type that a frame has them in."""
    if samples.max() > header.largest:
        raise source.damaged("a sample is larger than the largest value")
    if header.largest == 1:
        return samples.astype(np.bool_)
    return samples.astype(np.uint16 if header.largest > 255 else np.uint8)


DRIVER: Final = Driver(
    name="PPM",
    suffixes=(".ppm", ".pgm", ".pbm", ".pnm", ".pam", ".pfm"),
    matches=lambda data: _START.match(data) is not None,
    decode=_decode,
    title="Netpbm",
)
