"""The Netpbm formats PBM, PGM, PPM, PAM and PFM, read only."""

from sudokucrypt.images.netpbm.file import FORMAT, decode, matches

__all__ = ["FORMAT", "decode", "matches"]
