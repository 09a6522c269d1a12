"""JPEG files: decode their pictures, and read and write their quantized coefficients exactly."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
