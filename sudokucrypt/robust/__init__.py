"""Pictures that survive recompression: gray sheets of scrambled blocks with a header in cells.

What comes back is close to the picture and not the same, and its pixels are not authenticated.
"""

from sudokucrypt.robust.cells import HEADING_ROWS
from sudokucrypt.robust.finding import Found, find_sheet, located
from sudokucrypt.robust.forecast import expected_psnr
from sudokucrypt.robust.header import RobustHeader
from sudokucrypt.robust.profiles import PROFILES, Profile, profile_named, profile_numbered
from sudokucrypt.robust.scheme import (
    NAME,
    Scrambled,
    checked_picture,
    moved_blocks,
    scramble_robustly,
    unscramble_robustly,
)
from sudokucrypt.robust.sheet import Sheet

__all__ = [
    "HEADING_ROWS",
    "NAME",
    "PROFILES",
    "Found",
    "Profile",
    "RobustHeader",
    "Scrambled",
    "Sheet",
    "checked_picture",
    "expected_psnr",
    "find_sheet",
    "located",
    "moved_blocks",
    "profile_named",
    "profile_numbered",
    "scramble_robustly",
    "unscramble_robustly",
]
