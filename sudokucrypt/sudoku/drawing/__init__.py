"""Drawing grids and puzzles: shapes on a page as plain data, and SVG."""

from sudokucrypt.sudoku.drawing.page import MOST_PIXELS, Sheet, draw
from sudokucrypt.sudoku.drawing.shapes import Drawing, Rectangle, Text, to_svg

__all__ = ["MOST_PIXELS", "Drawing", "Rectangle", "Sheet", "Text", "draw", "to_svg"]
