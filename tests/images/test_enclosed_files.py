"""Files of any kind as pictures: their shape, what is kept of them, and bounds of descriptions."""

import itertools
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import DecryptionError, FormatError, InvalidParameterError
from sudokucrypt.images import (
    Animation,
    Described,
    EnclosedFile,
    Frame,
    Palette,
    Picture,
    describe,
    described,
    enclose,
    released,
)
from tests.images.builders import meaning, noise

MOST = 2**38
GRAY = noise(3, 4, 1)
GOOD: dict[str, Any] = {"name": "a.txt", "size": 10, "type": "text/plain", "time": -5}


def shape_by_search(size: int) -> tuple[int, int]:
    """Rows and columns by the words of the specification: the least w that will do."""
    columns = next(w for w in itertools.count(1) if w * -(-3 * w // 4) >= size)
    return -(-3 * columns // 4), columns


def test_shapes_of_small_files() -> None:
    """For every size up to 5000 the shape is the first that has room."""
    for size in range(5001):
        assert EnclosedFile(name="x", size=size).shape == shape_by_search(size)


@settings(max_examples=40)
@given(st.integers(0, MOST))
def test_shapes_of_large_files(size: int) -> None:
    """The next smaller picture has no room for the file, and the shape is about 4:3."""
    rows, columns = EnclosedFile(name="x", size=size).shape
    assert rows == -(-3 * columns // 4)
    assert rows * columns >= size
    less = columns - 1
    assert less == 0 or less * -(-3 * less // 4) < size


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 1000, 4097, 605_000])
def test_shapes_at_their_edges(columns: int) -> None:
    """A file that fills its picture has no larger one, and one byte more takes the next."""
    rows = -(-3 * columns // 4)
    assert EnclosedFile(name="x", size=rows * columns).shape == (rows, columns)
    more = EnclosedFile(name="x", size=rows * columns + 1).shape
    assert more == (-(-3 * (columns + 1) // 4), columns + 1)


@given(st.binary(max_size=300))
def test_files_come_back(data: bytes) -> None:
    """released(enclose(x)) == x; the samples are the bytes and zeros, and nothing else is read."""
    file = EnclosedFile(name="x", size=len(data))
    pixels = enclose(data, file)
    assert (pixels.shape, pixels.dtype.name) == (file.shape, "uint8")
    assert pixels.tobytes() == data.ljust(pixels.size, b"\0")
    assert released(pixels, file) == data
    for wrong in (data + b"x", data[:-1] if data else b"x"):
        with pytest.raises(InvalidParameterError, match="bytes, not"):
            enclose(wrong, file)
    if pixels.size > len(data):
        for place in (len(data), pixels.size - 1):
            changed = pixels.copy()
            changed.reshape(-1)[place] = 1
            with pytest.raises(DecryptionError):
                released(changed, file)


def test_names_that_are_kept() -> None:
    """One component of a path of up to 255 bytes, whatever letters it has."""
    for name in [
        "x",
        "x" * 255,
        "\u00e4" * 127,
        "\U0001f9e9" * 63,
        ".hidden",
        "...",
        "two words",
        "-",
        "~",
        "'\"",
        "\u202e",
        "caf\u00e9",
        "cafe\u0301",
        "a\u00a0b",
        "*?<>|",
    ]:
        file = EnclosedFile(name=name, size=0)
        assert through(file) == file


def test_names_that_are_not_kept() -> None:
    """Nothing that leads elsewhere, moves a terminal or is no text is written or read."""
    for name in [
        "",
        ".",
        "..",
        "x" * 256,
        "\u00e4" * 128,
        "\U0001f9e9" * 64,
        "a/b",
        "/",
        "a\\b",
        "C:",
        "a:b",
        *(f"a{chr(code)}b" for code in (0, 1, 9, 10, 13, 27, 31, 127, 128, 133, 159)),
        "\ud800",
        "a\udfff",
    ]:
        with pytest.raises(InvalidParameterError, match="name"):
            EnclosedFile(name=name, size=0)
        with pytest.raises(FormatError):
            read_with(name=name)


@pytest.mark.parametrize(
    "change",
    [{"size": 0}, {"size": MOST}, {"type": None}, {"type": "a/b"},
     {"type": f"{'x' * 64}/{'y' * 64}"}, {"type": "image/svg+xml"},
     {"type": "application/vnd.a-b.c+d"}, {"time": None}, {"time": 0},
     {"time": -(2**63)}, {"time": 2**63 - 1}],
)  # fmt: skip
def test_what_is_kept(change: dict[str, Any]) -> None:
    """Size, type and time in nanoseconds are kept to the last digit, and may be absent."""
    file = EnclosedFile(**(GOOD | change))
    assert through(file) == file


@pytest.mark.parametrize(
    "change",
    [{"size": -1}, {"size": MOST + 1}, {"type": ""}, {"type": "text"}, {"type": "text/"},
     {"type": "Text/plain"}, {"type": "text/plain; charset=utf-8"}, {"type": "/x"},
     {"type": "-a/b"}, {"type": f"{'x' * 65}/y"}, {"type": "a/b\n"}, {"time": 2**63},
     {"time": -(2**63) - 1}],
)  # fmt: skip
def test_what_is_not_kept(change: dict[str, Any]) -> None:
    """Anything out of range is refused."""
    with pytest.raises(InvalidParameterError):
        EnclosedFile(**(GOOD | change))


def through(file: EnclosedFile) -> EnclosedFile | None:
    """What a description keeps of a file; its samples are not looked at."""
    pixels = np.broadcast_to(np.uint8(0), file.shape)
    frames = (Frame(pixels=pixels, mode="gray"),)
    extras = describe(Described(picture=Picture(frames=frames, format="PNG"), file=file))
    assert extras is not None
    return described(frames, extras).file


def read_with(picture: dict[str, Any] | None = None, **fields: Any) -> EnclosedFile | None:
    """What a line says of a file, with some of its fields changed."""
    file = {"name": "a.txt", "size": 10, "type": "text/plain", "time": "-5"} | fields
    shape = EnclosedFile(name="x", size=10).shape
    frames: dict[str, Any] = {"shape": shape, "dtype": "uint8", "mode": "gray"}
    line: dict[str, Any] = {
        "format": "PNG",
        "file": {k: v for k, v in file.items() if v is not None},
    }
    line |= {"frames": [frames]} | (picture or {})
    data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
    samples = [np.zeros(f["shape"], dtype=f["dtype"]) for f in line["frames"]]
    held = [Frame(pixels=pixels, mode="gray") for pixels in samples]
    return described(held, data + bytes(-len(data) % 256)).file


def test_the_line_of_a_file_is_the_documented_one() -> None:
    """Name, size, type and time as text stand behind the format."""
    assert read_with() == EnclosedFile(**GOOD)
    assert read_with(size=12) == EnclosedFile(**GOOD | {"size": 12})  # has the same shape
    frames = (Frame(pixels=np.zeros((3, 4), dtype=np.uint8), mode="gray"),)
    extras = describe(
        Described(picture=Picture(frames=frames, format="PNG"), file=EnclosedFile(**GOOD))
    )
    assert (extras or b"").startswith(
        b'{"format":"PNG","file":{"name":"a.txt","size":10,"type":"text/plain","time":"-5"},'
        b'"frames":[{"shape":[3,4],"dtype":"uint8","mode":"gray"}]}\n'
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"time": t}
        for t in ("-0", "05", "+5", "5.0", " 5", "5\n", "", "9" * 20, "9223372036854775808", 5)
    ]
    + [{"size": size} for size in (9, 13, 2**38, "10", 10.0, True, -1)]
    + [{"name": None}, {"size": None}, {"name": 5}, {"type": 5}, {"mode": "0600"}],
)
def test_lines_of_files_that_are_refused(fields: dict[str, Any]) -> None:
    """Another spelling, a size that asks for another shape, and unknown fields are refused."""
    with pytest.raises(FormatError):
        read_with(**fields)


def test_a_size_is_a_number() -> None:
    """True is no size, though it would be one byte."""
    one = {"frames": [{"shape": (1, 1), "dtype": "uint8", "mode": "gray"}]}
    assert read_with(one, size=1) == EnclosedFile(**GOOD | {"size": 1})
    with pytest.raises(FormatError):
        read_with(one, size=True)


_SHAPE = (3, 4)
_FRAME = {"shape": _SHAPE, "dtype": "uint8", "mode": "gray"}


@pytest.mark.parametrize(
    "picture",
    [
        {"format": "TIFF"},
        {"frames": [_FRAME, _FRAME]},
        {"frames": [_FRAME | {"dtype": "int8"}]},
        {"frames": [_FRAME | {"dtype": "bool"}]},
        {"frames": [_FRAME | {"shape": (4, 3)}]},
        {"frames": [_FRAME | {"shape": (3, 4, 1)}]},
        {"frames": [_FRAME | {"shape": (12, 1)}]},
        {"frames": [_FRAME | {"bits": 4}]},
        {"frames": [_FRAME | {"mode": "palette"}]},
        {"frames": [_FRAME | {"transparent": [1]}]},
        {"frames": [_FRAME | {"place": [1, 0]}]},
        {"frames": [_FRAME | {"showing": ["1", 0, 0]}]},
        {"frames": [_FRAME | {"metadata": {"exif": 0}}]},
        {"readable": ["exif"]},
    ],
)
def test_a_file_is_a_bare_picture(picture: dict[str, Any]) -> None:
    """Beside a file nothing else is described: one gray frame of bytes in its own shape."""
    with pytest.raises(FormatError):
        read_with(picture)


def test_an_animation_is_no_file() -> None:
    """The same for what frames share."""
    frame = Frame(pixels=np.zeros((3, 4), dtype=np.uint8), mode="gray")
    picture = Picture(frames=(frame,), format="PNG", animation=Animation(rows=3, columns=4))
    extras = describe(Described(picture=picture, file=EnclosedFile(**GOOD)))
    with pytest.raises(FormatError):
        described([frame], extras or b"")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"mode":"palette"', b'"mode":"rgb"'),
        (b'"mode":"palette"', b'"mode":"cmyk"'),
        (b'"bits":4', b'"bits":3'),
        (b'"bits":4', b'"bits":8'),
        (b'"bits":4', b'"bits":true'),
        (b'"palette":0}', b'"palette":1}'),
        (b'"palette":0}', b'"palette":-1}'),
        (b'"colors":6', b'"colors":5'),
        (b'"colors":6', b'"colors":7'),
        (b'"colors":6', b'"colors":6,"alphas":0'),
        (b'"colors":6', b'"colors":3,"alphas":3'),
        (b'"colors":6', b'"colors":6,"wide":false'),
        (b'"colors":6', b'"colors":6.0'),
        (b'"rows":3', b'"rows":2147483648'),
        (b'"rows":3', b'"rows":-1'),
        (b'"rows":3', b'"rows":3.0'),
        (b'"rows":3', b'"rows": 3'),
        (b'"columns":4', b'"columns":4,"loops":null'),
        (b'"columns":4', b'"columns":4,"colour":1'),
        (b'"format":"GIF"', b'"format":5'),
        (b'"format":"GIF"', b'"format":"GIF","readable":[]'),
        (b'"format":"GIF"', b'"format":"GIF","format":"GIF"'),
        (b'"format":"GIF"', b'"format":"\\u0047IF"'),
        (b'"format":"GIF",', b""),
    ],
)
def test_values_out_of_range_are_refused(old: bytes, new: bytes) -> None:
    """Every value has its bounds and its one spelling."""
    frame = Frame(pixels=GRAY, mode="palette", bits=4, palette=Palette(colors=b"abcdef"))
    picture = Picture(frames=(frame,), format="GIF", animation=Animation(rows=3, columns=4))
    extras = describe(Described(picture=picture)) or b""
    assert meaning(described([frame], extras).picture) == meaning(picture)
    assert extras.count(old) == 1
    changed = extras.rstrip(b"\0").replace(old, new)
    with pytest.raises(FormatError):
        described([frame], changed + bytes(-len(changed) % 256))
