"""Draw grids and puzzles on pages and in books, and write them as SVG and PDF."""

from sudokucrypt.sudoku.drawing.book import book
from sudokucrypt.sudoku.drawing.page import MOST_PIXELS, Sheet, draw
from sudokucrypt.sudoku.drawing.paper import DOTS, PAPERS, to_pdf
from sudokucrypt.sudoku.model.shapes import Drawing, Rectangle, Stroke, Text, scale_drawing, to_svg

__all__ = [
    "DOTS",
    "MOST_PIXELS",
    "PAPERS",
    "Drawing",
    "Rectangle",
    "Sheet",
    "Stroke",
    "Text",
    "book",
    "draw",
    "scale_drawing",
    "to_pdf",
    "to_svg",
]
