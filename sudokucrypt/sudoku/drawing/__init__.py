"""Drawing grids and puzzles: shapes on a page as plain data, and SVG."""

from sudokucrypt.sudoku.drawing.page import MOST_PIXELS, draw
from sudokucrypt.sudoku.drawing.shapes import Drawing, Rectangle, Text
from sudokucrypt.sudoku.drawing.sheet import Sheet
from sudokucrypt.sudoku.drawing.svg import to_svg

__all__ = ["MOST_PIXELS", "Drawing", "Rectangle", "Sheet", "Text", "draw", "to_svg"]
