"""JPEG: pictures read from it, and its quantized coefficients, read and written exactly."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
