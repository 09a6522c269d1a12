"""Let a Sudoku grid move the 9 x 9 tiles of a picture, and move them back.

Usage: python grid_moves_pixels.py PICTURE RESULT.png
"""

import sys

import numpy as np
from PIL import Image, ImageOps

from sudokucrypt import Representation, bijection, invert
from sudokucrypt.sudoku import random_grid, seeded_draws


def move_tiles(picture: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return the picture after moving the tile at each cell i to the cell cells[i]."""
    size = len(picture) // 9
    tiles = picture.reshape(9, size, 9, size, 3).swapaxes(1, 2).reshape(81, size, size, 3)
    moved_tiles = np.empty_like(tiles)
    moved_tiles[cells] = tiles
    return moved_tiles.reshape(9, 9, size, size, 3).swapaxes(1, 2).reshape(picture.shape)


def main(source: str, result: str) -> None:
    """Write the picture, its images under three maps, and the picture restored from the last."""
    grid = random_grid(seeded_draws(4))
    panels = [np.asarray(ImageOps.fit(Image.open(source).convert("RGB"), (180, 180)))]
    for pair in (Representation.ROW_DIGIT, Representation.DIGIT_COLUMN, Representation.BLOCK_DIGIT):
        cells = bijection(grid, pair, Representation.ROW_COLUMN)
        panels.append(move_tiles(panels[0], cells))
        row, column = divmod(int(cells[40]), 9)
        print(f"by {' and '.join(pair.value)}, the middle goes to r{row + 1}c{column + 1}")
    panels.append(move_tiles(panels[-1], invert(cells)))
    print(f"restored exactly: {np.array_equal(panels[-1], panels[0])}")
    framed_panels = [np.pad(panel, ((4,), (4,), (0,)), constant_values=255) for panel in panels]
    Image.fromarray(np.hstack(framed_panels)).save(result)


if __name__ == "__main__":
    main(*sys.argv[1:])
