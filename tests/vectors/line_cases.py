"""Cases of a description alone, and the lines that they are made of."""

from typing import Any

Case = dict[str, Any]
COLORED = '"shape":[6,7,3],"dtype":"uint8","mode":"rgb"'
GRAY = '"shape":[6,7],"dtype":"uint8","mode":"gray"'


def line(frame: str = COLORED, *, format: str = "TIFF", more: str = "", frames: int = 2) -> str:  # noqa: A002
    """Return a line of equal frames, with fields between the format and the frames."""
    listed = ",".join([f"{{{frame}}}"] * frames)
    return f'{{"format":"{format}",{more}"frames":[{listed}]}}'


def line_case(
    name: str,
    text: str,
    blobs: bytes = b"",
    *,
    padding: bytes | int | None = None,
    fill: int | None = None,
) -> Case:
    """Return a case, with the shortest padding unless another is given."""
    if padding is None:
        length = len(text) + (0 if fill is None else fill - 1) + 1 + len(blobs)
        padding = -length % 256
    return {
        "name": f"description alone: {name}", "what": "extras", "line": text, "blobs": blobs.hex(),
        "padding": padding if isinstance(padding, int) else padding.hex(), "fill": fill,
    }  # fmt: skip
