"""Profiles: public names and the numbers in headers, which never change."""

import pytest

from sudokucrypt import InvalidParameterError
from sudokucrypt.robust import PROFILES, profile_named, profile_numbered

NUMBERS = {"whatsapp": 1, "facebook": 2, "instagram": 3, "x": 4, "telegram": 5, "signal": 6}


def test_names_and_numbers_are_frozen() -> None:
    """What users type, and what headers hold, is as released, and leads to the same profile."""
    assert {name: profile.number for name, profile in PROFILES.items()} == NUMBERS
    sides = [profile.max_side for profile in PROFILES.values()]
    assert sides == [1600, 1920, 1080, 4096, 1280, 4096]
    for name, number in NUMBERS.items():
        assert profile_named(name) is profile_numbered(number)
        assert profile_named(name).name == name
        assert profile_named(name).quality == 92


def test_unknown_profiles() -> None:
    """A name that is unknown is refused; a number may be that of a newer release."""
    with pytest.raises(InvalidParameterError, match="there is no profile 'fax'"):
        profile_named("fax")
    assert profile_numbered(7) is None
    assert profile_numbered(0) is None
