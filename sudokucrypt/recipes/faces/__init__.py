"""Find the faces in a picture, to protect only them."""

from sudokucrypt.recipes.faces.finding import DEFAULT_MARGIN, find_faces

__all__ = ["DEFAULT_MARGIN", "find_faces"]
