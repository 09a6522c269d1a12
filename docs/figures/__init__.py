"""The figures of the documentation: ``python -m docs.figures [FOLDER]`` draws all of them again."""
