"""Files in which a preview hides: every place that is known, in every format that is read."""

from functools import cache

from tests.leaks import in_jpeg, in_others, in_tiff
from tests.leaks.previews import Case


@cache
def cases() -> dict[str, Case]:
    """All files by their names."""
    rooms = (in_jpeg, in_tiff, in_others)
    result = [case for room in rooms for case in room.cases()]
    assert len({case.name for case in result}) == len(result)
    return {case.name: case for case in result}


PLACES = tuple(cases())
"""The names of all files, for tests that go through them."""
