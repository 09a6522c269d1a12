"""Descriptions alone with a preview, and those whose preview or its place is at fault."""

from collections.abc import Iterator

from tests.vectors.cases_files import file_line
from tests.vectors.line_cases import COLORED, GRAY, Case, line, line_case

MOST = 1048576
START = b"RIFF\4\0\0\0WEBP"
"""The shortest preview. Nothing more of one is looked at."""

_ALONE = line(GRAY, more='"preview":12,', frames=1)
_EXIF = '"metadata":{"exif":2}'
_READABLE = line(f"{COLORED},{_EXIF}", more='"preview":12,"readable":["exif"],', frames=1)
_COLORS = '"palettes":[{"colors":3}],'
_PAINTED = line(f'{GRAY},"palette":0', more=f'"preview":12,{_COLORS}', frames=1)
_ANIMATED = line(more='"preview":12,"animation":{"rows":6,"columns":7,"background":1},')
_FILE = file_line(more={"preview": 12})


def _long(length: int) -> Case:
    """Return a preview of so many bytes; the zeros behind its start are not shown."""
    text = _ALONE.replace("12", str(length))
    bare = len(text) + 1 + length
    zeros = length - len(START) + -bare % 256
    return line_case(f"preview of {length} bytes", text, START, padding=zeros)


def accepted() -> Iterator[Case]:
    """Descriptions with previews that every reader takes."""
    for name, data in {
        "12 bytes": START, "13 bytes": START + b"\0", "another length in it": b"RIFF\xff\n\0 WEBP",
        "other bytes behind": START + b"<svg/>",
    }.items():  # fmt: skip
        yield line_case(f"preview of {name}", _ALONE.replace("12", str(len(data))), data)
    yield _long(MOST - 1)
    yield _long(MOST)
    for name, text, blobs in (
        ("two frames", line(more='"preview":12,'), b""),
        ("a readable copy", _READABLE, b"II"),
        ("a palette", _PAINTED, b"rgb"),
        ("an animation", _ANIMATED, b"\1"),
        ("a file", _FILE, b""),
        ("a file of 0 bytes", file_line(size=0, more={"preview": 12}), b""),
        ("a file with type and time", file_line(type="a/b", time="5", more={"preview": 12}), b""),
    ):
        yield line_case(f"preview beside {name}", text, START + blobs)
    zeros = (256 - len(_ALONE) - 13) % 256 + 256
    yield line_case("preview and more padding", _ALONE, START, padding=zeros)


def rejected() -> Iterator[Case]:
    """Descriptions with one fault about a preview."""
    yield line_case("preview of 0 bytes", _ALONE.replace("12", "0"))
    yield _long(MOST + 1)
    for data in (
        START[:11], START[:4], START[4:], b"\0" + START, b"RIFX" + START[4:], b"riff" + START[4:],
        START[:8] + b"WAVE", START[:8] + b"webp", START[:8] + b"WEB\0", b"RIFFWEBP\4\0\0\0",
        b"OggS" + START[4:], b"\x89PNG\r\n\x1a\n\0\0\0\x0d", b"\xff\xd8\xff\xe0\0\x10JFIF\0\1",
        b"GIF89a\1\0\1\0\0\0", b"<svg></svg>\n", b"<!doctype html>", bytes(12),
    ):  # fmt: skip
        text = _ALONE.replace("12", str(len(data)))
        yield line_case(f"preview of {ascii(data)[2:-1]}", text, data)
    for value in ("null", '"12"', "12.0", "true", "-12", "[12]", "4294967296", "1048575", "012"):
        yield line_case(f"preview of {value}", _ALONE.replace("12", value), START)
    behind = '"frames":[{"shape":[6,7],"dtype":"uint8","mode":"gray"}]'
    for name, text, blobs in (
        ("twice", _ALONE.replace('"preview":12', '"preview":12,"preview":12'), START),
        ("before the format", _moved(_ALONE, '"format":"TIFF"'), START),
        ("behind the frames", _moved(_ALONE, behind), START),
        ("before the file", file_line(first={"preview": 12}), START),
        ("behind readable", _moved(_READABLE, '"readable":["exif"]'), START + b"II"),
        ("behind the palettes", _moved(_PAINTED, _COLORS[:-1]), b"rgb" + START),
        ("behind the palettes, its bytes first", _moved(_PAINTED, _COLORS[:-1]), START + b"rgb"),
        ("behind the bytes of a palette", _PAINTED, b"rgb" + START),
        ("that is SVG, of a file", _FILE, b"<svg></svg>\n"),
        ("of another name", _ALONE.replace("preview", "previews"), START),
        ("within a frame", line(f'{GRAY},"preview":12'), START),
        ("within the file", file_line(preview=12), START),
        ("within metadata", line(f'{GRAY},"metadata":{{"preview":12}}'), START),
        ("as a readable copy", _READABLE.replace('["exif"]', '["preview"]'), START + b"II"),
    ):
        yield line_case(f"preview {name}", text, blobs)


def _moved(text: str, neighbor: str) -> str:
    """Return the line with the preview on the other side of a field beside it."""
    for old, new in (
        (f'{neighbor},"preview":12', f'"preview":12,{neighbor}'),
        (f'"preview":12,{neighbor}', f'{neighbor},"preview":12'),
    ):
        if old in text:
            return text.replace(old, new)
    raise ValueError(neighbor)
