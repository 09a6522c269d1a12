"""Pictures, section 4: the extras, a line of JSON, the blobs that it counts, and padding.

A description is held as objects of the table: dictionaries from the names of fields to values, in
which a blob is its bytes and a fraction is its text.
"""

import json
from collections.abc import Iterator
from typing import Any

from tests.kit.reference import RefusedError, files, grammar, require
from tests.kit.reference.grammar import Blob, Many, Optional, Pair, Value, converted, one_of
from tests.kit.reference.header import CONTEXT, ENCRYPT, JPEG, SAMPLE_BYTES, Header

Description = dict[str, Any]
MAX_LINE_BYTES = 4194304
PADDED_TO = 256
MAX_PREVIEW_BYTES = 1048576
COLOR_BYTES = 3
WIDE_COLOR_BYTES = 6
CHANNELS = {"gray": 1, "gray-alpha": 2, "rgb": 3, "rgba": 4, "palette": 1, "cmyk": 4}
SPECIAL_MODES = ("palette", "cmyk")
NEEDLESS = {"shape", "dtype", "mode"}
NUMBER = Value(grammar.is_number)
TEXT = Value(grammar.is_text)
FILE = {
    "name": Value(files.is_name),
    "size": Value(files.is_size),
    "padded": Optional(Value(files.is_size)),
    "type": Optional(Value(files.is_media_type)),
    "time": Optional(Value(files.is_time)),
}
PALETTE = {
    "colors": Blob(),
    "alphas": Optional(Blob()),
    "wide": Optional(Value(lambda value: value is True)),
}
ANIMATION = {
    "rows": Value(grammar.is_side),
    "columns": Value(grammar.is_side),
    "loops": Optional(NUMBER),
    "background": Optional(Blob()),
    "palette": Optional(NUMBER),
}
METADATA = {
    "exif": Optional(Blob()),
    "icc": Optional(Blob()),
    "xmp": Optional(Blob()),
    "resolution": Optional(Value(grammar.is_resolution)),
    "texts": Optional(Many(Pair(TEXT))),
    "native": Optional(Many(Pair(Blob()))),
}
FRAME = {
    "shape": Value(grammar.is_shape),
    "dtype": one_of(SAMPLE_BYTES),
    "mode": one_of(CHANNELS),
    "bits": Optional(Value(lambda value: type(value) is int and value in (2, 4))),
    "palette": Optional(NUMBER),
    "transparent": Optional(Many(NUMBER)),
    "place": Optional(Value(grammar.is_place)),
    "showing": Optional(Value(grammar.is_showing)),
    "metadata": Optional(METADATA),
}
PICTURE = {
    "format": TEXT,
    "file": Optional(FILE),
    "preview": Optional(Blob()),
    "structure": Optional(Blob()),
    "readable": Optional(Value(grammar.is_readable)),
    "palettes": Optional(Many(PALETTE)),
    "animation": Optional(ANIMATION),
    "frames": Many(FRAME),
}


def _written(description: Description) -> bytes:
    """The extras without padding: line || 0A || blobs."""
    blobs: list[bytes] = []

    def count(blob: bytes) -> int:
        blobs.append(blob)
        return len(blob)

    fields = converted(PICTURE, description, count)
    line = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    require(len(line) <= MAX_LINE_BYTES, "the line is too long")
    _check(description)
    return b"\n".join([line, b"".join(blobs)])


def write(description: Description) -> bytes:
    """The extras: line || 0A || blobs || padding, of as few bytes as possible."""
    bare = _written(description)
    return bare + bytes(-len(bare) % PADDED_TO)


