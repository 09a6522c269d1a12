"""Pictures that survive recompression: scrambled blocks in a gray carrier image with a header.

The restored picture is close to the original, but not equal, and its pixels are not authenticated.
"""

from sudokucrypt.robust.carrier_image import CarrierImage
from sudokucrypt.robust.cells import PREAMBLE_ROWS
from sudokucrypt.robust.detection import CarrierMatch, align_carrier, find_carrier
from sudokucrypt.robust.forecast import forecast_psnr
from sudokucrypt.robust.header import RobustHeader
from sudokucrypt.robust.profiles import PROFILES, Profile, profile_named, profile_numbered
from sudokucrypt.robust.scheme import (
    SCHEME_NAME,
    ScrambledCarrier,
    checked_picture,
    moved_blocks,
    scramble_robustly,
    unscramble_robustly,
)

__all__ = [
    "PREAMBLE_ROWS",
    "PROFILES",
    "SCHEME_NAME",
    "CarrierImage",
    "CarrierMatch",
    "Profile",
    "RobustHeader",
    "ScrambledCarrier",
    "align_carrier",
    "checked_picture",
    "find_carrier",
    "forecast_psnr",
    "moved_blocks",
    "profile_named",
    "profile_numbered",
    "scramble_robustly",
    "unscramble_robustly",
]
