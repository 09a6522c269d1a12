"""Lines that describe a file of any kind, and lines that do so with one fault."""

import json
from collections.abc import Iterator
from typing import Any

from tests.kit.reference.files import MAX_SIZE, shape_of

_MOST = 2**63


def file_line(
    name: str = "a.bin",
    size: Any = 10,
    *,
    shape: list[int] | None = None,
    file: dict[str, Any] | None = None,
    format: str = "PNG",  # noqa: A002
    frame: dict[str, Any] | None = None,
    first: dict[str, Any] | None = None,
    more: dict[str, Any] | None = None,
    **about: Any,
) -> str:
    """Return the line of a file; what is given stands there, be it right or wrong.

    Fields of the picture stand `first`, before the file, or behind it.
    """
    if shape is None:
        shape = list(shape_of(size if type(size) is int and 0 <= size <= MAX_SIZE + 1 else 10))
    whole = {
        "format": format,
        **(first or {}),
        "file": {"name": name, "size": size, **about} if file is None else file,
        **(more or {}),
        "frames": [{"shape": shape, "dtype": "uint8", "mode": "gray", **(frame or {})}],
    }
    return json.dumps(whole, separators=(",", ":"))


def _good() -> Iterator[tuple[str, str]]:
    for name in (
        "a", "...", ".a", "a b", " ", "~", "\u00a0", "\u200b", "\U0001f9e9" * 63 + "abc",
        "x" * 255, "\u00e9" * 127 + "x", "caf\u00e9.tar.gz", "CON", '"', "\u00ad", "|",
    ):  # fmt: skip
        yield f"name {name[:9]!a} of {len(name)}", file_line(name)
    # The last size of a width, and the first one of the next.
    edges = [w * -(-3 * w // 4) for w in (1, 2, 3, 4, 5, 8, 9, 100)]
    for size in sorted({0, 1, 2, *edges, *(edge + 1 for edge in edges), 4294967296, MAX_SIZE}):
        yield f"size {size}", file_line(size=size)
    part = "a" + "0.+-z" * 12 + "abc"
    for kind in ("a/b", "image/svg+xml", "0/9", f"{part}/{part}", "application/x.y-z"):
        yield f"type {kind:.20} of {len(kind)}", file_line(type=kind)
    for time in (0, 1, -1, _MOST - 1, -_MOST, 1700000000123456789):
        yield f"time {time}", file_line(time=str(time))
    yield "type and time", file_line(type="a/b", time="5")


def _bad() -> Iterator[tuple[str, str]]:
    for name in (
        "", ".", "..", "a/b", "/", "a\\b", "a:b", "\0", "a\n", "\x1f", "\x7f", "\x80", "\x9f",
        "\ud83e", "a\udfff", "x" * 256, "\u00e9" * 128, "\u2028" * 86,
    ):  # fmt: skip
        yield f"name {name[:9]!a} of {len(name)}", file_line(name)
    yield "name 5", file_line(name=5)  # type: ignore[arg-type]
    for size in (-1, MAX_SIZE + 1, "10", 10.0, True, None):
        yield f"size {size!r}", file_line(size=size)
    part = "a" * 65
    for kind in (
        "", "image", "image/", "/png", "image/png/x", "Image/png", "image/PNG", ".a/b", "a/+b",
        "-a/b", f"{part}/b", f"a/{part}", "a/b;c", "a/b ", " a/b", "a_b/c", "a/b_c", "a b/c", 5,
    ):  # fmt: skip
        yield f"type {kind!s:.20} of {len(str(kind))}", file_line(type=kind)
    for time in (
        "", "-0", "00", "05", "-05", "+5", "5.0", " 5", "1e9", str(_MOST), str(-_MOST - 1),
        "9" * 20, 5, None, "0x5", "\u0665",
    ):  # fmt: skip
        yield f"time {time!a}", file_line(time=time)
    file = {"name": "a", "size": 10}
    yield from {
        "no name": file_line(file={"size": 10}),
        "no size": file_line(file={"name": "a"}),
        "the size first": file_line(file={"size": 10, "name": "a"}),
        "the time before the type": file_line(file={**file, "time": "5", "type": "a/b"}),
        "another field": file_line(file={**file, "mode": "0644"}),
        "nothing": file_line(file={}),
        "format TIFF": file_line(format="TIFF"),
        "a file behind the frames": _moved(),
        "upright": file_line(shape=[4, 3]),
        "a column more": file_line(shape=[4, 5]),
        "a column less": file_line(shape=[3, 3]),
        "one row": file_line(shape=[1, 10]),
        "a third side": file_line(shape=[3, 4, 1]),
        "an empty file with a row more": file_line(size=0, shape=[2, 1]),
        "readable": file_line(more={"readable": ["exif"]}, frame={"metadata": {"exif": 0}}),
        "metadata": file_line(frame={"metadata": {"exif": 0}}),
        "an animation": file_line(more={"animation": {"rows": 3, "columns": 4}}),
        "a palette": file_line(more={"palettes": [{"colors": 0}]}, frame={"palette": 0}),
        "bits": file_line(frame={"bits": 4}),
        "a place": file_line(frame={"place": [0, 1]}),
        "showing": file_line(frame={"showing": ["1", 0, 0]}),
        "what is transparent": file_line(frame={"transparent": [0]}),
        "mode palette": file_line(frame={"mode": "palette"}),
        "bool": file_line(frame={"dtype": "bool"}),
        "int8": file_line(frame={"dtype": "int8"}),
        "two frames": _doubled(),
    }.items()


def _moved() -> str:
    fields = json.loads(file_line())
    fields["file"] = fields.pop("file")
    return json.dumps(fields, separators=(",", ":"))


def _doubled() -> str:
    fields = json.loads(file_line())
    fields["frames"] *= 2
    return json.dumps(fields, separators=(",", ":"))


FILES = tuple(_good())
"""What is special about a file, and its line."""

NO_FILES = tuple(_bad())
"""What is wrong about a file, and its line."""
