"""The animation of a Sudoku grid that moves the tiles of a picture, and moves them back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFont, ImageOps

from sudokucrypt import Numbering, Representation, bijection, name_cells
from sudokucrypt.sudoku import random_grid, seeded_draws

if TYPE_CHECKING:
    from sudokucrypt.typing import IntArray

_PHOTO = Path(__file__).parents[2] / "samples" / "pictures" / "chelsea.jpg"
_GRID = random_grid(seeded_draws(9))
_OLD_REPRESENTATION, _NEW_REPRESENTATION = Representation.BLOCK_DIGIT, Representation.ROW_COLUMN
_CELL = (4, 6)

_TILE, _GAP, _LETTERS = 32, 24, 18  # pixels
_SIDE = 9 * _TILE
_COLORS = 48  # of a frame, which keeps the file small
_FLIGHT_FRAMES = 12  # frames
_REST_MILLISECONDS, _FLIGHT_MILLISECONDS = (
    2400,
    70,
)  # milliseconds of a frame that rests, and of one in flight
_INK, _LINE, _BLUE, _ORANGE = "#16202a", "#c3ccd5", "#1f5fa8", "#c8551b"


def draw_animation(path: Path) -> None:
    """Draw the moved tiles, their way back, the original picture, and their way out."""
    with Image.open(_PHOTO) as file:
        photo = ImageOps.fit(file.convert("RGB"), (_SIDE, _SIDE)).quantize(_COLORS).convert("RGB")
    cells = bijection(
        _GRID, _OLD_REPRESENTATION, _NEW_REPRESENTATION, numbering=Numbering.ROW_MAJOR
    )
    forward_times = [index / _FLIGHT_FRAMES for index in range(1, _FLIGHT_FRAMES)]
    times = [1.0, *reversed(forward_times), 0.0, *forward_times]
    sheet = _draw_page(int(cells[9 * _CELL[0] + _CELL[1]]))
    frames = [_draw_frame(sheet, photo, cells, time) for time in times]
    # All frames have the palette of a frame in flight, which contains all colors.
    palette = frames[_FLIGHT_FRAMES // 2].quantize(256)
    first, *other_frames = [
        frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames
    ]
    durations = [_FLIGHT_MILLISECONDS if 0 < time < 1 else _REST_MILLISECONDS for time in times]
    first.save(
        path, save_all=True, append_images=other_frames, duration=durations, loop=0, optimize=True
    )


def _draw_frame(
    sheet: Image.Image, photo: Image.Image, cells: IntArray, time: float
) -> Image.Image:
    """Return the page with the tiles between their home (time 0) and their goals (time 1)."""
    frame, left = sheet.copy(), 2 * _GAP + _SIDE
    draw = ImageDraw.Draw(frame)
    chosen = 9 * _CELL[0] + _CELL[1]
    for cell in sorted(
        range(81), key=lambda cell: cell == chosen
    ):  # the chosen tile is drawn last, above all others
        source_cell, target_cell = np.array(divmod(cell, 9)), np.array(divmod(int(cells[cell]), 9))
        # Tiles start one after another, from the top left to the bottom right.
        progress = float(np.clip(1.5 * time - 0.5 * source_cell.sum() / 16, 0, 1))
        smooth_progress = progress * progress * (3 - 2 * progress)
        down, right = (
            np.rint(_TILE * (source_cell + smooth_progress * (target_cell - source_cell)))
            .astype(int)
            .tolist()
        )
        top, start = _TILE * (cell // 9), _TILE * (cell % 9)
        tile = photo.crop((start, top, start + _TILE, top + _TILE))
        place = left + right, _GAP + down
        frame.paste(tile, place)
        if cell == chosen:
            corner = place[0] + _TILE - 1, place[1] + _TILE - 1
            draw.rectangle((*place, *corner), outline="white", width=3)
            draw.rectangle((*place, *corner), outline=_ORANGE, width=2)
    return frame


def _draw_page(goal: int) -> Image.Image:
    """Return the page with the grid, its chosen cell, and the names of its tile's two positions."""
    size = 2 * _SIDE + 3 * _GAP, _SIDE + 2 * _GAP + 2 * _LETTERS
    sheet = Image.new("RGB", size, "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(_LETTERS)
    for row, column in np.ndindex(9, 9):
        x, y = _GAP + column * _TILE, _GAP + row * _TILE
        chosen = (row, column) == _CELL
        is_in_box = row // 3 == _CELL[0] // 3 and column // 3 == _CELL[1] // 3
        paper = _BLUE if chosen else "#e8f0fa" if is_in_box else "white"
        draw.rectangle((x, y, x + _TILE, y + _TILE), fill=paper, outline=_LINE)
        ink = "white" if chosen else _INK
        middle = x + _TILE / 2, y + _TILE / 2
        draw.text(middle, str(_GRID.cells[row, column] + 1), fill=ink, font=font, anchor="mm")
    for line in range(0, 10, 3):
        at, end = _GAP + line * _TILE, _GAP + _SIDE
        draw.line((at, _GAP, at, end), fill=_INK, width=2)
        draw.line((_GAP, at, end, at), fill=_INK, width=2)
    box, digit = map(
        int, name_cells(_GRID, _OLD_REPRESENTATION, *_CELL, numbering=Numbering.ROW_MAJOR)
    )
    row, column = divmod(goal, 9)
    texts = f"box {box + 1}, digit {digit + 1}", f"flies to row {row + 1}, column {column + 1}"
    for index, text in enumerate(texts):
        place = _GAP + _SIDE / 2 + index * (_SIDE + _GAP), size[1] - _GAP - _LETTERS / 2
        draw.text(place, text, fill=(_BLUE, _ORANGE)[index], font=font, anchor="mm")
    return sheet
