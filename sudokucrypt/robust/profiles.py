"""Profiles of services: the largest picture that each does not resize, with source and date.

Services do not publish these numbers and change them, and sources disagree. Users who know better
numbers can set their own.
"""

from dataclasses import dataclass
from typing import Final

from sudokucrypt.errors import InvalidParameterError


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A service that recompresses pictures, and how to write pictures for it."""

    name: str  #: The name of the profile.
    number: int  #: The number in headers, 1..255, which never changes.
    max_side: int  #: The longest side in pixels that the service does not resize.
    quality: int  #: The quality of the JPEG that is written for it, 1..100.
    source: str  #: The address of the source of `max_side`.
    date: str  #: Year and month when the source was written, or read if it has no date.


_JPEG_QUALITY = 92  # services compress again; a higher quality enlarges files and improves little
_PHOTO_TACO_URL = (
    "https://phototacopodcast.com/dimensions-and-quality-for-social-media-photo-sharing/"
)
_SHRINK_TO_URL = "https://shrinkto.com/blog/compress-image-for-whatsapp-without-quality-loss"
_TIN_IMG_URL = "https://tinimg.com/guides/prepare-images-for-social-media"
_TICK_TECH_URL = "https://www.ticktechtold.com/telegram-compress-image/"
_SIGNAL_URL = "https://github.com/signalapp/Signal-Android (PushMediaConstraints.java)"

PROFILES: Final = {
    name: Profile(
        name=name, number=number, max_side=side, quality=_JPEG_QUALITY, source=source, date=date
    )
    for number, name, side, source, date in (
        (1, "whatsapp", 1600, _SHRINK_TO_URL, "2026-11"),
        (2, "facebook", 1920, _PHOTO_TACO_URL, "2026-11"),
        (3, "instagram", 1080, _TIN_IMG_URL, "2026-11"),
        (4, "x", 4096, _PHOTO_TACO_URL, "2026-11"),
        (5, "telegram", 1280, _TICK_TECH_URL, "2022-11"),
        (6, "signal", 4096, _SIGNAL_URL, "2026-11"),
    )
}
"""All profiles by name."""


def profile_named(name: str) -> Profile:
    """Return the profile with this name, or raise `InvalidParameterError` if there is none.

    Parameters
    ----------
    name : str
        A name in `PROFILES`.
    """
    if name not in PROFILES:
        raise InvalidParameterError(
            f"there is no profile {name!r}", hint=f"use one of {', '.join(PROFILES)}"
        )
    return PROFILES[name]


def profile_numbered(number: int) -> Profile | None:
    """Return the profile of a number in a header, or None if this release does not know it.

    Parameters
    ----------
    number : int
        The number in a header, 0..255.
    """
    return next((each for each in PROFILES.values() if each.number == number), None)
