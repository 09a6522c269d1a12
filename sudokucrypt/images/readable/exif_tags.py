"""The EXIF tags that may be copied, and what their values must be.

Left out, and so never copied: notes of makers, tables of sensors and of colors, tags that lead to
pictures or to other directories, and every number that is not listed here.

References
----------
.. [1] CIPA DC-008-2024, "Exchangeable image file format: Exif version 3.0", 4.6.
.. [2] Adobe, "TIFF", revision 6.0, 1992, section 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from sudokucrypt.images.tiff.directory import ASCII, BYTE, LONG, RATIONAL, SHORT, UNDEFINED

_UTF_8, _SIGNED_RATIONAL = 129, 10


class Rule(NamedTuple):
    """What the values of a tag must be.

    Parameters
    ----------
    form : {"numbers", "text", "wide text", "coded text"}
        Numbers of any value; a text; one in UTF-16; one behind the name of its code.
    kinds : tuple of int
        The types that they may have.
    counts : tuple of int
        How many numbers there may be; of texts nothing is said here.
    """

    form: Literal["numbers", "text", "wide text", "coded text"]
    kinds: tuple[int, ...]
    counts: tuple[int, ...] = ()


def _numbers(*kinds: int, counts: tuple[int, ...] = (1,)) -> Rule:
    return Rule("numbers", kinds, counts)


_SHORT, _LONG, _INTEGER = _numbers(SHORT), _numbers(LONG), _numbers(SHORT, LONG)
_RATIO, _SIGNED = _numbers(RATIONAL), _numbers(_SIGNED_RATIONAL)
_ANGLE = _numbers(RATIONAL, counts=(3,))
_CODE, _LETTERS = _numbers(UNDEFINED), _numbers(UNDEFINED, counts=(4,))
_TEXT = Rule("text", (ASCII, _UTF_8))
_WIDE_TEXT = Rule("wide text", (BYTE, UNDEFINED))
_CODED_TEXT = Rule("coded text", (UNDEFINED,))

FILE: Final[Mapping[int, Rule]] = {
    # Description, make, model, software, time, artist, computer, copyright.
    **dict.fromkeys((270, 271, 272, 305, 306, 315, 316, 33432), _TEXT),
    **dict.fromkeys((274, 296, 531), _SHORT),  # orientation, unit, place of color samples
    **dict.fromkeys((282, 283), _RATIO),  # pixels per unit
    **dict.fromkeys((18246, 18249), _SHORT),  # stars and percents of Windows
    **dict.fromkeys(range(40091, 40096), _WIDE_TEXT),  # title and such of Windows
}
"""The directory about the file."""

SHOT: Final[Mapping[int, Rule]] = {
    **dict.fromkeys((33434, 33437, 37122, 37378, *range(37381, 37383), 37386), _RATIO),
    **dict.fromkeys((37889, 37890, 37892, 41483, 41486, 41487, 41493, 41988, 42240), _RATIO),
    **dict.fromkeys((37377, 37379, 37380, 37888, 37891, 37893), _SIGNED),
    **dict.fromkeys((34850, 34864, *range(37383, 37386), 40961, 41488, 41495), _SHORT),
    **dict.fromkeys((*range(41985, 41988), *range(41989, 41995), 41996, 42080), _SHORT),
    **dict.fromkeys(range(34865, 34870), _LONG),  # sensitivities
    **dict.fromkeys((40962, 40963), _INTEGER),  # columns and rows
    34855: _numbers(SHORT, counts=(1, 2)),  # sensitivity
    37396: _numbers(SHORT, counts=(2, 3, 4)),  # where the subject is
    **dict.fromkeys((41492, 42081), _numbers(SHORT, counts=(2,))),
    42034: _numbers(RATIONAL, counts=(4,)),  # focal lengths and apertures of the lens
    **dict.fromkeys((36864, 37121, 40960), _LETTERS),  # versions, order of channels
    **dict.fromkeys((41728, 41729), _CODE),  # kinds of source and scene
    **dict.fromkeys((34852, 36867, 36868, *range(36880, 36883), *range(37520, 37523)), _TEXT),
    **dict.fromkeys((40964, 42016, *range(42032, 42034), *range(42035, 42045)), _TEXT),
    37510: _CODED_TEXT,  # comment
}
"""The directory about the shot."""

PLACE: Final[Mapping[int, Rule]] = {
    0: _numbers(BYTE, counts=(4,)),  # version
    5: _numbers(BYTE),  # above or below the sea
    30: _SHORT,  # corrected or not
    **dict.fromkeys((6, 11, 13, 15, 17, 24, 26, 31), _RATIO),
    **dict.fromkeys((2, 4, 7, 20, 22), _ANGLE),  # places, and the time of day
    **dict.fromkeys((1, 3, 8, 9, 10, 12, 14, 16, 18, 19, 21, 23, 25, 29), _TEXT),
    **dict.fromkeys((27, 28), _CODED_TEXT),  # method, and name of the area
}
"""The directory about the place."""

INTEROPERABILITY: Final[Mapping[int, Rule]] = {
    **dict.fromkeys((1, 4096), _TEXT),
    2: _LETTERS,
    **dict.fromkeys((4097, 4098), _INTEGER),
}
"""The directory about how files go together."""
