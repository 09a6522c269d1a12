"""What services make of pictures: how large they let them be, who says so, and when.

Services do not publish these numbers and change them; sources disagree. Set your own where you
know better.
"""

from dataclasses import dataclass
from typing import Final

from sudokucrypt.errors import InvalidParameterError


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A service.

    Parameters
    ----------
    name : str
        What it is called here.
    number : int
        What headers say, 1..255; it never changes.
    max_side : int
        Most pixels of a side that it leaves alone.
    quality : int
        At which quality we write the JPEG for it, 1..100.
    source : str
        Where `max_side` is from.
    date : str
        When that was written, or read where it bears no date, as year and month.
    """

    name: str
    number: int
    max_side: int
    quality: int
    source: str
    date: str


_PHOTO_TACO = "https://phototacopodcast.com/dimensions-and-quality-for-social-media-photo-sharing/"

PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile(
            name="whatsapp",
            number=1,
            max_side=1600,
            quality=92,
            source="https://shrinkto.com/blog/compress-image-for-whatsapp-without-quality-loss",
            date="2026-11",
        ),
        Profile(
            name="facebook",
            number=2,
            max_side=1920,
            quality=92,
            source=_PHOTO_TACO,
            date="2026-11",
        ),
        Profile(
            name="instagram",
            number=3,
            max_side=1080,
            quality=92,
            source="https://tinimg.com/guides/prepare-images-for-social-media",
            date="2026-11",
        ),
        Profile(
            name="x",
            number=4,
            max_side=4096,
            quality=92,
            source=_PHOTO_TACO,
            date="2026-11",
        ),
        Profile(
            name="telegram",
            number=5,
            max_side=1280,
            quality=92,
            source="https://www.ticktechtold.com/telegram-compress-image/",
            date="2022-11",
        ),
        Profile(
            name="signal",
            number=6,
            max_side=4096,
            quality=92,
            source="https://github.com/signalapp/Signal-Android (PushMediaConstraints.java)",
            date="2026-11",
        ),
    )
}
"""All profiles by name."""


def profile_named(name: str) -> Profile:
    """Return a profile; `InvalidParameterError` if there is none of this name."""
    if name not in PROFILES:
        raise InvalidParameterError(
            f"there is no profile {name!r}", hint=f"use one of {', '.join(PROFILES)}"
        )
    return PROFILES[name]


def profile_numbered(number: int) -> Profile | None:
    """Return the profile that a header names, if this release knows it."""
    return next((each for each in PROFILES.values() if each.number == number), None)
