"""The version of the package; it is defined only here."""

__version__ = "1.2.0"