def read(extras: bytes) -> Description:
    """The description in the extras; refused unless `write` gives it back, but for more padding."""
    line, feed, blobs = extras.partition(b"\n")
    require(bool(feed), "no line feed")
    require(len(line) <= MAX_LINE_BYTES, "the line is too long")
    require(len(extras) % PADDED_TO == 0, "padded to another length")
    try:
        fields = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise RefusedError("extras: not ASCII JSON") from error
    offset = 0

    def take(length: Any) -> bytes:
        nonlocal offset
        require(grammar.is_number(length) and length <= len(blobs) - offset, "a wrong length")
        offset += length
        return blobs[offset - length : offset]

    description: Description = converted(PICTURE, fields, take)
    padding = blobs[offset:]
    require(not any(padding), "padding that is not zero")
    bare = extras[: len(extras) - len(padding)]
    require(_written(description) == bare, "not in the one form that is written")
    return description


def check_suits(description: Description, header: Header) -> None:
    """Refuse what a scheme does not seal, or does not protect."""
    if header.scheme == CONTEXT:
        require("readable" not in description, "readable copies under a context")
        metadata = any("metadata" in frame for frame in description["frames"])
        require(not metadata, "metadata under a context")
        require("preview" not in description, "a preview under a context")
    require(("structure" in description) == (header.scheme == JPEG), "a structure of a JPEG")
    if "file" in description:
        # Assumed: "only encrypt-v1 protects files, without a selection" binds readers too.
        require(header.scheme == ENCRYPT, "a file under another scheme")
        require(header.regions is None and header.mask is None, "a file with a selection")


def _check(description: Description) -> None:
    """Refuse values that do not fit each other."""
    _check_palettes(description)
    for frame in description["frames"]:
        channels = [*frame["shape"], 1][2]
        require(channels == CHANNELS[frame["mode"]], "a mode of other channels")
        require("bits" not in frame or frame["dtype"] == "uint8", "bits of another type")
        require(frame.get("metadata") != {}, "no metadata")
    for name in description.get("readable", []):
        has = any(name in frame.get("metadata", {}) for frame in description["frames"])
        require(has, "a readable copy of what no frame has")
    if "preview" in description:
        _check_preview(description["preview"])
    if "file" in description:
        _check_file(description)
        return
    if "structure" in description:
        return
    alone = len(description["frames"]) == 1 and not description.keys() & {"animation", "preview"}
    frame = description["frames"][0]
    speaks = frame.keys() <= NEEDLESS and frame["mode"] not in SPECIAL_MODES
    require(not (alone and speaks), "a picture that needs no description")


def _check_file(description: Description) -> None:
    """Refuse a picture of a file that has another form than the one of section 6."""
    size = description["file"]["size"]
    room = description["file"].get("padded", size)
    require(room >= size, "a file that is padded to less than its size")
    frame = {"shape": list(files.shape_of(room)), "dtype": "uint8", "mode": "gray"}
    form = {"format": "PNG", "file": description["file"], "frames": [frame]}
    rest = {name: value for name, value in description.items() if name != "preview"}
    require(rest == form, "another form than that of a file")


def _check_preview(data: bytes) -> None:
    """Refuse a preview that does not begin like a WebP file, or is too long."""
    require(data[:4] == b"RIFF" and data[8:12] == b"WEBP", "a preview that is no WebP file")
    require(len(data) <= MAX_PREVIEW_BYTES, "a preview that is too long")


def _check_palettes(description: Description) -> None:
    palettes = description.get("palettes", [])
    for index, palette in enumerate(palettes):
        size = WIDE_COLOR_BYTES if "wide" in palette else COLOR_BYTES
        colors, rest = divmod(len(palette["colors"]), size)
        require(rest == 0, "a part of a color")
        require(palette.get("alphas") != b"", "no alphas")
        require(len(palette.get("alphas", b"")) <= colors, "more alphas than colors")
        require(palette not in palettes[:index], "equal palettes")
    used = list(dict.fromkeys(_palettes_used(description)))
    require(used == list(range(len(palettes))), "palettes in another order than they are used")


def _palettes_used(description: Description) -> Iterator[int]:
    for part in (description.get("animation", {}), *description["frames"]):
        if "palette" in part:
            yield part["palette"]
