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
_CHOSEN_CELL = (4, 6)

_TILE_SIDE, _GAP, _LETTER_HEIGHT = 32, 24, 18  # pixels
_SIDE = 9 * _TILE_SIDE
_COLOR_COUNT = 48  # of a frame, which keeps the file small
_FLIGHT_FRAMES = 12  # frames
_REST_MILLISECONDS, _FLIGHT_MILLISECONDS = (
    2400,
    70,
)  # milliseconds of a frame that rests, and of one in flight
_INK_COLOR, _LINE_COLOR, _BLUE, _ORANGE = "#16202a", "#c3ccd5", "#1f5fa8", "#c8551b"


def draw_animation(path: Path) -> None:
    """Draw the moved tiles, their way back, the original picture, and their way out."""
    with Image.open(_PHOTO) as file:
        photo = (
            ImageOps.fit(file.convert("RGB"), (_SIDE, _SIDE)).quantize(_COLOR_COUNT).convert("RGB")
        )
    cells = bijection(
        _GRID, _OLD_REPRESENTATION, _NEW_REPRESENTATION, numbering=Numbering.ROW_MAJOR
    )
    forward_times = [index / _FLIGHT_FRAMES for index in range(1, _FLIGHT_FRAMES)]
    times = [1.0, *reversed(forward_times), 0.0, *forward_times]
    page = _draw_page(int(cells[9 * _CHOSEN_CELL[0] + _CHOSEN_CELL[1]]))
    frames = [_draw_frame(page, photo, cells, time) for time in times]
    # All frames have the palette of a frame in flight, which contains all colors.
    palette = frames[_FLIGHT_FRAMES // 2].quantize(256)
    first_frame, *other_frames = [
        frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames
    ]
    durations = [_FLIGHT_MILLISECONDS if 0 < time < 1 else _REST_MILLISECONDS for time in times]
    first_frame.save(
        path, save_all=True, append_images=other_frames, duration=durations, loop=0, optimize=True
    )


def _draw_frame(page: Image.Image, photo: Image.Image, cells: IntArray, time: float) -> Image.Image:
    """Return the page with the tiles between their home (time 0) and their goals (time 1)."""
    frame, grid_left = page.copy(), 2 * _GAP + _SIDE
    draw = ImageDraw.Draw(frame)
    chosen_index = 9 * _CHOSEN_CELL[0] + _CHOSEN_CELL[1]
    for cell in sorted(
        range(81), key=lambda cell: cell == chosen_index
    ):  # the chosen tile is drawn last, above all others
        source_cell, target_cell = np.array(divmod(cell, 9)), np.array(divmod(int(cells[cell]), 9))
        # Tiles start one after another, from the top left to the bottom right.
        progress = float(np.clip(1.5 * time - 0.5 * source_cell.sum() / 16, 0, 1))
        smooth_progress = progress * progress * (3 - 2 * progress)
        down, right = (
            np.rint(_TILE_SIDE * (source_cell + smooth_progress * (target_cell - source_cell)))
            .astype(int)
            .tolist()
        )
        tile_top, tile_left = _TILE_SIDE * (cell // 9), _TILE_SIDE * (cell % 9)
        tile = photo.crop((tile_left, tile_top, tile_left + _TILE_SIDE, tile_top + _TILE_SIDE))
        place = grid_left + right, _GAP + down
        frame.paste(tile, place)
        if cell == chosen_index:
            corner = place[0] + _TILE_SIDE - 1, place[1] + _TILE_SIDE - 1
            draw.rectangle((*place, *corner), outline="white", width=3)
            draw.rectangle((*place, *corner), outline=_ORANGE, width=2)
    return frame


def _draw_page(goal: int) -> Image.Image:
    """Return the page with the grid, its chosen cell, and the names of its tile's two positions."""
    size = 2 * _SIDE + 3 * _GAP, _SIDE + 2 * _GAP + 2 * _LETTER_HEIGHT
    page = Image.new("RGB", size, "white")
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(_LETTER_HEIGHT)
    for row, column in np.ndindex(9, 9):
        x, y = _GAP + column * _TILE_SIDE, _GAP + row * _TILE_SIDE
        is_chosen = (row, column) == _CHOSEN_CELL
        is_in_box = row // 3 == _CHOSEN_CELL[0] // 3 and column // 3 == _CHOSEN_CELL[1] // 3
        cell_color = _BLUE if is_chosen else "#e8f0fa" if is_in_box else "white"
        draw.rectangle((x, y, x + _TILE_SIDE, y + _TILE_SIDE), fill=cell_color, outline=_LINE_COLOR)
        ink = "white" if is_chosen else _INK_COLOR
        center = x + _TILE_SIDE / 2, y + _TILE_SIDE / 2
        draw.text(center, str(_GRID.cells[row, column] + 1), fill=ink, font=font, anchor="mm")
    for number in range(0, 10, 3):
        position, grid_end = _GAP + number * _TILE_SIDE, _GAP + _SIDE
        draw.line((position, _GAP, position, grid_end), fill=_INK_COLOR, width=2)
        draw.line((_GAP, position, grid_end, position), fill=_INK_COLOR, width=2)
    box, digit = map(
        int, name_cells(_GRID, _OLD_REPRESENTATION, *_CHOSEN_CELL, numbering=Numbering.ROW_MAJOR)
    )
    row, column = divmod(goal, 9)
    texts = f"box {box + 1}, digit {digit + 1}", f"flies to row {row + 1}, column {column + 1}"
    for index, text in enumerate(texts):
        place = (_GAP + _SIDE / 2 + index * (_SIDE + _GAP), size[1] - _GAP - _LETTER_HEIGHT / 2)
        draw.text(place, text, fill=(_BLUE, _ORANGE)[index], font=font, anchor="mm")
    return page
