"""What drawings consist of: rectangles and texts at whole pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Rectangle(NamedTuple):
    """A filled rectangle; lines are narrow ones.

    Parameters
    ----------
    top, left, height, width : int
        Pixels.
    color : str
        Such as ``#1a2b3c``.
    """

    top: int
    left: int
    height: int
    width: int
    color: str


class Text(NamedTuple):
    """A text on one line.

    Parameters
    ----------
    baseline, middle : int
        The row of pixels that it stands on, and the column of its middle.
    size : int
        Font size in pixels; capital letters are about 0.7 times as high.
    text : str
        What it says.
    bold : bool
        Whether it is strong.
    color : str
        Such as ``#1a2b3c``.
    """

    baseline: int
    middle: int
    size: int
    text: str
    bold: bool
    color: str


@dataclass(frozen=True)
class Drawing:
    """A white page, and what is on it, the lowest first; texts lie above all rectangles.

    Parameters
    ----------
    height, width : int
        Pixels.
    rectangles : tuple of Rectangle
    texts : tuple of Text
    """

    height: int
    width: int
    rectangles: tuple[Rectangle, ...]
    texts: tuple[Text, ...]
