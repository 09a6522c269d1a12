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

import re
from typing import Final, NamedTuple

import numpy as np

from sudokucrypt.images.bits import unpack_bits
from sudokucrypt.images.foreign.results import still
from sudokucrypt.images.picture import Metadata, Picture
from sudokucrypt.images.source import Source, text_of
from sudokucrypt.typing import AnyArray

_SPACE = b" \t\n\v\f\r"
_GAP = rb"(?:[ \t\n\v\f\r]|#[^\n\r]*[\n\r])+"
_NUMBER = _GAP + rb"(\d{1,9})"
_ONE_SPACE = rb"[ \t\n\v\f\r]"
_BITMAP = re.compile(rb"P[14]" + _NUMBER * 2 + _ONE_SPACE)
_GRAY_OR_COLOR = re.compile(rb"P[2356]" + _NUMBER * 3 + _ONE_SPACE)
_FLOATS = re.compile(rb"P[fF]" + _NUMBER * 2 + _GAP + rb"([-+]?[0-9.eE+-]{1,30})\r?" + _ONE_SPACE)
_PATTERNS: Final = {b"1": _BITMAP, b"4": _BITMAP, b"f": _FLOATS, b"F": _FLOATS}
_ARRAY = re.compile(rb"P7[ \t]*\n(?:[^\n]*\n)*?ENDHDR[ \t]*\n")
_LINE = re.compile(rb"([A-Z]+)[ \t]+(.*?)[ \t\r]*")
_COMMENT = re.compile(rb"#([^\n\r]*)")
# Kinds of pixels in a PAM file; without a name their number of channels says it all.
_KINDS: Final = {
    b"": (1, 2, 3, 4),
    **dict.fromkeys((b"BLACKANDWHITE", b"GRAYSCALE"), (1,)),
    **dict.fromkeys((b"BLACKANDWHITE_ALPHA", b"GRAYSCALE_ALPHA"), (2,)),
    b"RGB": (3,),
    b"RGB_ALPHA": (4,),
}
# Largest values that fill whole bits: 0..1023 would have to be scaled.
_DEPTHS: Final = (1, 3, 15, 255, 65535)
_LONGEST: Final = 2**20


class _Header(NamedTuple):
    """What a Netpbm file says of itself.

    White has the largest value, which is 0 for floats; these may be scaled. The comments stand in
    `head`, and the samples behind its `end`.
    """

    rows: int
    columns: int
    channels: int
    largest: int
    dtype: np.dtype[np.generic]
    head: bytes
    end: int
    scaled: bool = False


def decode(source: Source) -> Picture:
    """Read a Netpbm picture; floats stand from the bottom up, and one is black in a bitmap."""
    kind = source.data[1:2]
    read_header = _read_array_header if kind == b"7" else _read_header
    header = read_header(source, source.data[:_LONGEST])
    sides = (header.rows, header.columns)
    shape = source.shape(*sides, header.channels, width=header.dtype.itemsize)
    read = _read_text if kind in b"123" else _read_binary
    samples = read(source, header, kind)
    bits = {1: 1, 3: 2, 15: 4}.get(header.largest)
    if header.largest:
        if samples.max() > header.largest:
            raise source.damaged("a sample is larger than the largest value")
        if header.largest < 255 and header.channels > 1:
            # PNG, and many programs that read TIFF, have few bits for grays and palettes only.
            samples, bits = samples * np.uint8(255 // header.largest), None
        samples = samples.astype("bool" if bits == 1 else f"u{header.dtype.itemsize}")
    lines = [line.strip() for line in _COMMENT.findall(header.head)]
    comment = text_of(b"\n".join(line for line in lines if line))
    metadata = Metadata(texts=(("Comment", comment),) if comment else ())
    pixels = (~samples if kind in b"14" else samples).reshape(shape)
    dropped = ("scale",) if header.scaled else ()
    return still("PPM", pixels, metadata, dropped, bits=None if bits == 1 else bits)


def _read_header(source: Source, start: bytes) -> _Header:
    """Return what two sides, and a largest value or a scale, say."""
    kind = start[1:2]
    match = _PATTERNS.get(kind, _GRAY_OR_COLOR).match(start)
    if match is None:
        raise source.damaged("its header is not two sides and a largest value")
    sides = (int(match[2]), int(match[1]), 3 if kind in b"36F" else 1)
    if match.re is not _FLOATS:
        largest = int(match[3]) if match.re is _GRAY_OR_COLOR else 1
        return _Header(*sides, largest, _dtype(source, largest), match[0], match.end())
    try:
        scale = float(match[3])
    except ValueError:
        scale = 0.0
    if not scale:
        raise source.damaged("its scale is not a number")
    # Its sign says which byte is the first.
    dtype = np.dtype("<f4" if scale < 0 else ">f4")
    return _Header(*sides, 0, dtype, match[0], match.end(), scaled=abs(scale) != 1)


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
            raise source.damaged("a line of its header is not a name and a value")
    numbers = []
    for name in (b"HEIGHT", b"WIDTH", b"DEPTH", b"MAXVAL"):
        text = values.get(name, b"")
        if not text.isdigit() or len(text) > 9:
            raise source.damaged(f"its header has no {name.decode()}")
        numbers.append(int(text))
    rows, columns, channels, largest = numbers
    if channels not in _KINDS.get(values.get(b"TUPLTYPE", b""), ()):
        raise source.unsupported("a PAM with channels that are not gray, RGB and alpha")
    dtype, head = _dtype(source, largest), b"\n".join(comments)
    return _Header(rows, columns, channels, largest, dtype, head, match.end())


def _dtype(source: Source, largest: int) -> np.dtype[np.generic]:
    if largest not in _DEPTHS:
        depths = "/".join(str(depth) for depth in _DEPTHS)
        raise source.unsupported(f"a Netpbm file with {largest} as largest value, not {depths}")
    return np.dtype(">u2" if largest > 255 else "u1")


def _read_binary(source: Source, header: _Header, kind: bytes) -> AnyArray:
    """Return samples that fill the rest of the file exactly."""
    columns = header.columns * header.channels
    packed = kind == b"4"
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
    if header.largest:
        return lines.view(header.dtype)
    return lines[::-1].copy().view(header.dtype).astype(np.float32)


def _read_text(source: Source, header: _Header, kind: bytes) -> AnyArray:
    """Return samples that are written as numbers, those of bitmaps perhaps without space."""
    text = source.data[header.end :]
    samples: AnyArray
    if kind == b"1":
        digits = text.translate(None, _SPACE)
        if digits.translate(None, b"01"):
            raise source.damaged("its samples are not all 0 or 1")
        samples = np.frombuffer(digits, np.uint8) == ord("1")
    else:
        # A file cut inside its last number would pass for a whole one.
        if not text.endswith(tuple(bytes([space]) for space in _SPACE)):
            raise source.cut_short()
        if text.translate(None, b"0123456789" + _SPACE):
            raise source.damaged("its samples are not all numbers")
        samples = np.fromstring(text, dtype=np.int64, sep=" ")
    count = header.rows * header.columns * header.channels
    if len(samples) != count:
        raise source.damaged(f"it promises {count} samples and holds {len(samples)}")
    return samples
