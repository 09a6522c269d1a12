"""Picture files as arrays to be measured."""

from __future__ import annotations

import os
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.analysis import NamedImage
from sudokucrypt.cli.messages import say
from sudokucrypt.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNPRINTED = {"Cc", "Zl", "Zp"}

level_option = click.option(
    "--level",
    metavar="A",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance: the share of random images that a test rejects.",
)


def read_image(source: Path, *, max_pixels: int | None = None) -> NamedImage:
    """Read the samples of a picture file, or of stdin for ``-``, as they are stored.

    Raises
    ------
    InvalidImageError
        If it is no picture.
    UnsupportedError
        If its samples are neither of 1 to 16 bits nor without sign.
    """
    from sudokucrypt.images import MAX_PIXELS, decode_picture, read_picture

    limit = MAX_PIXELS if max_pixels is None else max_pixels
    if source == Path("-"):
        picture = decode_picture(sys.stdin.buffer.read(), "stdin", max_pixels=limit)
        name = "stdin"
    else:
        picture = read_picture(source, max_pixels=limit)
        name = _shown(source.name)
    frame = picture.frames[0]
    if frame.pixels.dtype.name not in {"bool", "uint8", "uint16"}:
        raise UnsupportedError(
            f"'{name}' has samples of {frame.pixels.dtype}, and those of 1 to 16 bits are measured"
        )
    if len(picture.frames) > 1:
        say("note", f"the first of {len(picture.frames)} frames of '{name}' is measured")
    if frame.mode == "palette":
        say("note", f"'{name}' has a palette: the numbers of its colors are measured")
    return NamedImage(name=name, pixels=frame.pixels, levels=2**frame.depth)


def read_images(sources: Sequence[Path], *, max_pixels: int | None = None) -> list[NamedImage]:
    """Read several pictures; where names are equal, each is called by its whole path."""
    images = [read_image(source, max_pixels=max_pixels) for source in sources]
    names = [source.name for source in sources]
    return [
        replace(image, name=_shown(str(source))) if names.count(source.name) > 1 else image
        for source, image in zip(sources, images, strict=True)
    ]


def _shown(name: str) -> str:
    """Return the name of a file as text of one line that any form of a report can hold."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return "".join("\ufffd" if unicodedata.category(c) in _UNPRINTED else c for c in text)
