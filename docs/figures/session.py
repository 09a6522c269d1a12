"""The animation of the README: typed commands, their messages, and the pictures they make."""

from __future__ import annotations

import contextlib
import io
import os
import random
import secrets
import sys
import tempfile
from pathlib import Path
from textwrap import wrap
from unittest import mock

from PIL import Image, ImageDraw, ImageFont

from sudokucrypt.cli.program import run

_PHOTO = Path(__file__).parents[2] / "samples" / "pictures" / "chelsea.jpg"
_STEPS = (
    ("sudokucrypt keygen --default", "photo.jpg"),
    ("sudokucrypt encrypt photo.jpg -o secret.png", "secret.png"),
    ("sudokucrypt decrypt secret.png -o again.jpg -k other.key", "secret.png"),
    ("sudokucrypt decrypt secret.png -o again.jpg", "again.jpg"),
)
"""Each command, and the file that is shown after it."""

_WIDTH, _MARGIN, _LETTER_HEIGHT = 640, 16, 22  # pixels
_COLUMNS = 54  # letters of a line
_SIZE = 451, 300  # pixels, as many as the photograph has
_DARK, _LIGHT, _GREEN, _RED = "#16181d", "#e8e8e8", "#7bd88f", "#ff7b72"
_STEP_MILLISECONDS = (
    2600  # milliseconds of each step, enough to read its lines; the last stays longer
)


def draw_session(path: Path) -> None:
    """Run the commands in an empty folder, and draw a frame for each.

    Random numbers depend on a seed, so that the animation is reproducible.
    """
    source = random.Random(1)  # noqa: S311 - a key of a picture in the documentation
    frames = []
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch.object(secrets, "token_bytes", source.randbytes),
        mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": os.path.realpath(folder)}),
    ):
        Path("photo.jpg").write_bytes(_PHOTO.read_bytes())
        _list_messages("sudokucrypt keygen -o other.key")
        for command, picture_path in _STEPS:
            frames.append(_draw_frame(command, _list_messages(command), Path(picture_path)))
        if Path("again.jpg").read_bytes() != Path("photo.jpg").read_bytes():
            raise AssertionError("the file that came back differs")
    # The last frame is also first, since viewers without animation show only the first one.
    first_frame, earlier_frames = frames[-1], frames[:-1]
    durations = [2 * _STEP_MILLISECONDS] + [_STEP_MILLISECONDS] * len(earlier_frames)
    first_frame.save(
        path, save_all=True, append_images=earlier_frames, duration=durations, loop=0, optimize=True
    )


def _list_messages(command: str) -> list[str]:
    """Run a command in this process, and return the lines of its messages."""
    messages = io.StringIO()
    arguments = mock.patch.object(sys, "argv", command.split())
    with arguments, contextlib.redirect_stderr(messages):
        run()
    # The name of the folder, which is random, is removed from messages.
    return messages.getvalue().replace(str(Path.cwd()), "/home/me/.config").splitlines()


def _draw_frame(command: str, messages: list[str], file: Path) -> Image.Image:
    """Draw a command and its messages above the picture that it made."""
    lines = [(line, _GREEN) for line in wrap(f"$ {command}", _COLUMNS)]
    for message in messages:
        color = _RED if "error:" in message else _LIGHT
        lines += [(line, color) for line in wrap(message, _COLUMNS)]
    line_height = int(1.3 * _LETTER_HEIGHT)
    top = 7 * line_height + 2 * _MARGIN
    frame = Image.new("RGB", (_WIDTH, top + _SIZE[1] + 2 * _MARGIN + line_height), "white")
    draw, font = ImageDraw.Draw(frame), ImageFont.load_default(_LETTER_HEIGHT)
    draw.rectangle((0, 0, _WIDTH, top), fill=_DARK)
    for index, (line, color) in enumerate(lines):
        draw.text((_MARGIN, _MARGIN + index * line_height), line, fill=color, font=font)
    with Image.open(file) as picture:
        # Pixels are repeated and not interpolated, which would smooth noise.
        shown_picture = picture.convert("RGB").resize(_SIZE, Image.Resampling.NEAREST)
    frame.paste(shown_picture, ((_WIDTH - _SIZE[0]) // 2, top + _MARGIN))
    caption_place = _WIDTH / 2, top + _SIZE[1] + 1.3 * _MARGIN
    draw.text(caption_place, file.name, fill=_DARK, font=font, anchor="ma")
    return frame
