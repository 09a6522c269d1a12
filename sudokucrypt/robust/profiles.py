"""Profiles of services: how large they keep pictures, by which source and date.

Services do not publish these numbers and change them; sources disagree. Set your own where you
know better.
"""

from dataclasses import dataclass
from typing import Final

from sudokucrypt.errors import InvalidParameterError


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A service."""

    name: str  #: What it is called here.
    number: int  #: What headers say, 1..255; it never changes.
    max_side: int  #: Most pixels of a side that it leaves alone.
    quality: int  #: At which quality we write the JPEG for it, 1..100.
    source: str  #: Where `max_side` is from.
    date: str  #: When that was written, or read where it bears no date, as year and month.


_QUALITY = 92  # services compress again anyway; above this, files grow and little else
_PHOTO_TACO = "https://phototacopodcast.com/dimensions-and-quality-for-social-media-photo-sharing/"
_SHRINK_TO = "https://shrinkto.com/blog/compress-image-for-whatsapp-without-quality-loss"
_TIN_IMG = "https://tinimg.com/guides/prepare-images-for-social-media"
_TICK_TECH = "https://www.ticktechtold.com/telegram-compress-image/"
_SIGNAL = "https://github.com/signalapp/Signal-Android (PushMediaConstraints.java)"

PROFILES: Final = {
    name: Profile(
        name=name, number=number, max_side=side, quality=_QUALITY, source=source, date=date
    )
    for number, name, side, source, date in (
        (1, "whatsapp", 1600, _SHRINK_TO, "2026-11"),
        (2, "facebook", 1920, _PHOTO_TACO, "2026-11"),
        (3, "instagram", 1080, _TIN_IMG, "2026-11"),
        (4, "x", 4096, _PHOTO_TACO, "2026-11"),
        (5, "telegram", 1280, _TICK_TECH, "2022-11"),
        (6, "signal", 4096, _SIGNAL, "2026-11"),
    )
}
"""All profiles by name."""


def profile_named(name: str) -> Profile:
    """Return a profile; `InvalidParameterError` if there is none of this name.

    Parameters
    ----------
    name : str
        The name of a service or channel, as `PROFILES` has it.
    """
    if name not in PROFILES:
        raise InvalidParameterError(
            f"there is no profile {name!r}", hint=f"use one of {', '.join(PROFILES)}"
        )
    return PROFILES[name]


def profile_numbered(number: int) -> Profile | None:
    """Return the profile that a header names, if this release knows it.

    Parameters
    ----------
    number : int
        The number in a header, 0..255.
    """
    return next((each for each in PROFILES.values() if each.number == number), None)
