"""Pictures, section 6: a file of any kind as a picture of its bytes."""

import math
import re
from typing import Any

from tests.kit.reference import RefusedError
from tests.kit.reference.frames import Frame

MAX_SIZE = 274877906944
MAX_NAME_BYTES = 255
FORBIDDEN = frozenset("/\\:" + "".join(map(chr, [*range(32), *range(127, 160)])))
NO_NAMES = ("", ".", "..")
_PART = "[a-z0-9][a-z0-9.+-]{0,63}"
_MEDIA_TYPE = re.compile(f"{_PART}/{_PART}")
_TIME = re.compile("0|-?[1-9][0-9]{0,18}")


def is_name(value: object) -> bool:
    """Whether `value` is one component of a path."""
    if not isinstance(value, str) or value in NO_NAMES or FORBIDDEN.intersection(value):
        return False
    try:
        return len(value.encode("utf-8")) <= MAX_NAME_BYTES
    except UnicodeEncodeError:
        return False


def is_size(value: object) -> bool:
    """Whether `value` is a size in bytes."""
    return type(value) is int and 0 <= value <= MAX_SIZE


def is_media_type(value: object) -> bool:
    """Whether `value` is a media type."""
    return isinstance(value, str) and _MEDIA_TYPE.fullmatch(value) is not None


def is_time(value: object) -> bool:
    """Whether `value` is a time in nanoseconds, as text."""
    if not isinstance(value, str) or _TIME.fullmatch(value) is None:
        return False
    return -(2**63) <= int(value) < 2**63


def shape_of(size: int) -> tuple[int, int]:
    """Rows and columns of the picture of a file of so many bytes."""
    w = max(1, math.isqrt(size))  # ceil(3 w / 4) is at most w, so no smaller w will do
    while w * _rows(w) < size:
        w += 1
    return _rows(w), w


def _rows(w: int) -> int:
    return (3 * w + 3) // 4


def meaning_of_file(
    data: bytes, name: str, *, media_type: str | None = None, time: int | None = None
) -> dict[str, Any]:
    """The description of a file with these bytes."""
    fields = {
        "name": name,
        "size": len(data),
        "type": media_type,
        "time": None if time is None else str(time),
    }
    about = {key: value for key, value in fields.items() if value is not None}
    frame = {"shape": list(shape_of(len(data))), "dtype": "uint8", "mode": "gray"}
    return {"format": "PNG", "file": about, "frames": [frame]}


def frame_of_file(data: bytes) -> Frame:
    """The one frame of the picture of a file."""
    rows, columns = shape_of(len(data))
    return Frame(shape=(rows, columns), dtype="uint8", data=data.ljust(rows * columns, b"\x00"))


def file_of_frame(frame: Frame, size: int) -> bytes:
    """The bytes of the file in a plain frame; refused unless zeros follow them."""
    if any(frame.data[size:]):
        raise RefusedError("samples behind the end of a file that are not zero")
    return frame.data[:size]
